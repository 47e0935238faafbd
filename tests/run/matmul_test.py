"""kernels/matmul against numpy, bit by bit; any number of cores gives the same bits."""

import os
import unittest

import numpy as np

from harness import SOURCE, KernelTest, kernel, random_f16, random_f32
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
        self.assertIn("k has to be above 0", err)


class Types(KernelTest):
    """Other types of operands, and operands that are stored transposed."""

    def check(self, name, a, b, want, suffix=""):
        path = os.path.join(SOURCE, "tests", "run", "kernels", "gemm_types.pto")
        (m, k), n = a.shape, b.shape[1]
        for trans_a in (0, 1):
            for trans_b in (0, 1):
                files = (self.save("a.npy", np.ascontiguousarray(a.T if trans_a else a)),
                         self.save("b.npy", np.ascontiguousarray(b.T if trans_b else b)))
                for options in (("--cores", 3), ("--profile", "a5")):
                    self.run_ok(*options, "run", "%s:%s" % (path, name), "--set", "m=%d" % m,
                                "--set", "k=%d" % k, "--set", "n=%d" % n, "--set",
                                "trans_a=%d" % trans_a, "--set", "trans_b=%d" % trans_b, "--in",
                                "a=%s%s" % (files[0], suffix), "--in", "b=%s%s" % (
                                    files[1], suffix), "--out", "c=" + self.path("c.npy"))
                    self.assert_same_bits(self.load("c.npy"), want, "%s, transposed %d %d" % (
                        name, trans_a, trans_b))

    def test_bf16(self):
        """Products of bf16 are exact in f32, so the sums are those of matmul.gemm."""
        a, b = ((random_f32(seed, *shape).view(np.uint32) >> 16).astype(np.uint16)
                for seed, shape in ((1, (130, 300)), (2, (300, 40))))
        wide_a, wide_b = ((x.astype(np.uint32) << 16).view(np.float32) for x in (a, b))
        self.check("gemm_bf16", a, b, matmul.gemm(wide_a, wide_b), ":bf16")

    def test_i8(self):
        rng = np.random.default_rng(3)
        a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((130, 300), (300, 40)))
        self.check("gemm_i8", a, b, a.astype(np.int32) @ b.astype(np.int32))


if __name__ == "__main__":
    unittest.main()
