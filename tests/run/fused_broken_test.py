"""kernels/broken/fused_*: every mistake shows, with its place."""

import unittest

from harness import KernelTest, kernel, line_of, ptovm


class Broken(KernelTest):
    def test_flags_left(self):
        """The counts of the last two rounds, or of the only one, are left."""
        name = kernel("broken/fused_flags_left.pto")
        place = "%s:%d:" % (name, line_of(name, "also in the last two rounds"))
        for m, ids in ((32, {2}), (64, {2, 3}), (200, {2, 3})):
            arguments = ("--cores", 1, name, "-D", "BM=32", "-D", "BN=64", "-D", "BK=64", "-D",
                         "STEP=32", "--set", "m=%d" % m, "--set", "k=8", "--set", "n=64", "--in",
                         "a=ones", "--in", "b=ones")
            for command in ("run", "check"):
                result = ptovm(command, *arguments)
                self.assertEqual(result.code, 1)
                self.assertIn(place, result.err)
                for flag in ids:
                    self.assertRegex(result.err, "cross-core flag %d (reached aic0 after its end|"
                                     "has 1 count at aic0 that was never waited for)" % flag)
                self.assertEqual("[token-left]" in result.err, command == "check")

    def test_leaves_early(self):
        """With a slow rank its part is missing, unless all launches end together; the checker
        finds it without."""
        name = kernel("broken/fused_leaves_early.pto")
        arguments = ("--repeat", 2, "--ranks", 3, name, "--set", "n=100", "--in", "x=const:3",
                     "--expect", "y=const:3")
        slow = ("--slow-rank", "1=100")
        self.assertIn("200 of 900 elements differ", self.run_bad(6, "run", *slow, *arguments))
        self.run_ok("check", *slow, "--join", *arguments)
        self.run_ok("run", *arguments)
        err = self.run_bad(4, "check", *arguments)
        self.assertEqual(err.count("finding: "), 1)
        self.assertIn("%s:%d:13: finding: TLOAD reads c of rank" % (
            name, line_of(name, "nobody has said that it has come")), err)
        self.assertIn("%s:%d:13: TSTORE writes" % (name, line_of(name, "TSTORE c@%peer")), err)
        self.assertIn("[race-raw]", err)


if __name__ == "__main__":
    unittest.main()
