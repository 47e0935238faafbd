"""kernels/fused/gemm_rs and ag_gemm: bf16, transposed weights and bias, bit by bit, and the shapes
and tolerance of the public problems."""

import unittest

import numpy as np

from fused_kernels import BLOCK, ORDERS, TILE, FusedTest
import fused as golden
import matmul


class Bf16Test(FusedTest):
    stored = {"trans_b": 1}
    types = {"a": ":bf16", "b": ":bf16"}

    def operands(self, ranks, m, k, n, biased, same_bias):
        """a, b as f32 arrays of bf16 values, bias (None: no bias), and what ptovm is given. Data
        as in the problem: uniform from -0.01 to 0.01."""
        rng = np.random.default_rng([ranks, m, k, n])
        a, b = ([golden.bf16(rng.uniform(-0.01, 0.01, shape)) for _ in range(ranks)]
                for shape in ((m, k), (k, n)))
        bias = [golden.bf16(rng.uniform(-0.01, 0.01, n)) for _ in range(ranks)]
        if same_bias:
            bias = bias[:1] * ranks
        inputs = {"a": [golden.bf16_bits(x) for x in a], "b": [golden.bf16_bits(y) for y in b]}
        if biased:
            inputs["bias"] = bias
        return a, b, bias if biased else [None] * ranks, inputs


class GemmRs(Bf16Test):
    name = "gemm_rs"

    def check(self, ranks, m, k, n, biased, cores=2, interval=1, options=()):
        a, b, bias, inputs = self.operands(ranks, m, k, n, biased, True)
        got = self.run_kernel(inputs, ("--cores", cores, *options), interval=interval)
        want = golden.gemm_rs(a, b, bias[0], cores, interval, TILE, BLOCK)
        self.assert_ranks(got, [golden.bf16_bits(x) for x in want],
                          str((ranks, m, k, n, biased, cores, interval, options)))
        exact = golden.summed(a, b) + (ranks * bias[0].astype(float) if biased else 0)
        values = (np.vstack(got).astype(np.uint32) << 16).view(np.float32)
        np.testing.assert_allclose(values, exact, rtol=1e-2, atol=1e-2)

    def test_bits(self):
        for ranks, m, k, n, cores, interval in ((1, 40, 20, 70, 2, 1), (2, 140, 70, 50, 2, 1),
                                                (3, 111, 130, 40, 3, 1), (8, 64, 45, 45, 1, 8)):
            for biased in (True, False):
                self.check(ranks, m, k, n, biased, cores, interval)

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            self.check(4, 132, 70, 50, True, 2, 2, options)

    def test_the_bias_counts_once_for_each_rank(self):
        ones = np.ones(8, np.float32)
        zeros = np.zeros((4, 8), np.uint16)
        got = self.run_kernel({"a": [zeros] * 4, "b": [zeros.T] * 4, "bias": [ones[:4]] * 4},
                              ("--cores", 4), interval=1)
        self.assert_ranks(got, [np.full((1, 4), 0x4080, np.uint16)] * 4)     # 4.0

    def test_no_findings(self):
        for biased in (True, False):
            for k in (40, 150):
                inputs = self.operands(2, 140, k, 50, biased, True)[3]
                self.assert_clean(inputs, "--cores", 2, "--repeat", 2, "--slow-rank", "0=3",
                                  interval=1)


class AgGemm(Bf16Test):
    name = "ag_gemm"

    def check(self, ranks, m, k, n, biased, cores=2, interval=1, options=()):
        a, b, bias, inputs = self.operands(ranks, m, k, n, biased, False)
        c = self.run_kernel(inputs, ("--cores", cores, *options), ("c",), interval=interval)
        gathered = np.vstack(a)
        self.assert_ranks(c, [golden.bf16_bits(golden.bf16(matmul.gemm(gathered, y, z)))
                              for y, z in zip(b, bias)],
                          str((ranks, m, k, n, biased, cores, interval, options)))

    def test_bits(self):
        for ranks, m, k, n, cores, interval in ((1, 40, 20, 70, 2, 1), (2, 70, 70, 50, 2, 1),
                                                (3, 37, 130, 40, 3, 2), (8, 8, 45, 45, 1, 1)):
            for biased in (True, False):
                self.check(ranks, m, k, n, biased, cores, interval)

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            self.check(4, 70, 70, 50, True, 2, 1, options)

    def test_no_findings(self):
        for biased in (True, False):
            inputs = self.operands(2, 70, 150, 50, biased, False)[3]
            self.assert_clean(inputs, "--cores", 2, "--repeat", 2, "--slow-rank", "0=3", interval=1)


if __name__ == "__main__":
    unittest.main()
