"""kernels/fused/matmul_reduce_scatter against the order of additions that it fixes."""

import unittest

import numpy as np

from fused_kernels import BLOCK, ORDERS, TILE, FusedTest, exact_operands, random_operands
import fused as golden


class MatmulReduceScatter(FusedTest):
    name = "matmul_reduce_scatter"

    def check(self, ranks, m, k, n, cores=2, interval=1, options=()):
        a, b = random_operands(ranks, m, k, n)
        got = self.run_kernel({"a": a, "b": b}, ("--cores", cores, *options), interval=interval)
        want = golden.matmul_reduce_scatter(a, b, cores, interval, TILE, BLOCK)
        self.assert_ranks(got, want, "%s" % ((ranks, m, k, n, cores, interval, options),))
        return a, b, got

    def test_bits(self):
        for ranks, m, k, n, cores, interval in (
                (1, 40, 20, 70, 2, 1),          # nobody to pull from, yet flags and rounds
                (2, 64, 64, 32, 2, 1),          # one tile for each: fewer rounds than stages
                (2, 128, 64, 96, 2, 1),         # six rounds
                (2, 192, 70, 100, 3, 2),        # tails of k and n
                (3, 3 * 37, 33, 50, 3, 1),      # 37 rows: the last tile and block are short
                (3, 3, 1, 1, 1, 3),             # one element for each
                (4, 256, 96, 300, 2, 4),        # ten tiles across: two groups of the swizzle
                (5, 5 * 40, 64, 64, 5, 1),
                (8, 8 * 32, 40, 64, 1, 8),      # one core
                (8, 8 * 70, 16, 33, 8, 3)):     # rounds of three tiles, the last one short
            self.check(ranks, m, k, n, cores, interval)

    def test_all_cores(self):
        self.check(2, 400, 32, 128, cores=24, interval=1)

    def test_exact_integers_in_any_order(self):
        for ranks, m, n, cores, spread in ((4, 256, 96, 4, 1), (4, 256, 96, 4, 2),
                                           (4, 188, 50, 4, 4), (3, 96, 96, 3, 1),
                                           (8, 512, 64, 8, 4), (2, 70, 10, 2, 2)):
            a, b = exact_operands(ranks, m, 40, n)
            want = np.split(golden.summed(a, b).astype(np.float16), ranks)
            self.assertLessEqual(max(np.abs(w).max() for w in want), 2048)
            for deterministic in (0, 1):
                got = self.run_kernel({"a": a, "b": b}, ("--cores", cores), interval=2,
                                      deterministic=deterministic, spread=spread)
                self.assert_ranks(got, want, "%d ranks, spread %d" % (ranks, spread))

    def test_tolerance_in_both_orders(self):
        a, b = random_operands(4, 128, 200, 64)
        b = [x / np.float16(8) for x in b]      # products of size 1, for which the rule is meant
        for deterministic in (0, 1):
            got = np.vstack(self.run_kernel({"a": a, "b": b}, ("--cores", 3), interval=4,
                                            deterministic=deterministic))
            self.assertTrue(golden.catccos_close(got, golden.summed(a, b), 200))

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            self.check(4, 256, 70, 100, 2, 2, options)

    def test_transposed_operands(self):
        a, b = random_operands(2, 140, 70, 50)
        want = golden.matmul_reduce_scatter(a, b, 2, 1, TILE, BLOCK)
        for stored in ({"trans_a": 1}, {"trans_b": 1}, {"trans_a": 1, "trans_b": 1}):
            got = self.run_kernel({"a": a, "b": b}, ("--cores", 2), interval=1, **stored)
            self.assert_ranks(got, want, str(stored))

    def test_illegal_shapes_are_refused(self):
        a, b = random_operands(3, 96, 8, 8)
        inputs = {"a": a, "b": b}
        self.refused("cores * interval must be a multiple of the number of ranks", inputs,
                     "--cores", 2, interval=2)
        self.refused("spread must divide", inputs, "--cores", 3, interval=1, spread=2)
        a, b = random_operands(3, 97, 8, 8)
        self.refused("m must be a multiple of the number of ranks", {"a": a, "b": b}, "--cores", 3)
        a, b = random_operands(2, 64, 0, 8)
        self.refused("k has to be above 0", {"a": a, "b": b}, "--cores", 2)

    def test_no_findings(self):
        for ranks, m, cores, interval, deterministic in (
                (1, 70, 2, 1, 1), (2, 256, 2, 1, 1), (3, 111, 3, 2, 0), (5, 400, 1, 5, 1),
                (8, 256, 2, 4, 0)):
            a, b = random_operands(ranks, m, 40, 50)
            self.assert_clean({"a": a, "b": b}, "--cores", cores, "--repeat", 2, "--slow-rank",
                              "0=3", interval=interval, deterministic=deterministic)


if __name__ == "__main__":
    unittest.main()
