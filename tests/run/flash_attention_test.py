"""kernels/attention/flash_attention against the untiled formula, tolerance 1e-3 (that of
hw-native-sys/pto-isa, kernels/manual/common/flash_atten): weights are f16 before they meet v."""

import unittest

import numpy as np

from harness import KernelTest, kernel, ptovm, random_f16
import attention

FLASH = kernel("attention/flash_attention.pto")
SMALL = ("-D", "BM=32", "-D", "BN=32", "-D", "BK=32", "-D", "STEP=32", "-D", "TILE=32", "-D",
         "HEAD=32")


class FlashAttention(KernelTest):
    maxDiff = None

    def command(self, q, k, v, causal):
        return [FLASH, "--set", "causal=%d" % causal] + [
            word for name, array in (("q", q), ("k", k), ("v", v))
            for word in ("--in", "%s=%s" % (name, self.save(name + ".npy", array)))]

    def inputs(self, s0, s1, h):
        return random_f16(s0, s0, h), random_f16(s1 + 1, s1, h), random_f16(h + 2, s1, h)

    def check(self, s0, s1, h, *options, causal=False, small=True):
        q, k, v = self.inputs(s0, s1, h)
        self.run_ok(*(SMALL if small else ()), *options, "run", *self.command(q, k, v, causal),
                    "--out", "o=" + self.path("o.npy"))
        np.testing.assert_allclose(self.load("o.npy"), attention.attention(q, k, v, causal),
                                   atol=1e-3, rtol=1e-3, err_msg="%d %d %d" % (s0, s1, h))
        return self.load("o.npy")

    def test_published_tile_sizes(self):
        self.check(128, 1024, 128, small=False)
        self.check(200, 300, 64, causal=False, small=False)
        self.check(300, 300, 96, causal=True, small=False)

    def test_tails(self):
        for s0, s1, h in ((1, 1, 1), (1, 33, 8), (31, 32, 32), (33, 31, 17), (64, 96, 32),
                          (70, 100, 20), (17, 5, 16)):
            for causal in (False, True):
                self.check(s0, s1, h, "--cores", 2, causal=causal)

    def test_more_and_fewer_tiles_than_run_ahead(self):
        for preload in (1, 2, 9):
            for s1 in (32, 64, 160, 400):
                self.check(40, s1, 16, "-D", "PRELOAD=%d" % preload, "--cores", 2)

    def test_two_accumulators_and_late_updates(self):
        wide = ("-D", "ACCS=2", "-D", "LATE=3", "-D", "BM=64", "-D", "TILE=256", "-D", "BK=128")
        self.check(200, 700, 128, *wide, small=False)
        first = self.check(150, 150, 32, "--cores", 1, causal=True)
        for late in (2, 3, 7):
            for accumulators in (1, 2):
                options = ("-D", "LATE=%d" % late, "-D", "ACCS=%d" % accumulators)
                self.assert_same_bits(self.check(150, 150, 32, *options, causal=True), first,
                                      options)
                self.check(40, 64, 16, "-D", "PRELOAD=1", *options)

    def test_cores_and_orders_give_the_same_bits(self):
        first = self.check(150, 150, 32, "--cores", 1, causal=True)
        for options in (("--cores", 3), (), ("--jitter", 5), ("--repeat", 3), ("-p", "a5"),
                        ("-p", "a3")):
            self.assert_same_bits(self.check(150, 150, 32, *options, causal=True), first, options)

    def test_equal_scores_average_the_values(self):
        """Small integers: every weight is 1, so the mean is exact where the sum is."""
        q, v = np.zeros((40, 8), np.float16), np.arange(64 * 8).reshape(64, 8).astype(np.float16)
        self.run_ok(*SMALL, "run", *self.command(q, random_f16(1, 64, 8), v, 0), "--out",
                    "o=" + self.path("o.npy"))
        want = np.broadcast_to(v.astype(np.float32).mean(axis=0), (40, 8))
        self.assert_same_bits(self.load("o.npy"), np.ascontiguousarray(want), "mean")

    def test_large_scores_do_not_overflow(self):
        q, k, v = self.inputs(40, 70, 16)
        q, k = (q * 60).astype(np.float16), (k * 60).astype(np.float16)
        self.run_ok(*SMALL, "run", *self.command(q, k, v, 0), "--out", "o=" + self.path("o.npy"))
        np.testing.assert_allclose(self.load("o.npy"), attention.attention(q, k, v), atol=2e-3,
                                   rtol=1e-3)

    def test_clean(self):
        for shape, causal in (((70, 150, 20), 0), ((70, 70, 32), 1), ((5, 40, 8), 0)):
            for profile in ("a2", "a5"):
                for options in (("--cores", 2, "--repeat", 2), ("--cores", 1, "--jitter", 3),
                                ("--cores", 1, "-D", "ACCS=2", "-D", "LATE=3")):
                    done = ptovm("check", "-p", profile, *SMALL, *options,
                                 *self.command(*self.inputs(*shape), causal))
                    self.assertEqual((done.code, done.err), (0, ""))

    def test_illegal(self):
        q, k, v = self.inputs(4, 4, 40)
        self.assertIn("h is 1 to HEAD", self.run_bad(2, *SMALL, "run", *self.command(q, k, v, 0)))
        q, k, v = self.inputs(4, 4, 4)
        command = self.command(q, k[:0], v[:0], 0)
        self.assertIn("s1, the number of keys, has to be above 0",
                      self.run_bad(2, *SMALL, "run", *command))


if __name__ == "__main__":
    unittest.main()
