"""kernels/broken: every mistake shows, with its place."""

import unittest

import numpy as np

from harness import KernelTest, kernel, line_of, ptovm, random_f32


class Broken(KernelTest):
    def vadd(self, name, n=100003):
        self.a, self.b = random_f32(1, n), random_f32(2, n)
        return ("--cores", 1, "run", kernel(name), "--in", "a=" + self.save("a.npy", self.a),
                "--in", "b=" + self.save("b.npy", self.b), "--out", "c=" + self.path("c.npy"))

    def test_a_missing_wait_is_reported(self):
        name = "broken/vadd_missing_wait.pto"
        err = self.run_bad(1, *self.vadd(name, 100))
        self.assertIn("%s:%d:" % (kernel(name), line_of(kernel(name), "nobody waits for it")), err)
        self.assertIn("token of set_flag MTE2, V, 0 was never waited for", err)
        self.assertIn("on a pending token", self.run_bad(1, *self.vadd(name, 100003)))

    def test_a_missing_pair_changes_the_result(self):
        name = "broken/vadd_missing_sync.pto"
        self.run_ok(*self.vadd(name, 100))
        self.assertFalse(np.array_equal(self.load("c.npy"), self.a + self.b))
        self.assertIn("on a pending token", self.run_bad(1, *self.vadd(name, 100003)))

    def test_a_missing_set_is_a_deadlock(self):
        name = "broken/vadd_missing_set.pto"
        err = self.run_bad(3, *self.vadd(name))
        self.assertIn("deadlock", err)
        self.assertIn(":%d" % line_of(kernel(name), "nobody sets it"), err)
        self.assertIn("set_flag MTE2, V, 0", err)

    def test_a_naive_ring_meets_the_missing_link(self):
        x = self.save_ranks("x", [random_f32(r, 1000) for r in range(8)])
        arguments = ("run", kernel("broken/allreduce_naive_ring.pto"), "--in", "x=" + x)
        self.run_ok("--ranks", 8, *arguments)
        err = self.run_bad(1, "--ranks", 8, "--link-down", "0-1", *arguments)
        self.assertRegex(err, r"no link from rank 0 to rank 1|no link from rank 1 to rank 0")
        self.assertRegex(err, r"allreduce_naive_ring\.pto:\d+:\d+: fault")
        self.assertRegex(err, r"in \S*(allreduce_ring|sync)\.inc:\d+:\d+")

    def test_a_remote_signal_is_not_polled(self):
        name = kernel("broken/remote_wait.pto")
        err = self.run_bad(1, "--ranks", 2, "--cores", 1, "run", name)
        self.assertIn("%s:%d:" % (name, line_of(name, "the mistake")), err)
        self.assertIn("TWAIT reads local signals only", err)

    def test_a_barrier_publishes_no_store_of_S(self):
        name = kernel("broken/sync_all_missing_dsb.pto")
        self.run_ok("--cores", 2, "run", name)
        result = ptovm("check", "--cores", 2, name)
        self.assertEqual(result.code, 4, result.err)
        self.assertIn("%s:%d:" % (name, line_of(name, "%x = ld")), result.err)
        with open(name) as file:
            text = file.read()
        mended = self.path("mended.pto")
        with open(mended, "w") as file:
            file.write(text.replace("    sync_all aiv",
                                    "    dcci\n    dsb\n    sync_all aiv\n    dcci\n"))
        result = ptovm("check", "--cores", 2, mended)
        self.assertEqual((result.code, result.err), (0, ""))


if __name__ == "__main__":
    unittest.main()
