"""What stands in the place of an input: folders, devices, FIFOs, huge and sparse files."""
import os
import subprocess
import unicodedata

import trust
from trust import DONE, PROGRAM, USAGE, limit_memory

GIB = 1 << 30
SMALL = {'preexec_fn': limit_memory(2 * GIB), 'timeout': 20}  # far less than the files seem to hold


def sparse(b, name, size, head=b''):
    with open(b.path(name), 'wb') as file:
        file.write(head)
        file.truncate(size)
    return name


def kernels(b, name):
    """Every way to read `name` as a kernel."""
    return (('ptoas', '-o', 'x.ptob', name), ('ptoas', '--lint', name), ('ptoas', '-d', name),
            ('ptovm', 'info', name), ('ptovm', 'run', name), ('ptodbg', '--batch', name))


ESCAPES = b'''.kernel k
.out c : f32[1]
.core aiv
    %i = 0 ; \x1b[2J in a comment
    .assert %i == 1, "\x1b]0;owned\x07 does not hold" ; \x1b[31m
'''


def test_texts_of_a_program_do_not_command_the_terminal(b):
    """Fault, debugger and checker quote lines and messages of the program without their escapes."""
    b.write('k.pto', ESCAPES)
    for words in (('ptovm', 'run', 'k.pto'), ('ptovm', 'check', 'k.pto'),
                  ('ptodbg', '--batch', '-e', 'run', 'k.pto')):
        result = b.run(*words)
        said = result.stdout + result.stderr
        assert 'does not hold' in said, (words, said)
        assert not (set(said) - {'\n', '\t'}) & {chr(c) for c in range(32)}, (words, said)


HOSTILE = b'\x1b[31m\x07\xff\xc2\x9b\xe2\x80\xae\xc3\xa4'


def test_nothing_that_is_fed_in_commands_the_terminal(b):
    """Whatever a message quotes - lines of files, words, names - is shown, not obeyed: escapes
    stand for control characters, marks that turn a line, and bytes that are no UTF-8."""
    name = HOSTILE.decode('utf-8', 'surrogateescape')
    b.write(name, b'.kernel k\n.core aiv\n    %i = 1 ; ' + HOSTILE + b'\n    oops ' + HOSTILE)
    b.write('lines', HOSTILE + b'\n')
    run = ('ptovm', 'run', b.kernel('basic/vadd.pto'))
    for words in (('ptoas', '-o', 'x', name), ('ptoas', name, name), ('ptoas', '--' + name),
                  ('ptoas', '-d', 'lines'), ('ptoas', '--explain', name),
                  ('ptovm', 'run', name), (*run, '--schedule', 'lines'),
                  (*run, '--profile', './lines'), (*run, '--topology', 'file:lines'),
                  (*run, '--suppress', 'lines'), (*run, '@lines'), (*run, '--set', name + '=1'),
                  (*run, '--in', name + '=ones'), (*run, '--in', 'a=' + name),
                  (*run, '--trace', name + '/x', '--set', 'n=8', '--in', 'a=ones', '--in',
                   'b=ones'),
                  (*run, '--json=' + name + '/x', '--set', 'n=8', '--in', 'a=ones', '--in',
                   'b=ones'),
                  ('ptovm', name), ('ptovm', 'diff', 'lines', name),
                  ('ptodbg', '--batch', '-e', name, b.kernel('basic/vadd.pto')),
                  ('ptodbg', '--batch', '-x', 'lines', b.kernel('basic/vadd.pto')),
                  ('ptodbg', '--batch', '-e', 'list', name)):
        done = subprocess.run([*b.command(words[:1]), *words[1:]], cwd=b.folder, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True)
        said = (done.stdout + done.stderr).decode()         # it is UTF-8
        assert 'error: ' in said, (words, said)
        wrong = [c for c in said if c not in '\n\t' and unicodedata.category(c) in ('Cc', 'Cf')]
        assert not wrong, (words, said)


def vadd(b):
    """A run of eight elements that lacks its input a."""
    return ('ptovm', 'run', b.kernel('basic/vadd.pto'), '--set', 'n=8', '--in', 'b=ones')


def test_sizes_are_looked_at_before_reading(b):
    for name in (sparse(b, 'big.pto', 3 * GIB), sparse(b, 'big.ptob', 3 * GIB, b'PTOB')):
        for words in kernels(b, name):
            b.refuse(USAGE, *words, say='it is larger than ', **SMALL)
    b.write('user.pto', '.include "big.pto"\n')
    b.refuse(PROGRAM, 'ptoas', '-o', 'x.ptob', 'user.pto', say='it is larger than 16 MiB', **SMALL)


def test_arrays_are_looked_at_before_reading(b):
    npy = (b"\x93NUMPY\x01\x00v\x00"
           b"{'descr': '<f4', 'fortran_order': False, 'shape': (805306336,), }")
    sparse(b, 'none.npy', 3 * GIB)
    sparse(b, 'raw', 3 * GIB)
    sparse(b, 'large.npy', 3 * GIB, npy + b' ' * (127 - len(npy)) + b'\n')
    for words in (('--in', 'a=%s'), ('--in', 'a=ones', '--expect', 'c=%s')):
        for name, say in (('none.npy', 'it does not start like one'),
                          ('raw', "'raw' has 3072.0 MiB"),
                          ('large.npy', "'large.npy' has 3072.0 MiB, and 100.0 MiB of memory")):
            b.refuse(USAGE, *vadd(b), *(w.replace('%s', name) for w in words), '--max-memory',
                     '100M', say=say, **SMALL)
    b.refuse(USAGE, 'ptovm', 'run', b.kernel('basic/vadd.pto'), '--set', 'n=@raw', '--in', 'a=ones',
             '--in', 'b=ones', '--max-memory', '100M', say="'raw' has 3072.0 MiB", **SMALL)


def test_reports_are_at_most_64_mib(b):
    sparse(b, 'big.json', 3 * GIB)
    done = b.expect(USAGE, 'ptovm', 'diff', 'big.json', 'big.json', **SMALL)
    assert done.stderr.count('larger than 64 MiB') == 2, done.stderr


def test_a_text_is_at_most_16_mib(b):
    b.write('long.pto', b';' * (16 << 20) + b'\n')
    b.refuse(USAGE, 'ptoas', '-o', 'x.ptob', 'long.pto', say='larger than 16 MiB')
    b.refuse(USAGE, 'ptovm', 'info', 'long.pto', say='larger than 16 MiB')
    b.refuse(USAGE, 'ptovm', 'info', '-', say='larger than 16 MiB', stdin=';' * (17 << 20))


def test_settings_are_at_most_1_mib(b):
    name = sparse(b, 'big', 3 * GIB)
    for words in ((*vadd(b), '--profile', './' + name), (*vadd(b), '--suppress', name),
                  ('ptodbg', '--batch', '--in', 'a=ones', '-x', name, *vadd(b)[2:])):
        done = b.expect(USAGE, *words, **SMALL)
        assert 'it is larger than 1 MiB' in done.stdout + done.stderr, (done.stdout, done.stderr)


def test_no_fifo_is_waited_for(b):
    os.mkfifo(b.path('fifo'))
    for words in kernels(b, 'fifo'):
        b.refuse(USAGE, *words, say=['fifo', 'it is a FIFO'], timeout=20)
    b.write('user.pto', '.include "fifo"\n')
    b.refuse(PROGRAM, 'ptoas', '-o', 'x.ptob', 'user.pto', say='it is a FIFO', timeout=20)
    for words in (('--profile', './fifo'), ('--suppress', 'fifo'), ('--in', 'a=fifo'),
                  ('--in', 'a=ones', '--expect', 'c=fifo')):
        b.refuse(USAGE, *vadd(b), *words, say='it is a FIFO', timeout=20)


def test_devices_have_an_end(b):
    for words in kernels(b, '/dev/zero'):
        b.refuse(USAGE, *words, say='gives more than 1 MiB', **SMALL)
    for words in (('--profile', '/dev/zero'), ('--suppress', '/dev/zero'),
                  ('--in', 'a=/dev/zero'), ('--in', 'a=ones', '--expect', 'c=/dev/zero')):
        b.refuse(USAGE, *vadd(b), *words, say='gives more than 1 MiB', **SMALL)
    b.expect(DONE, *vadd(b), '--in', 'a=ones', '--suppress', '/dev/null')


def test_folders_are_no_files(b):
    os.mkdir(b.path('folder'))
    for words in kernels(b, 'folder'):
        b.refuse(USAGE, *words, say='Is a directory')


def test_pipes_of_the_shell_are_read(b):
    line = "'%s' run <(cat '%s') --set n=8 --in b=ones --in a=<(head -c 32 /dev/zero)" % (
        b.command(['ptovm'])[0], b.kernel('basic/vadd.pto'))
    done = subprocess.run(['bash', '-c', line], capture_output=True, text=True, timeout=60)
    assert done.returncode == DONE, done.stderr
    line = "yes | '%s' info -" % b.command(['ptovm'])[0]
    done = subprocess.run(['bash', '-c', line], capture_output=True, text=True, timeout=60)
    assert done.returncode == USAGE and 'larger than 64 MiB' in done.stderr, done.stderr


if __name__ == '__main__':
    trust.main(globals())
