"""Two runs give the same bytes: results, summary, report, trace."""

import os
import unittest

from harness import KernelTest, kernel, ptovm


class Determinism(KernelTest):
    def run_once(self, folder, arguments):
        os.mkdir(self.path(folder))
        result = ptovm(*[a.replace("OUT", self.path(folder)) for a in arguments],
                       "--json=" + self.path(folder + "/report.json"), "--trace",
                       self.path(folder + "/trace.json"))
        self.assertEqual(result.code, 0, result.err)
        files = {}
        for name in sorted(os.listdir(self.path(folder))):
            with open(self.path(os.path.join(folder, name)), "rb") as file:
                files[name] = file.read()
        return result.out.replace(self.path(folder), ""), files

    def check(self, *arguments):
        first, second = self.run_once("1", arguments), self.run_once("2", arguments)
        self.assertEqual(first[0], second[0])
        self.assertEqual(sorted(first[1]), sorted(second[1]))
        self.assertGreater(len(first[1]), 2)
        for name in first[1]:
            self.assertEqual(first[1][name], second[1][name], name)
            self.assertNotEqual(first[1][name], b"", name)

    def test_vadd(self):
        self.check("run", kernel("basic/vadd.pto"), "--set", "n=50000", "--in", "a=random:1",
                   "--in", "b=random:2", "--out", "c=OUT/c.npy")

    def test_gemm(self):
        self.check("run", kernel("matmul/gemm.pto"), "--set", "m=200", "--set", "k=100", "--set",
                   "n=300", "--in", "a=random:1", "--in", "b=random:2", "--out", "c=OUT/c.npy")

    def test_allreduce(self):
        self.check("--ranks", "4", "--jitter", "7", "--repeat", "2", "run",
                   kernel("collective/allreduce_ring.pto"), "--set", "count=20000", "--in",
                   "x=random:3", "--out", "y=OUT/y_{rank}.npy")

    def test_barrier(self):
        self.check("--ranks", "3", "run", kernel("collective/device_barrier.pto"), "--out",
                   "leave=OUT/leave_{rank}.npy")


if __name__ == "__main__":
    unittest.main()
