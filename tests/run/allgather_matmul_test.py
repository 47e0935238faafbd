"""kernels/fused/allgather_matmul*: the same bits as one product of the gathered rows."""

import json
import unittest

import numpy as np

from fused_kernels import (ORDERS, FusedTest, exact_operands, quantised_operands,
                           random_operands)
import ffn_int8
import fused as golden

# ranks, rows of a rank, k, n, cores, interval
SHAPES = ((1, 70, 20, 70, 2, 1),        # one rank: everything stays here
          (2, 32, 64, 32, 1, 3),        # one tile of rows: one round, fewer than stages
          (2, 128, 1, 16, 2, 1),        # k = 1; four rounds
          (2, 21, 300, 40, 2, 3),       # one tile that is not full
          (3, 70, 50, 100, 3, 1),       # a block of 6 rows at the end
          (4, 133, 77, 40, 2, 2),       # odd k; the second round is longer than the third
          (5, 1, 33, 7, 1, 3),          # one row
          (8, 50, 40, 300, 2, 1))       # ten tiles across: two groups of the swizzle


class AllGatherMatmul(FusedTest):
    name = "allgather_matmul"

    def check(self, ranks, m, k, n, cores, interval, options=(), make=random_operands, **shape):
        a, b = make(ranks, m, k, n)
        c, gathered = self.run_kernel({"a": a, "b": b}, ("--cores", cores, *options),
                                      ("c", "gathered"), interval=interval, gather=1, **shape)
        what = str((ranks, m, k, n, cores, interval, options, shape))
        self.assert_ranks(gathered, [np.vstack(a)] * ranks, what)
        self.assert_ranks(c, golden.allgather_matmul(a, b), what)

    def test_bits(self):
        for shape in SHAPES:
            self.check(*shape)

    def test_exact_integers(self):
        a, b = exact_operands(3, 70, 60, 50)
        c = self.run_kernel({"a": a, "b": b}, ("--cores", 2), ("c",))
        self.assertLessEqual(max(np.abs(x).max() for x in c), 2048)
        self.assert_ranks(c, [(np.vstack(a).astype(int) @ y.astype(int)).astype(np.float16)
                              for y in b])

    def test_nothing_is_gathered_unless_asked_for(self):
        a, b = random_operands(2, 40, 30, 20)
        c, gathered = self.run_kernel({"a": a, "b": b}, ("--cores", 2), ("c", "gathered"))
        self.assert_ranks(c, golden.allgather_matmul(a, b))
        self.assertEqual([g.shape for g in gathered], [(0, 30)] * 2)

    def test_all_cores(self):
        self.check(2, 300, 40, 60, 24, 2)

    def test_transposed(self):
        self.check(2, 70, 90, 50, 2, 1, trans_b=1)

    def test_spread(self):
        self.check(4, 133, 30, 40, 4, 2, spread=2)
        self.check(4, 133, 30, 40, 4, 2, spread=4)
        self.check(2, 70, 90, 50, 2, 1, trans_b=1)

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            self.check(4, 133, 50, 100, 2, 1, options)

    def test_illegal_shapes_are_refused(self):
        a, b = random_operands(3, 32, 8, 8)
        inputs = {"a": a, "b": b}
        self.refused("spread must divide", inputs, "--cores", 2, spread=2)
        self.refused("spread must be positive", inputs, "--cores", 2, spread=0)
        self.refused("interval must be positive", inputs, "--cores", 2, interval=0)
        self.refused("trans_b are 0 (stored as it is read) or 1", inputs, "--cores", 2, trans_b=2)
        self.refused("gather is 0 or 1", inputs, "--cores", 2, gather=2)
        a, b = random_operands(2, 32, 0, 8)
        self.refused("k has to be above 0", {"a": a, "b": b}, "--cores", 2)

    def test_no_findings(self):
        for ranks, m, k, n, cores, interval in SHAPES:
            a, b = random_operands(ranks, m, k, n)
            self.assert_clean({"a": a, "b": b}, "--cores", cores, "--repeat", 2, "--slow-rank",
                              "0=3", interval=interval, gather=1)


class AllGatherMatmulGet(FusedTest):
    """The form in which every rank reads the rows of the others."""

    name = "allgather_matmul_get"

    def check(self, ranks, m, k, n, cores, interval, options=(), **shape):
        a, b = random_operands(ranks, m, k, n)
        c = self.run_kernel({"a": a, "b": b}, ("--cores", cores, *options), ("c",),
                            interval=interval, **shape)
        self.assert_ranks(c, golden.allgather_matmul(a, b),
                          str((ranks, m, k, n, cores, interval, options, shape)))

    def test_bits(self):
        for shape in SHAPES:
            self.check(*shape)
        self.check(2, 300, 40, 60, 24, 2)
        self.check(4, 133, 30, 40, 4, 2, spread=4)
        self.check(2, 70, 90, 50, 2, 1, trans_b=1)

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            self.check(4, 133, 50, 100, 2, 1, options)

    def test_a_slow_rank_holds_nobody_up(self):
        """Ranks do not wait for each other: they end long before a slow one, which only answers
        slowly."""
        a, b = random_operands(3, 64, 40, 40)
        arguments = self.arguments({"a": a, "b": b}, ("--cores", 2, "--slow-rank", "2=100"), {})
        report = json.loads(self.run_ok("run", "--json", *arguments).out)
        ends = [rank["end_ps"] for rank in report["per_rank"]]
        self.assertLess(4 * max(ends[:2]), ends[2])

    def test_illegal_shapes_are_refused(self):
        a, b = random_operands(3, 32, 8, 8)
        self.refused("spread must divide", {"a": a, "b": b}, "--cores", 2, spread=2)
        a, b = random_operands(2, 32, 0, 8)
        self.refused("k has to be above 0", {"a": a, "b": b}, "--cores", 2)

    def test_no_findings(self):
        for ranks, m, k, n, cores, interval in SHAPES:
            a, b = random_operands(ranks, m, k, n)
            self.assert_clean({"a": a, "b": b}, "--cores", cores, "--repeat", 2, "--slow-rank",
                              "0=3", interval=interval)


class AllGatherMatmulDequant(FusedTest):
    """Integers, scaled back to f16. No sum of floats anywhere: always the same bits."""

    name = "allgather_matmul_dequant"

    def operands(self, ranks, m, k, n, biased=True):
        a, b = quantised_operands(ranks, m, k, n)
        rng = np.random.default_rng([ranks, m, k, n])
        inputs = {"a": a, "b": b,
                  "scale_n": [rng.uniform(0.01, 0.1, n).astype(np.float32) for _ in a]}
        if biased:
            inputs["bias"] = [rng.integers(-65536, 65537, n).astype(np.int32) for _ in a]
        return inputs

    def check(self, ranks, m, k, n, cores, interval, options=(), biased=True, **shape):
        inputs = self.operands(ranks, m, k, n, biased)
        got = self.run_kernel(inputs, ("--cores", cores, *options), interval=interval,
                              **shape)
        gathered = np.vstack(inputs["a"])
        want = [golden.dequantised(gathered, inputs["b"][r], inputs["bias"][r] if biased else None,
                                   None, inputs["scale_n"][r]) for r in range(ranks)]
        self.assert_ranks(got, want, str((ranks, m, k, n, cores, interval, options, biased)))

    def test_bits(self):
        for shape in SHAPES:
            self.check(*shape)
        for shape in SHAPES[::3]:
            self.check(*shape, biased=False)
        self.check(2, 70, 90, 50, 2, 1, trans_b=1)
        self.check(2, 300, 40, 60, 24, 2)

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            self.check(4, 133, 50, 100, 2, 1, options)

    def test_illegal_shapes_are_refused(self):
        self.refused("interval must be positive", self.operands(2, 32, 8, 8), "--cores", 2,
                     interval=0)
        self.refused("k has to be above 0", self.operands(2, 32, 0, 8), "--cores", 2)

    def test_no_findings(self):
        for ranks, m, k, n, cores, interval in SHAPES[::2]:
            self.assert_clean(self.operands(ranks, m, k, n), "--cores", cores, "--repeat", 2,
                              "--slow-rank", "0=3", interval=interval)


class AllGatherMatmulScaled(AllGatherMatmulDequant):
    """Scaled on the way out of L0C, by what FIX takes of a scale."""

    name = "allgather_matmul_scaled"

    def operands(self, ranks, m, k, n, biased=False):
        return super().operands(ranks, m, k, n, biased=False)

    def check(self, ranks, m, k, n, cores, interval, options=(), biased=False, **shape):
        inputs = self.operands(ranks, m, k, n)
        got = self.run_kernel(inputs, ("--cores", cores, *options), interval=interval, **shape)
        gathered = np.vstack(inputs["a"])
        want = [ffn_int8.product(gathered, b, scale)
                for b, scale in zip(inputs["b"], inputs["scale_n"])]
        self.assert_ranks(got, want, str((ranks, m, k, n, cores, interval, options)))

    def test_the_all_gather_alone(self):
        inputs = self.operands(3, 100, 40, 0)
        got = self.run_kernel(inputs, ("--cores", 2))
        self.assert_ranks(got, [np.zeros((300, 0), np.float16)] * 3)


if __name__ == "__main__":
    unittest.main()
