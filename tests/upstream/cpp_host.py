"""A host for the C++ that `ptoas --to cpp` writes: compiles it against declarations of the public
intrinsics and carries it out, ranks as threads."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

HEADERS = pto.source("tests", "upstream", "cpp")
CXX = shutil.which("g++") or shutil.which("clang++")
TYPES = {"float32": "float", "float16": "half", "int64": "int64_t", "int32": "int32_t",
         "uint8": "uint8_t"}


def imported(name):
    return pto.source("tests", "upstream", "kernels", name + ".pto")


@unittest.skipUnless(CXX, "no C++ compiler")
class Host(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.random = np.random.default_rng(3)

    def path(self, name):
        return os.path.join(self.folder, name)

    def export(self, kernel, *options):
        done = pto.ptoas("--to", "cpp", kernel, "-o", self.path("kernel.cpp"), *options)
        self.assertEqual((done.code, done.err), (0, ""), done.err)

    def compile(self, main, *options):
        """The text once for each kind of sub-core, as chips have it: NAME_cube and NAME_vec."""
        if pto.SANITIZED:  # they look at ptoas, which has done its part
            if "-fsyntax-only" in options:
                return
            self.skipTest("the build without sanitizers compiles what is written")
        with open(self.path("kernel.cpp")) as file:
            names = re.findall(r"AICORE void (\w+)\(", file.read())
        with open(self.path("main.cpp"), "w") as file:
            file.write('#include "intrinsics.hpp"\n#include "main.hpp"\n#include "ranks.hpp"\n')
            for kind in ("cube", "vec"):
                for name in names:
                    file.write("#define %s %s_%s\n" % (name, name, kind))
                file.write('#define __DAV_%s__\n#include "%s"\n#undef __DAV_%s__\n' %
                           (kind.upper(), self.path("kernel.cpp"), kind.upper()))
                file.write("".join("#undef %s\n" % name for name in names))
            file.write('%s\n' % main)
        done = subprocess.run([CXX, "-std=c++20", "-O0", "-w", "-pthread", "-I", HEADERS, *options,
                               self.path("main.cpp"), "-o", self.path("main")],
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_host(self, name, arguments, blocks=1, vectors=1):
        """Arrays by name and numbers, in the order of the function; what the arrays are then."""
        lines, words = [], []
        for number, value in enumerate(arguments):
            words.append("a%d.data()" % number if isinstance(value, np.ndarray) else repr(value))
            if not isinstance(value, np.ndarray):
                continue
            path = self.path("a%d" % number)
            value.tofile(path)
            lines.append('auto a%d = host_read<%s>("%s");' % (number, TYPES[str(value.dtype)],
                                                              path))
        calls = ["[&] { %s_%s(%s); }" % (name, kind, ", ".join(words)) for kind in ("cube", "vec")]
        lines.append("host_launch(%d, %d, %s);" % (blocks, vectors, ", ".join(calls)))
        for number, value in enumerate(arguments):
            if isinstance(value, np.ndarray):
                lines.append('host_write("%s", a%d);' % (self.path("a%d" % number), number))
        self.compile("int main()\n{\n%s\n}\n" % "\n".join(lines), "-DPTO_REAL=double")
        done = subprocess.run([self.path("main")], stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [np.fromfile(self.path("a%d" % n), a.dtype).reshape(a.shape)
                for n, a in enumerate(arguments) if isinstance(a, np.ndarray)]

    def run_ranks(self, name, *arguments):
        """Arrays of all ranks, numbers of each; what the arrays of all are then. They lie in
        windows of which all ranks have one."""
        ranks = len(next(a for a in arguments if isinstance(a, np.ndarray)))
        words, places, size = [], [], 0
        for value in arguments:
            if not isinstance(value, np.ndarray):
                words.append(str(value))
                continue
            words.append("(%s *)(window + %d)" % (TYPES[str(value.dtype)], size))
            places.append((size, value))
            size += -(-value[0].nbytes // 64) * 64
        for rank in range(ranks):
            window = bytearray(size)
            for place, value in places:
                window[place:place + value[rank].nbytes] = value[rank].tobytes()
            with open(self.path("window%d" % rank), "wb") as file:
                file.write(window)
        calls = ["[&] { %s_%s(%s, context); }" % (name, kind, ", ".join(words))
                 for kind in ("cube", "vec")]
        self.compile("int main()\n{\nhost_ranks(%d, \"%s\", [](uint8_t *window, int64_t *context) {"
                     " host_launch(1, 1, %s); });\n}\n" %
                     (ranks, self.path("window"), ", ".join(calls)), "-DPTO_REAL=double")
        done = subprocess.run([self.path("main")], stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        windows = [np.fromfile(self.path("window%d" % rank), np.uint8) for rank in range(ranks)]
        return [np.array([w[place:place + value[0].nbytes].view(value.dtype).reshape(value[0].shape)
                          for w in windows]) for place, value in places]

    def floats(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)
