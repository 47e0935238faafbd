"""Kernels as objects: the same results and times as from text, and disassembly that comes back to
the same bytes."""

import glob
import os
import subprocess
import unittest

from harness import BIN, SOURCE, KernelTest, kernel


class Objects(KernelTest):
    def ptoas(self, *arguments):
        done = subprocess.run([os.path.join(BIN, "ptoas")] + list(arguments), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def assemble(self, source, name):
        self.ptoas("-o", self.path(name), source)
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_disassembly_of_everything_comes_back(self):
        sources = glob.glob(os.path.join(SOURCE, "kernels", "*", "*.pto"))
        cases = glob.glob(os.path.join(SOURCE, "tests", "run", "cases", "*.pto"))
        self.assertTrue(sources and cases)
        for source in sources + cases:
            if source.endswith("cross_flag_alone.pto"):  # does not assemble, on purpose
                continue
            first = self.assemble(source, "first.ptob")
            with open(self.path("plain.pto"), "wb") as file:
                file.write(self.ptoas("-d", self.path("first.ptob")))
            self.assertEqual(self.assemble(self.path("plain.pto"), "second.ptob"), first, source)

    def test_an_object_runs_like_its_text(self):
        source = kernel("collective/allreduce_ring.pto")
        self.ptoas("-o", self.path("k.ptob"), source)
        outputs = []
        for number, program in enumerate((source, self.path("k.ptob"))):
            name = self.path("y%d_{rank}.npy" % number)
            result = self.run_ok("--ranks", 4, "run", program, "--set", "count=1000", "--in",
                                 "x=random:1", "--out", "y=" + name)
            outputs.append(result.out)
            outputs.append([y.tobytes() for y in self.load_ranks("y%d" % number, 4)])
        self.assertEqual(outputs[:2], outputs[2:])


if __name__ == "__main__":
    unittest.main()
