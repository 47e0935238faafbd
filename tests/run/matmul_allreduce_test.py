"""kernels/fused/matmul_allreduce against the order of additions that it fixes."""

import unittest

import numpy as np

from fused_kernels import BLOCK, ORDERS, TILE, FusedTest, exact_operands, random_operands
import fused as golden

# ranks, m, k, n, cores, interval
SHAPES = ((1, 70, 20, 70, 2, 1),        # one rank: the ring goes to d
          (2, 32, 64, 32, 1, 10),       # one tile, two blocks: one for each rank
          (2, 200, 70, 100, 2, 1),      # many rounds, tails
          (3, 70, 33, 50, 2, 1),        # 8 blocks for 3 ranks, the last round with 4
          (4, 1, 1, 1, 2, 1),           # one element, one owner
          (5, 100, 40, 64, 3, 2),       # 12 blocks for 5 ranks: the last owner has none
          (8, 64, 16, 300, 2, 3))       # ten tiles across: two groups of the swizzle


class MatmulAllReduce(FusedTest):
    name = "matmul_allreduce"

    def check(self, ranks, m, k, n, cores, interval, options=()):
        a, b = random_operands(ranks, m, k, n)
        got = self.run_kernel({"a": a, "b": b}, ("--cores", cores, *options), interval=interval)
        want = golden.matmul_allreduce(a, b, cores, interval, TILE, BLOCK)
        self.assert_ranks(got, [want] * ranks, str((ranks, m, k, n, cores, interval, options)))

    def test_bits(self):
        for shape in SHAPES:
            self.check(*shape)

    def test_all_cores(self):
        self.check(2, 400, 32, 256, 24, 1)

    def test_exact_integers_in_any_order(self):
        for ranks, cores, spread in ((4, 4, 1), (4, 4, 2), (3, 3, 3), (8, 2, 2)):
            a, b = exact_operands(ranks, 100, 40, 70)
            want = golden.summed(a, b).astype(np.float16)
            self.assertLessEqual(np.abs(want).max(), 2048)
            for deterministic in (0, 1):
                got = self.run_kernel({"a": a, "b": b}, ("--cores", cores), interval=2,
                                      deterministic=deterministic, spread=spread)
                self.assert_ranks(got, [want] * ranks, "%d ranks, spread %d" % (ranks, spread))

    def test_tolerance_in_both_orders(self):
        a, b = random_operands(4, 100, 200, 64)
        b = [x / np.float16(8) for x in b]      # products of size 1, for which the rule is meant
        for deterministic in (0, 1):
            got = self.run_kernel({"a": a, "b": b}, ("--cores", 3), interval=4,
                                  deterministic=deterministic)
            self.assertTrue(golden.catccos_close(got[0], golden.summed(a, b), 200))
            self.assert_ranks(got, [got[0]] * 4)

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            self.check(4, 130, 50, 100, 2, 2, options)

    def test_transposed_operands(self):
        a, b = random_operands(2, 140, 70, 50)
        want = [golden.matmul_allreduce(a, b, 2, 1, TILE, BLOCK)] * 2
        for stored in ({"trans_a": 1}, {"trans_b": 1}, {"trans_a": 1, "trans_b": 1}):
            got = self.run_kernel({"a": a, "b": b}, ("--cores", 2), interval=1, **stored)
            self.assert_ranks(got, want, str(stored))

    def test_illegal_shapes_are_refused(self):
        a, b = random_operands(3, 32, 8, 8)
        inputs = {"a": a, "b": b}
        self.refused("spread must divide", inputs, "--cores", 2, spread=2)
        self.refused("interval must be positive", inputs, "--cores", 2, interval=0)
        a, b = random_operands(2, 32, 0, 8)
        self.refused("k has to be above 0", {"a": a, "b": b}, "--cores", 2)

    def test_no_findings(self):
        for deterministic, (ranks, m, k, n, cores, interval) in enumerate(SHAPES):
            a, b = random_operands(ranks, m, k, n)
            self.assert_clean({"a": a, "b": b}, "--cores", cores, "--repeat", 2, "--slow-rank",
                              "0=3", interval=interval, deterministic=deterministic % 2)


if __name__ == "__main__":
    unittest.main()
