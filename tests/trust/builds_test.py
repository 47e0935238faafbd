"""What the build promises: little-endian hosts only, the same instruction set levels with every
compiler, and to leave a project around it alone."""
import os
import platform
import re
import shutil
import subprocess

import trust
import pto  # noqa: E402  (trust.py says where it is)

CMAKE, CC = os.environ['CMAKE'], os.environ['CC']


def test_big_endian_hosts_are_refused(b):
    for order, code in (('__ORDER_LITTLE_ENDIAN__', 0), ('__ORDER_BIG_ENDIAN__', 1)):
        done = subprocess.run([CC, '-fsyntax-only', '-U__BYTE_ORDER__', '-D__BYTE_ORDER__=' + order,
                               '-x', 'c', pto.source('isa', 'bits.h')],
                              capture_output=True, text=True)
        assert done.returncode == code, (order, done.stderr)
        assert ('little-endian' in done.stderr) == bool(code), done.stderr


def configure(b, compiler):
    """Within a project around it."""
    b.write('CMakeLists.txt', 'cmake_minimum_required(VERSION 3.25)\nproject(around LANGUAGES C)\n'
            'add_subdirectory("%s" pto)\n' % pto.SOURCE)
    shutil.rmtree(os.path.join(b.folder, 'build'), ignore_errors=True)
    subprocess.run([CMAKE, '-S', '.', '-B', 'build', '-DBUILD_TESTING=OFF',
                    '-DCMAKE_C_COMPILER=' + compiler], cwd=b.folder, check=True,
                   capture_output=True)


def test_levels_are_those_of_the_host_whichever_the_compiler(b):
    levels = {}
    for compiler in filter(shutil.which, ('gcc', 'clang')):
        configure(b, compiler)
        targets = b.read('build/CMakeFiles/TargetDirectories.txt').decode()
        levels[compiler] = sorted(set(re.findall(r'ptovm_ops_(\w+)\.dir', targets)))
        assert 'base' in levels[compiler], levels
        if platform.machine() == 'x86_64':
            assert {'v3', 'v4'} <= set(levels[compiler]), levels
    assert len(set(map(tuple, levels.values()))) == 1, levels


def test_a_project_around_it_keeps_its_choices(b):
    configure(b, CC)
    cache = b.read('build/CMakeCache.txt').decode()
    assert re.search(r'^CMAKE_BUILD_TYPE:\w+=$', cache, re.M), 'the build type was chosen for it'


if __name__ == '__main__':
    trust.main(globals())
