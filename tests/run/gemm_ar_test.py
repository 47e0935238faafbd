"""kernels/fused/gemm_ar: exact where the order of additions cannot matter, else within the
tolerance of the source."""

import unittest

import numpy as np

from fused_kernels import ORDERS, READERS, FusedTest, exact_operands, random_operands
import fused as golden

# ranks, m, k, n, cores, comm
SHAPES = ((1, 70, 20, 70, 2, 0),        # one rank: nothing is sent
          (2, 128, 64, 64, 2, 0),       # 8 tiles for 2 cores and 2 ranks
          (2, 200, 70, 100, 3, 1),      # 28 tiles for 3 cores; one core drains three queues
          (3, 70, 33, 50, 2, 2),        # 6 tiles, sub-tiles of 6 rows and of none
          (3, 1, 1, 1, 2, 0),           # one tile: two ranks own nothing, one core makes nothing
          (5, 100, 40, 100, 4, 3),      # 16 tiles: neither by 5 ranks nor by 3 cores
          (8, 64, 16, 96, 3, 2))


AS_SOURCE = ("-D", "AS_SOURCE=1")


class GemmAllReduce(FusedTest):
    name = "gemm_ar"
    stored = {"trans_b": 1}

    def result(self, a, b, cores, comm, options=(), **shape):
        c = self.run_kernel({"a": a, "b": b}, ("--cores", cores, *options), ("c",), comm=comm,
                            **shape)
        self.assert_ranks(c, [c[0]] * len(c), "the same bits on all ranks")
        return c[0]

    def check_exact(self, ranks, m, k, n, cores, comm, options=()):
        a, b = exact_operands(ranks, m, k, n)
        want = golden.summed(a, b).astype(np.float16)
        self.assertLessEqual(np.abs(want).max(), 2048)
        self.assert_same_bits(self.result(a, b, cores, comm, options), want,
                              str((ranks, m, k, n, cores, comm, options)))

    def test_exact_integers(self):
        for shape in SHAPES:
            for options in ((), AS_SOURCE):
                self.check_exact(*shape, options)

    def test_product_alone(self):
        """Nothing is added or sent: c is as it began."""
        a, b = exact_operands(2, 130, 20, 100)
        self.assertTrue((self.result(a, b, 3, 0) != 0).any())
        self.assertFalse(self.result(a, b, 3, 0, ("-D", "ALONE=1")).any())

    def test_all_cores(self):
        self.check_exact(2, 320, 16, 160, 24, 0)
        self.check_exact(2, 160, 16, 96, 24, 23)        # more cores than tiles

    def test_bits_of_one_and_two_ranks(self):
        a, b = random_operands(1, 130, 200, 70)
        self.assert_same_bits(self.result(a, b, 3, 2), golden.product(a[0], b[0]))
        a, b = random_operands(2, 130, 200, 70)
        # Each is added to zero; the order of two makes no difference.
        want = sum(golden.products(a, b), np.float16(0))
        for options in ((), *ORDERS):
            self.assert_same_bits(self.result(a, b, 3, 2, options), want, str(options))
        for stored in ({"trans_b": 0}, {"trans_a": 1}):
            self.assert_same_bits(self.result(a, b, 2, 0, **stored), want, str(stored))

    def test_tolerance(self):
        """The source: absolute 1, relative 1e-2, one element of a hundred may miss it. None does,
        and the stricter rule of hicann/catccos holds, too, for products of size 1."""
        a, b = random_operands(5, 100, 300, 70)
        want = golden.summed(a, b)
        np.testing.assert_allclose(self.result(a, b, 2, 0), want, atol=1, rtol=1e-2)
        b = [x / np.float16(8) for x in b]
        self.assertTrue(golden.catccos_close(self.result(a, b, 2, 0), want / 8, 300))

    def test_other_orders_of_events_change_nothing(self):
        for options in ORDERS:
            self.check_exact(4, 130, 20, 100, 2, 0, options)
            self.check_exact(3, 40, 20, 40, 3, 1, (*options, *AS_SOURCE))

    def test_five_launches_use_both_zones(self):
        for repeat in (2, 5):
            for options in ((), AS_SOURCE):
                self.check_exact(3, 100, 20, 70, 2, 0, ("--repeat", repeat, "--slow-rank", "2=8",
                                                        *options))

    def test_illegal_configurations_are_refused(self):
        a, b = random_operands(2, 32, 8, 8)
        inputs = {"a": a, "b": b}
        self.refused("comm is 0 to the number", inputs, "--cores", 2, comm=3)
        self.refused("comm is 0 to the number", inputs, "--cores", 2, comm=-1)
        err = self.run_bad(1, "run", *self.arguments(inputs, ("--cores", 3, "-D", "QUEUES=2"),
                                                     {"comm": 1}))
        self.assertIn("too few cores communicate", err)
        a, b = random_operands(2, 64, 8, 64)
        err = self.run_bad(1, "run", *self.arguments({"a": a, "b": b}, (
            "--cores", 1, "-D", "SUBTILES=2"), {}))
        self.assertIn("too many sub-tiles", err)
        a, b = random_operands(2, 32, 0, 8)
        self.refused("k has to be above 0", {"a": a, "b": b}, "--cores", 2)

    def test_no_findings(self):
        for ranks, m, k, n, cores, comm in SHAPES:
            a, b = random_operands(ranks, m, k, n)
            for options in ((), AS_SOURCE):
                self.assert_clean({"a": a, "b": b}, "--cores", cores, "--repeat", 3, "--slow-rank",
                                  "0=3", *options, comm=comm)


class ReadBehind(FusedTest):
    """The next kernel may read c at once, and nobody overwrites it meanwhile."""

    name = "gemm_ar"
    small = ()      # -D would have to fit both texts
    stored = {"trans_b": 1}
    then = (READERS + ":read_c",)

    def test_results_are_complete(self):
        for ranks in (2, 3):
            a, b = exact_operands(ranks, 300, 40, 50)
            want = [golden.summed(a, b).astype(np.float16)] * ranks
            for options in ((), ("--slow-rank", "0=9"), ("--slow-rank", "1=9", "--repeat", 3)):
                seen = self.run_kernel({"a": a, "b": b}, ("--cores", 2, *options), ("seen",))
                self.assert_ranks(seen, want, str(options))
            self.assert_clean({"a": a, "b": b}, "--cores", 2, "--repeat", 3, "--slow-rank", "0=3")


if __name__ == "__main__":
    unittest.main()
