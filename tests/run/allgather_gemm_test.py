"""kernels/fused/allgather_gemm: the same bits as one product of the gathered rows, in f32."""

import unittest

import numpy as np

from harness import kernel, ptovm
from fused_kernels import ORDERS, SMALL, FusedTest, exact_operands, random_operands
import matmul

# ranks, rows of a rank, k, n, cores, tiles of a chunk (None: chosen by the kernel)
SHAPES = ((1, 70, 20, 70, 2, None),     # one rank: everything stays here
          (2, 32, 64, 32, 1, 1),        # one tile, one chunk
          (2, 100, 200, 40, 2, 3),      # 4 x 4 tiles: rows and chunks do not coincide
          (3, 70, 150, 100, 3, 2),      # tails; chunks of parts of a row
          (4, 64, 300, 40, 2, None),    # chunks of 4 of 10 tiles
          (5, 1, 33, 7, 1, None),       # one row
          (8, 50, 70, 40, 2, 5))        # a chunk larger than the slice


class AllGatherGemm(FusedTest):
    name = "allgather_gemm"
    small = SMALL

    def result(self, a, b, cores, chunk, options=(), **shape):
        if chunk:
            shape["chunk"] = chunk
        return self.run_kernel({"a": a, "b": b}, ("--cores", cores, *options), ("c",), **shape)

    def check(self, ranks, m, k, n, cores, chunk, options=(), **shape):
        a, b = random_operands(ranks, m, k, n)
        gathered = np.vstack(a)
        self.assert_ranks(self.result(a, b, cores, chunk, options, **shape),
                          [matmul.gemm(gathered, y) for y in b],
                          str((ranks, m, k, n, cores, chunk, options, shape)))

    def test_bits(self):
        for shape in SHAPES:
            self.check(*shape)
        self.check(2, 300, 80, 60, 24, None)
        self.check(2, 70, 90, 50, 2, None, trans_b=1)

    def test_exact_integers(self):
        a, b = exact_operands(3, 70, 60, 50)
        self.assert_ranks(self.result(a, b, 2, None), [
            (np.vstack(a).astype(int) @ y.astype(int)).astype(np.float32) for y in b])

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            self.check(4, 70, 200, 100, 2, 2, options)

    def test_many_launches_use_both_zones(self):
        self.check(3, 70, 100, 40, 2, 2, ("--repeat", 5, "--slow-rank", "2=8"))

    def test_a_rank_without_columns_keeps_in_step(self):
        """It multiplies nothing, so nothing but the signals tells it that it may go on."""
        columns = self.save("n.npy", np.array([3, 0]))
        for options in ((), ("--slow-rank", "0=100")):
            result = ptovm("check", "-q", "--ranks", 2, "--cores", 2, "--repeat", 3, *options,
                           kernel("fused/allgather_gemm.pto"), "--set", "m=300", "--set", "k=600",
                           "--set", "n=@" + columns, "--in", "a=ones", "--in", "b=ones",
                           "--expect", "c=const:600")
            self.assertEqual((result.code, result.err), (0, ""))

    def test_illegal_shapes_are_refused(self):
        a, b = random_operands(2, 32, 8, 8)
        self.refused("a chunk has at least one tile", {"a": a, "b": b}, "--cores", 2, chunk=-1)
        a, b = random_operands(2, 32, 0, 8)
        self.refused("m and k have to be above 0", {"a": a, "b": b}, "--cores", 2)

    def test_no_findings(self):
        for ranks, m, k, n, cores, chunk in SHAPES:
            a, b = random_operands(ranks, m, k, n)
            self.assert_clean({"a": a, "b": b}, "--cores", cores, "--repeat", 3, "--slow-rank",
                              "0=3", **({"chunk": chunk} if chunk else {}))


if __name__ == "__main__":
    unittest.main()
