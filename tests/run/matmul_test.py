"""kernels/matmul against numpy, bit by bit; any number of cores gives the same bits."""

import unittest

import numpy as np

from harness import KernelTest, kernel, random_f16
import matmul


class Gemm(KernelTest):
    def run_gemm(self, a, b, *options, name="gemm"):
        self.run_ok(*options, "run", kernel("matmul/%s.pto" % name), "--in",
                    "a=" + self.save("a.npy", a), "--in", "b=" + self.save("b.npy", b), "--out",
                    "c=" + self.path("c.npy"))
        return self.load("c.npy")

    def check(self, m, k, n, *options):
        a, b = random_f16(m + k, m, k), random_f16(k + n, k, n)
        self.assert_same_bits(self.run_gemm(a, b, *options), matmul.gemm(a, b),
                              "%d x %d x %d %s" % (m, k, n, options))

    def test_512_768_640_with_any_number_of_cores(self):
        a, b = random_f16(1, 512, 768), random_f16(2, 768, 640)
        want = matmul.gemm(a, b)
        np.testing.assert_allclose(want, matmul.gemm_f64(a, b), rtol=1e-3, atol=1e-3)
        for cores in (1, 3, 24):
            self.assert_same_bits(self.run_gemm(a, b, "--cores", cores), want, "cores %d" % cores)

    def test_tails(self):
        for shape in ((1, 1, 1), (1, 64, 256), (17, 63, 15), (128, 65, 257), (129, 256, 256),
                      (130, 257, 300), (3, 1000, 5), (255, 31, 511)):
            self.check(*shape)

    def test_profiles(self):
        self.check(100, 100, 300, "--profile", "a5")
        self.check(40, 70, 50, "--profile", "toy", "-D", "BM=32", "-D", "BN=32", "-D", "BK=64",
                   "-D", "STEP=32")

    def test_exact_integers_match_in_any_order(self):
        rng = np.random.default_rng(9)
        a, b = (rng.integers(-2, 3, s).astype(np.float16) for s in ((70, 300), (300, 90)))
        c = self.run_gemm(a, b)
        self.assertTrue((c == matmul.gemm_f64(a, b)).all())

    def test_f16_output(self):
        a, b = random_f16(3, 130, 200), random_f16(4, 200, 70)
        c = self.run_gemm(a, b, name="gemm_f16")
        self.assert_same_bits(c, matmul.gemm(a, b).astype(np.float16))

    def test_infinity_and_cancelling(self):
        a = np.array([[65504, 65504, 1], [np.inf, 0, 0], [1, -1, 2.0 ** -24]], np.float16)
        b = np.array([[65504], [65504], [1]], np.float16)
        c = self.run_gemm(a, b)
        self.assert_same_bits(c, matmul.gemm(a, b))

    def test_nothing_to_accumulate_is_refused(self):
        err = self.run_bad(2, "run", kernel("matmul/gemm.pto"), "--set", "m=4", "--set", "n=4",
                           "--set", "k=0", "--in", "a=zeros", "--in", "b=zeros")
        self.assertIn("k is 0", err)


if __name__ == "__main__":
    unittest.main()
