"""kernels/fused/alltoall_matmul and matmul_alltoall: no sum crosses the ranks, so the bits are
always those of single products."""

import unittest

from fused_kernels import ORDERS, READERS, FusedTest, random_operands
import fused as golden

PRODUCT = ("-D", "BM=32", "-D", "BN=32", "-D", "BK=64", "-D", "STEP=32")

# ranks, rows for each rank, k, n, cores, interval
GATHERED = ((1, 70, 20, 70, 2, 1), (2, 100, 70, 40, 2, 1), (3, 37, 33, 100, 2, 3),
            (5, 1, 1, 7, 1, 1), (8, 40, 50, 33, 3, 1))

# ranks, m, k, n, cores, by columns
SCATTERED = ((1, 70, 20, 70, 2, 0), (1, 70, 20, 70, 2, 1), (2, 140, 70, 50, 2, 0),
             (2, 70, 70, 140, 2, 1), (3, 3, 1, 5, 2, 0), (5, 40, 33, 35, 1, 1),
             (8, 8 * 40, 20, 40, 3, 0))


class AllToAllMatmul(FusedTest):
    name = "alltoall_matmul"

    def operands(self, ranks, m, k, n):
        a, b = random_operands(ranks, ranks * m, k, n)
        return {"a": a, "b": b}

    def check(self, ranks, m, k, n, cores, interval, options=(), **shape):
        inputs = self.operands(ranks, m, k, n)
        c = self.run_kernel(inputs, ("--cores", cores, *options), ("c",), m=m, interval=interval,
                            **shape)
        self.assert_ranks(c, golden.alltoall_matmul(inputs["a"], inputs["b"]),
                          str((ranks, m, k, n, cores, interval, options, shape)))

    def test_bits(self):
        for shape in GATHERED:
            self.check(*shape)
        self.check(2, 200, 40, 60, 24, 2)
        self.check(4, 66, 40, 50, 4, 1, spread=2, trans_b=1)

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            self.check(4, 66, 70, 50, 2, 1, options)

    def test_illegal_shapes_are_refused(self):
        self.refused("k has to be above 0", self.operands(2, 8, 0, 8), "--cores", 2, m=8)
        self.refused("interval must be positive", self.operands(2, 8, 8, 8), "--cores", 2, m=8,
                     interval=0)

    def test_no_findings(self):
        for ranks, m, k, n, cores, interval in GATHERED:
            self.assert_clean(self.operands(ranks, m, k, n), "--cores", cores, "--repeat", 2,
                              "--slow-rank", "0=3", m=m, interval=interval)


class MatmulAllToAll(FusedTest):
    name = "matmul_alltoall"
    small = PRODUCT

    def check(self, ranks, m, k, n, cores, by_cols, options=(), **shape):
        a, b = random_operands(ranks, m, k, n)
        d = self.run_kernel({"a": a, "b": b}, ("--cores", cores, *options), by_cols=by_cols,
                            **shape)
        self.assert_ranks(d, golden.matmul_alltoall(a, b, by_cols),
                          str((ranks, m, k, n, cores, by_cols, options, shape)))

    def test_bits(self):
        for shape in SCATTERED:
            self.check(*shape)
        self.check(2, 200, 40, 60, 24, 0)
        self.check(2, 70, 40, 60, 2, 1, trans_a=1, trans_b=1)

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            for by_cols in (0, 1):
                self.check(4, 132, 70, 84, 2, by_cols, options)

    def test_illegal_shapes_are_refused(self):
        a, b = random_operands(2, 33, 8, 33)
        inputs = {"a": a, "b": b}
        self.refused("m must be a multiple of the number of ranks", inputs, "--cores", 2)
        self.refused("n must be a multiple of the number of ranks", inputs, "--cores", 2, by_cols=1)
        self.refused("by_cols is 0 or 1", inputs, "--cores", 2, by_cols=2)
        a, b = random_operands(2, 32, 0, 8)
        self.refused("k has to be above 0", {"a": a, "b": b}, "--cores", 2)

    def test_no_findings(self):
        for ranks, m, k, n, cores, by_cols in SCATTERED:
            a, b = random_operands(ranks, m, k, n)
            self.assert_clean({"a": a, "b": b}, "--cores", cores, "--repeat", 3, "--slow-rank",
                              "0=3", by_cols=by_cols)


class ReadBehind(FusedTest):
    """The next kernel may read d at once, and nobody overwrites it meanwhile."""

    name = "matmul_alltoall"
    small = ()      # -D would have to fit both texts
    then = (READERS + ":read_d",)

    def test_results_are_complete(self):
        for ranks in (2, 3):
            a, b = random_operands(ranks, ranks * 140, 40, 50)
            want = golden.matmul_alltoall(a, b, 0)
            for options in ((), ("--slow-rank", "0=9"), ("--slow-rank", "1=9", "--repeat", 3)):
                seen = self.run_kernel({"a": a, "b": b}, ("--cores", 2, *options), ("seen",))
                self.assert_ranks(seen, want, str(options))
            self.assert_clean({"a": a, "b": b}, "--cores", 2, "--repeat", 3, "--slow-rank", "0=3")


if __name__ == "__main__":
    unittest.main()
