"""The C programs of docs/examples: each is compiled without warnings, as C and as C++ if there is a
compiler for it, and run."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

CC = os.environ.get("PTO_CC", "cc")
LIBRARY = os.path.join(pto.BIN, "..", "lib")
RACY = """.kernel racy
.in  a : f32[64]
.out c : f32[64]
.core aiv
.tile t : ub f32[1, 64]
    .if vec_id() == 0
        TLOAD t, a
        TADDS t, t, 1.0
        pipe_barrier ALL
        TSTORE c, t
    .endif
"""


class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def build(self, name):
        program = os.path.join(self.folder, name)
        subprocess.run([CC, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic",
                        "-I" + pto.source("vm", "api"), pto.source("docs", "examples", name + ".c"),
                        "-o", program, "-L" + LIBRARY, "-lpto", "-Wl,-rpath," + LIBRARY],
                       check=True)
        return program

    def run_example(self, name, *words):
        return subprocess.run([self.build(name), *words], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=pto.TIMEOUT)

    def test_all_have_a_test(self):
        programs = [name for name in os.listdir(pto.source("docs", "examples"))
                    if name.endswith(".c")]
        self.assertEqual(sorted(programs), ["check.c", "vadd.c"])

    def test_vadd(self):
        done = self.run_example("vadd")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^1000 sums on each of 2 ranks, \d+\.\d+ us simulated$")

    def test_check_finds(self):
        with open(os.path.join(self.folder, "racy.pto"), "w") as file:
            file.write(RACY)
        done = self.run_example("check", "racy.pto", "in", "a=iota")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("race-raw: ", done.stdout)
        self.assertIn("racy.pto:7 TLOAD on pipe MTE2", done.stdout)
        self.assertIn("racy.pto:8 TADDS on pipe V", done.stdout)
        self.assertIn("3 phases completed", done.stdout)

    def test_check_refuses(self):
        for words, say in [((), "the job has no kernel"),
                           (("no.pto",), "cannot read 'no.pto'"),
                           (("no.pto", "rnaks", "2"), "did you mean '--ranks'?"),
                           (("no.pto", "ranks", "0"), "--ranks 0"),
                           (("no.pto", "out", "c=c.npy"), "option 'out' is for the program ptovm")]:
            done = self.run_example("check", *words)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(say, done.stderr)

    def test_all_functions_are_misused(self):
        with open(pto.source("vm", "api", "pto.h")) as file:
            functions = re.findall(r"^PTO_API .*?(pto_job_\w+)\(", file.read(), re.M)
        with open(pto.source("tests", "api", "misuse_test.c")) as file:
            rows = re.findall(r"^    ROW\((pto_job_\w+), ", file.read(), re.M)
        self.assertEqual(sorted(set(functions) - set(rows)), ["pto_job_new"])

    def test_header_is_cxx(self):
        if not shutil.which("c++"):
            self.skipTest("no C++ compiler")
        subprocess.run(["c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", "-x",
                        "c++", pto.source("vm", "api", "pto.h")], check=True)


if __name__ == "__main__":
    unittest.main()
