"""Kernels as objects: the same results and times as from text, and disassembly that comes back to
the same bytes."""

import glob
import re
import unittest

from harness import KernelTest, kernel, ptoas, source


class Objects(KernelTest):
    def ptoas(self, *arguments):
        done = ptoas(*arguments)
        self.assertEqual(done.code, 0, done.err)
        return done.raw

    def assemble(self, text, name, *options):
        self.ptoas("-o", self.path(name), *options, text)
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_disassembly_of_everything_comes_back(self):
        kernels = glob.glob(kernel("*/*.pto"))
        cases = glob.glob(source("tests", "run", "cases", "*.pto"))
        self.assertTrue(kernels and cases)
        for text in kernels + cases:
            if text.endswith("cross_flag_alone.pto"):  # does not assemble, on purpose
                continue
            with open(text) as file:  # a case says for which profile it is
                profile = re.search(r"^; run: (-p \w+)?", file.read(), re.M)
            options = (profile and profile.group(1) or "").split()
            first = self.assemble(text, "first.ptob", *options)
            with open(self.path("plain.pto"), "wb") as file:
                file.write(self.ptoas("-d", self.path("first.ptob")))
            second = self.assemble(self.path("plain.pto"), "second.ptob", *options)
            self.assertEqual(second, first, text)

    def test_an_object_runs_like_its_text(self):
        text = kernel("collective/allreduce_ring.pto")
        self.ptoas("-o", self.path("k.ptob"), text)
        outputs = []
        for number, program in enumerate((text, self.path("k.ptob"))):
            name = self.path("y%d_{rank}.npy" % number)
            result = self.run_ok("--ranks", 4, "run", program, "--set", "count=1000", "--in",
                                 "x=random:1", "--out", "y=" + name)
            outputs.append(result.out)
            outputs.append([y.tobytes() for y in self.load_ranks("y%d" % number, 4)])
        self.assertEqual(outputs[:2], outputs[2:])


if __name__ == "__main__":
    unittest.main()
