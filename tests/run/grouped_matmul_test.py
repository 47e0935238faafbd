"""kernels/moe/alltoallv_grouped_matmul and grouped_matmul_alltoallv, bit by bit."""

import unittest

import numpy as np

from harness import KernelTest, kernel, ptovm, random_f16
import grouped

SMALL = ("-D", "BM=32", "-D", "BN=32", "-D", "BK=64", "-D", "STEP=32", "-D", "ROWS=4", "-D",
         "COLS=64")


def uneven(ranks, experts, most, seed):
    """Counts with empty experts and empty sources among them."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, most + 1, (ranks, experts))
    counts[:, rng.integers(experts)] = 0
    return counts


class GroupedTests:
    """Tests of both directions; a class with KernelTest adds the kernel and its golden."""

    def operands(self, counts, k, n, ep, integers):
        """(a, b) of every rank; a is filled up to the same number of rows everywhere."""
        ranks, experts = counts.shape
        sizes = self.rows_of(counts, ep)
        if integers:
            make = lambda seed, *shape: np.random.default_rng(seed).integers(
                -2, 3, shape).astype(np.float16)
        else:
            make = random_f16
        a = [make(10 + r, self.capacity(sizes), k) for r in range(ranks)]
        b = [make(90 + r % ep, experts // ep, k, n) for r in range(ranks)]
        return a, b

    def capacity(self, sizes):
        return max(max(sizes), 1)

    def command(self, counts, k, n, ep, integers=False):
        a, b = self.operands(counts, k, n, ep, integers)
        self.a, self.b = a, b
        return ["run", kernel(self.name), "--set", "ep=%d" % ep, "--in",
                "a=" + self.save_ranks("a", a), "--in", "b=" + self.save_ranks("b", b), "--in",
                "counts=" + self.save("counts.npy", counts.astype(np.int32)),
                *self.more(counts, ep)]

    def check(self, counts, k, n, *options, ep=None, integers=False):
        ranks = len(counts)
        ep = ep or ranks
        command = self.command(counts, k, n, ep, integers)
        self.run_ok("--ranks", ranks, *SMALL, *options, *command, "--out",
                    "%s=%s" % (self.result, self.path("y_{rank}.npy")))
        want = self.golden(self.a, self.b, counts, ep)
        for rank, y in enumerate(self.load_ranks("y", ranks)):
            self.assert_same_bits(y[:len(want[rank])], want[rank],
                                  "rank %d of %d, %s" % (rank, ranks, options))
        if integers:
            for rank, y in enumerate(want):
                self.assertLess(np.abs(y.astype(float)).max(initial=0), 2048)

    def check_clean(self, counts, k, n, *options, ep=None):
        ep = ep or len(counts)
        command = self.command(counts, k, n, ep)
        for profile in ("a2", "a5"):
            done = ptovm("check", "--ranks", len(counts), "-p", profile, "--repeat", 2, *SMALL,
                         *options, *command[1:])
            self.assertEqual((done.code, done.err), (0, ""))

    def test_ranks(self):
        for ranks in (1, 2, 3, 5, 8):
            self.check(uneven(ranks, 2 * ranks, 9, ranks), 70, 50, "--cores", 2)

    def test_edges(self):
        one = np.zeros((3, 6), int)
        one[:, 4] = (40, 0, 33)                     # all rows to one expert
        self.check(one, 40, 33, "--cores", 2)
        self.check(np.zeros((2, 4), int), 8, 8)     # nothing at all
        lonely = np.zeros((2, 2), int)
        lonely[1, 0] = 1
        self.check(lonely, 3, 1)
        self.check(uneven(2, 40, 3, 7), 20, 20, "--cores", 1)   # more experts than flags count
        self.check(uneven(4, 8, 70, 8), 130, 70)                # many cores, several tiles
        self.check(uneven(4, 8, 9, 9), 33, 40, "--cores", 3, ep=2)
        self.check(uneven(4, 8, 9, 10), 33, 40, integers=True)

    def test_repeated(self):
        counts = uneven(3, 12, 7, 11)
        for options in ((), ("--slow-rank", "1=20"), ("--slow-rank", "0=8", "--jitter", 3),
                        ("--jitter", 4)):
            self.check(counts, 40, 36, "--repeat", 3, "--cores", 2, *options)
        for profile in ("a3", "a5"):
            self.check(counts, 40, 36, "-p", profile)

    def test_clean(self):
        self.check_clean(uneven(3, 12, 7, 11), 40, 36, "--cores", 2)
        self.check_clean(uneven(1, 20, 5, 12), 40, 36, "--cores", 3, "--jitter", 5)
        self.check_clean(uneven(4, 4, 20, 13), 30, 70, "--cores", 1, ep=2)

    def refused(self, code, text, name, value):
        """A run in which one parameter is not as it should be."""
        command = self.command(uneven(2, 4, 5, 1), 8, 8, 2)
        place = [i for i, word in enumerate(command) if word.startswith(name + "=")][0]
        command[place] = "%s=%d" % (name, value)
        self.assertIn(text, self.run_bad(code, "--ranks", 2, *SMALL, *command))


class AllToAllVGroupedMatmul(GroupedTests, KernelTest):
    name, result = "moe/alltoallv_grouped_matmul.pto", "c"
    golden = staticmethod(grouped.alltoallv_grouped_matmul)

    def rows_of(self, counts, ep):
        return counts.sum(axis=1)

    def more(self, counts, ep):
        local = counts.shape[1] // ep
        by_owner = counts.sum(axis=0).reshape(ep, local).sum(axis=1)
        return ["--set", "rows=%d" % max(by_owner.max(), 1)]

    def test_illegal(self):
        self.refused(2, "ep has to be positive", "ep", 0)
        self.refused(2, "ep has to divide the number of ranks", "ep", 3)
        self.refused(1, "more rows for this rank than `rows`", "rows", 1)

    def test_rows_that_are_not_there(self):
        options = ("--set", "k=1", "--set", "n=1", "--set", "experts=2", "--in", "a=ones",
                   "--in", "b=ones", "--in", "counts=const:2")
        err = self.run_bad(1, "--ranks", 1, *SMALL, "run", kernel(self.name), "--set", "m=3",
                           "--set", "rows=4", *options)
        self.assertIn("more rows of a rank in `counts` than in its `a`", err)


class GroupedMatmulAllToAllV(GroupedTests, KernelTest):
    name, result = "moe/grouped_matmul_alltoallv.pto", "out"
    golden = staticmethod(grouped.grouped_matmul_alltoallv)

    def rows_of(self, counts, ep):
        local = counts.shape[1] // ep
        return counts.sum(axis=0).reshape(ep, local).sum(axis=1)

    def more(self, counts, ep):
        return ["--set", "m=%d" % max(counts.sum(axis=1).max(), 1)]

    def test_illegal(self):
        self.refused(1, "more rows for a rank than `m`", "m", 1)


if __name__ == "__main__":
    unittest.main()
