"""kernels/fused/matmul_dequant_reduce_scatter: exact where the order of additions cannot matter,
else within a tolerance."""

import unittest

import numpy as np

from fused_kernels import ORDERS, SMALL, FusedTest, quantised_operands
import fused as golden

# ranks, m, k, n, cores, interval
SHAPES = ((1, 70, 20, 70, 2, 1),        # one rank adds to its own accumulator only
          (2, 64, 64, 32, 2, 1),        # one tile for each
          (2, 200, 70, 100, 2, 2),      # several rounds, tails
          (3, 3, 1, 1, 1, 3),           # one element for each; most cores clear nothing
          (4, 268, 33, 40, 2, 2),       # parts of 67 rows
          (8, 8 * 40, 40, 64, 1, 8))


class MatmulDequantReduceScatter(FusedTest):
    name = "matmul_dequant_reduce_scatter"
    small = SMALL

    def scales(self, ranks, m, n):
        """Scales that keep sums of this size in the range of f16, biases of the source's size."""
        rng = np.random.default_rng([ranks, m, n])
        return ([rng.uniform(0.01, 0.1, m).astype(np.float32) for _ in range(ranks)],
                [rng.uniform(0.01, 0.1, n).astype(np.float32) for _ in range(ranks)],
                [rng.integers(-65536, 65537, n).astype(np.int32) for _ in range(ranks)])

    def result(self, a, b, bias, scale_m, scale_n, cores, interval, options=(), **shape):
        inputs = {"a": a, "b": b, "scale_m": scale_m, "scale_n": scale_n}
        if bias is not None:
            inputs["bias"] = bias
        return self.run_kernel(inputs, ("--cores", cores, *options), interval=interval,
                               **shape)

    def test_exact_in_any_order(self):
        for options, shapes in (((), SHAPES), *(((*o,), SHAPES[4:5]) for o in ORDERS)):
            for ranks, m, k, n, cores, interval in shapes:
                a, b = quantised_operands(ranks, m, min(k, 40), n, 2)
                rng = np.random.default_rng(m)
                scale_m = [rng.choice([0.5, 1], m).astype(np.float32) for _ in a]
                scale_n = [rng.choice([0.5, 1], n).astype(np.float32) for _ in a]
                bias = [rng.integers(-20, 20, n).astype(np.int32) for _ in a]
                parts = golden.matmul_dequant(a, b, bias, scale_m, scale_n)
                self.assertLessEqual(np.abs(parts).sum(0).max(), 512)   # in quarters
                got = self.result(a, b, bias, scale_m, scale_n, cores, interval, options)
                self.assert_ranks(got, golden.scattered_sum(parts),
                                  str((ranks, m, k, n, cores, interval, options)))

    def test_bits_of_one_and_two_ranks(self):
        for ranks, m, k, n, cores, interval in SHAPES[:3]:
            a, b = quantised_operands(ranks, m, k, n)
            scale_m, scale_n, bias = self.scales(ranks, m, n)
            for given in (bias, None):
                want = golden.scattered_sum(golden.matmul_dequant(a, b, given, scale_m, scale_n))
                got = self.result(a, b, given, scale_m, scale_n, cores, interval)
                self.assert_ranks(got, want, "%d ranks, bias %s" % (ranks, given is not None))
        got = self.result(a, b, None, scale_m, scale_n, 2, 1, trans_a=1, trans_b=1)
        self.assert_ranks(got, want, "transposed")

    def test_tolerance(self):
        """Every part and every addition rounds to f16 once: 2 * ranks halves of an ulp of the
        largest partial sum."""
        ranks, m, k, n = 4, 128, 100, 50
        a, b = quantised_operands(ranks, m, k, n)
        scale_m, scale_n, bias = self.scales(ranks, m, n)
        got = self.result(a, b, bias, scale_m, scale_n, 3, 4)
        exact = [(x.astype(np.float64) @ y + (r == 0) * bias[0]) * s[:, None] * t for r, (
            x, y, s, t) in enumerate(zip(a, b, scale_m, scale_n))]
        bound = 2 * ranks * 2.0 ** -11 * np.abs(exact).sum(0)
        difference = np.vstack(got).astype(np.float64) - sum(exact)
        self.assertTrue((np.abs(difference) <= bound).all())

    def test_all_cores(self):
        a, b = quantised_operands(2, 400, 32, 128)
        scale_m, scale_n, bias = self.scales(2, 400, 128)
        want = golden.scattered_sum(golden.matmul_dequant(a, b, bias, scale_m, scale_n))
        self.assert_ranks(self.result(a, b, bias, scale_m, scale_n, 24, 1), want)

    def operands(self, ranks, m, k, n):
        a, b = quantised_operands(ranks, m, k, n)
        scale_m, scale_n, bias = self.scales(ranks, m, n)
        return {"a": a, "b": b, "scale_m": scale_m, "scale_n": scale_n, "bias": bias}

    def test_illegal_shapes_are_refused(self):
        self.refused("cores * interval must be a multiple", self.operands(3, 96, 8, 8), "--cores",
                     2, interval=2)
        self.refused("m must be a multiple of the number of ranks", self.operands(3, 97, 8, 8),
                     "--cores", 3)
        self.refused("k has to be above 0", self.operands(2, 64, 0, 8), "--cores", 2)

    def test_no_findings(self):
        for ranks, m, k, n, cores, interval in SHAPES:
            self.assert_clean(self.operands(ranks, m, k, n), "--cores", cores, "--repeat", 2,
                              "--slow-rank", "0=3", interval=interval)


if __name__ == "__main__":
    unittest.main()
