"""kernels/attention/ring_attention against the untiled formula over the whole sequence, with the
tolerance of flash_attention."""

import unittest

import numpy as np

from harness import KernelTest, kernel, ptovm, random_f16
from flash_attention_test import SMALL
import attention


class RingAttention(KernelTest):
    maxDiff = None

    def inputs(self, ranks, s0, s1, h):
        make = lambda seed, *shape: [random_f16(seed + r, *shape) for r in range(ranks)]
        return make(10, s0, h), make(40, s1, h), make(70, s1, h)

    def command(self, q, k, v, causal):
        return [kernel("attention/ring_attention.pto"), "--set", "causal=%d" % causal] + [
            word for name, arrays in (("q", q), ("k", k), ("v", v))
            for word in ("--in", "%s=%s" % (name, self.save_ranks(name, arrays)))]

    def check(self, ranks, s0, s1, h, *options, causal=False):
        q, k, v = self.inputs(ranks, s0, s1, h)
        self.run_ok("--ranks", ranks, *SMALL, *options, "run", *self.command(q, k, v, causal),
                    "--out", "o=" + self.path("o_{rank}.npy"))
        want = attention.ring_attention(q, k, v, causal)
        got = self.load_ranks("o", ranks)
        for rank in range(ranks):
            np.testing.assert_allclose(got[rank], want[rank], atol=1e-3, rtol=1e-3,
                                       err_msg="rank %d of %d" % (rank, ranks))
        return got

    def test_ranks(self):
        for ranks in (1, 2, 3, 5, 8):
            for causal in (False, True):
                self.check(ranks, 50, 50, 20, "--cores", 2, causal=causal)

    def test_without_the_link_between_0_and_1(self):
        self.check(5, 40, 40, 16, "--link-down", "0-1", "--cores", 2, causal=True)

    def test_tails_and_idle_cores(self):
        for s0, s1, h in ((1, 1, 1), (33, 70, 32), (64, 5, 8), (0, 9, 4)):
            self.check(3, s0, s1, h, "--cores", 3)
        self.check(2, 40, 40, 32, causal=True)

    def test_repeated(self):
        first = self.check(4, 40, 40, 16, "--cores", 2, causal=True)
        for options in (("--slow-rank", "1=20"), ("--slow-rank", "3=6", "--jitter", 3),
                        ("--jitter", 4), ("-p", "a5")):
            again = self.check(4, 40, 40, 16, "--cores", 2, "--repeat", 3, *options, causal=True)
            for rank in range(4):
                self.assert_same_bits(again[rank], first[rank], options)

    def test_clean(self):
        for ranks, causal, options in ((3, 1, ("--cores", 2)), (2, 0, ("--cores", 1)),
                                       (5, 0, ("--cores", 2, "--jitter", 3)), (1, 1, ())):
            command = self.command(*self.inputs(ranks, 30, 30, 20), causal)
            for profile in ("a2", "a5"):
                done = ptovm("check", "--ranks", ranks, "--repeat", 2, "-p", profile, *SMALL,
                             *options, *command)
                self.assertEqual((done.code, done.err), (0, ""))

    def test_illegal(self):
        command = self.command(*self.inputs(2, 70, 30, 20), 0)
        self.assertIn("a core keeps one block of queries",
                      self.run_bad(2, "--ranks", 2, *SMALL, "--cores", 2, "run", *command))
        command = self.command(*self.inputs(2, 20, 30, 20), 1)
        self.assertIn("needs s0 = s1", self.run_bad(2, "--ranks", 2, *SMALL, "run", *command))


if __name__ == "__main__":
    unittest.main()
