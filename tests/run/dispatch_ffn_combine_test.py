"""kernels/moe/dispatch_ffn_combine against numpy.

exp is within one unit in the last place on both sides, but not the same bits, so results may differ
by the rounding of what follows: the tolerance is that of hicann/catccos for f16, 2^-8."""

import unittest

import numpy as np

from harness import KernelTest, kernel, ptovm, random_f16
import grouped

SMALL = ("-D", "BM=32", "-D", "BN=32", "-D", "BK=64", "-D", "STEP=32", "-D", "ROWS=4", "-D",
         "COLS=32", "-D", "SWIGLU_ROWS=4", "-D", "SWIGLU_COLS=32", "-D", "ROUTE_TOKENS=3")


def distinct(rng, tokens, top_k, experts):
    return np.argsort(rng.random((tokens, experts)), axis=1)[:, :top_k]


class Routes:
    """Tests of both versions, f16 and i8, each with a `check` of its own."""
    small = SMALL
    least_cores = 1

    def cores(self, count):
        return "--cores", max(count, self.least_cores)

    def routes(self, ranks, m, top_k, experts, seed=0):
        rng = np.random.default_rng(seed)
        return [distinct(rng, m, top_k, experts) for _ in range(ranks)]

    def test_ranks(self):
        for ranks in (1, 2, 3, 5, 8):
            self.check(self.routes(ranks, 7, 2, 2 * ranks), 40, 48, 2 * ranks, *self.cores(2))

    def test_all_tokens_to_one_expert(self):
        self.check([np.full((6, 1), 3)] * 2, 33, 34, 4, *self.cores(3))

    def test_slots_without_expert(self):
        idx = self.routes(2, 8, 3, 4)
        idx[0][:, 1] = -1
        idx[1][:] = -1
        self.check(idx, 24, 20, 4, *self.cores(2))

    def test_duplicate_experts_one_token_many_cores(self):
        self.check([np.full((1, 4), 1), np.array([[0, 1, 1, 0]])], 20, 64, 2)

    def test_more_experts_than_a_counter_holds(self):
        self.check(self.routes(2, 20, 4, 40), 16, 16, 40, *self.cores(1))

    def test_repeated(self):
        idx = self.routes(3, 6, 2, 6, seed=5)
        for options in ((), ("--slow-rank", "1=20"), ("--slow-rank", "0=7", "--jitter", 2)):
            self.check(idx, 24, 32, 6, "--repeat", 3, *self.cores(2), *options)
        self.check(idx, 24, 32, 6, "-p", "a5")


class DispatchFfnCombine(Routes, KernelTest):
    maxDiff = None

    def inputs(self, ranks, m, k, n, experts, idx):
        rng = np.random.default_rng(ranks * 100 + m)
        x = [random_f16(r + 1, m, k) for r in range(ranks)]
        probs = [rng.integers(0, 257, i.shape).astype(np.float32) / 256 for i in idx]
        w1 = (random_f16(77, experts, k, n) / np.sqrt(k)).astype(np.float16)
        w2 = (random_f16(78, experts, n // 2, k) / np.sqrt(n)).astype(np.float16)
        return x, probs, w1, w2

    def command(self, idx, x, probs, w1, w2):
        ranks, experts = len(x), len(w1)
        parts = lambda w: w.reshape(ranks, experts // ranks, *w.shape[1:])
        return [kernel("moe/dispatch_ffn_combine.pto"), "--set", "experts=%d" % experts,
                "--in", "x=" + self.save_ranks("x", x),
                "--in", "expert_idx=" + self.save_ranks("i", [i.astype(np.int32) for i in idx]),
                "--in", "probs=" + self.save_ranks("p", probs),
                "--in", "w1=" + self.save_ranks("w1", parts(w1)),
                "--in", "w2=" + self.save_ranks("w2", parts(w2))]

    def check(self, idx, k, n, experts, *options):
        ranks, m = len(idx), len(idx[0])
        x, probs, w1, w2 = self.inputs(ranks, m, k, n, experts, idx)
        self.run_ok("--ranks", ranks, *self.small, *options, "run",
                    *self.command(idx, x, probs, w1, w2), "--out",
                    "out=" + self.path("y_{rank}.npy"))
        want = grouped.dispatch_ffn_combine(x, idx, probs, w1, w2)
        for rank, y in enumerate(self.load_ranks("y", ranks)):
            gold = want[rank].astype(float)
            off = np.abs(y.astype(float) - gold) / np.maximum(1, np.abs(gold))
            self.assertLessEqual(off.max(initial=0), 2.0 ** -8, "rank %d, %s" % (rank, options))
            self.assertGreater(np.mean(y == want[rank]), 0.95)   # nearly all to the bit

    def test_balanced_and_several_tiles(self):
        m, top_k, experts = 40, 2, 4
        idx = [(((r * m + np.arange(m)[:, None]) * top_k + np.arange(top_k)) % experts)
               for r in range(2)]
        self.check(idx, 100, 130, experts)

    def test_clean(self):
        for ranks, cores in ((1, 2), (3, 2), (2, 1)):
            idx = self.routes(ranks, 7, 2, 4 * ranks, seed=6)
            idx[0][0, 1] = -1
            command = self.command(idx, *self.inputs(ranks, 7, 40, 48, 4 * ranks, idx))
            for profile in ("a2", "a5"):
                done = ptovm("check", "--ranks", ranks, *self.cores(cores), "--repeat", 2, "-p",
                             profile, *self.small, *command)
                self.assertEqual((done.code, done.err), (0, ""))

    def test_illegal(self):
        for expert in (4, -2):
            idx = [np.array([[0, expert]])] * 2
            command = self.command(idx, *self.inputs(2, 1, 8, 8, 4, idx))
            self.assertIn("an expert's number is -1 or less than `experts`",
                          self.run_bad(1, "--ranks", 2, *self.small, "run", *command))
        idx = [np.array([[0, 1]])] * 2
        command = self.command(idx, *self.inputs(2, 1, 8, 8, 4, idx))
        self.assertIn("more rows for this rank than `rows`",
                      self.run_bad(1, "--ranks", 2, *self.small, "run", *command, "--set",
                                   "rows=1"))


class Groups:
    """The same with a group of sub-cores for every step, and what only groups can get wrong."""
    small = SMALL + ("-D", "GROUPS=1")
    least_cores = 2

    def test_groups_of_all_sizes(self):
        """Groups that split the rows of a rank, and groups of which each serves several ranks."""
        for ranks, cores in ((2, 3), (2, 8), (3, 24), (8, 4)):
            self.check(self.routes(ranks, 9, 2, 6 * ranks, seed=cores), 24, 40, 6 * ranks,
                       *self.cores(cores))

    def test_experts_without_tokens_and_uneven_routes(self):
        """Of 16 experts on two ranks two or three have tokens; one rank has few tokens that go
        anywhere, and one may get none."""
        for experts in ((0, 7, 8), (3, 11, 3), (15, 15, 8)):
            idx = [np.array([experts[:2], experts[1:], experts[:2], (experts[2], -1)] * 5),
                   np.array([(experts[0], -1)] * 5 + [(-1, -1)] * 15)]
            self.check(idx, 88, 96, 16, *self.cores(3))

    def test_rows_held_and_tokens_added_up_early(self):
        """Rows go home late; tokens are added up before the last 0, 1 or all experts are home."""
        idx = self.routes(2, 9, 2, 8, seed=3)
        idx[1][4] = -1
        for options in ((), ("HELD=1",), ("HELD=9", "JOINED=1"), ("HELD=3", "JOINED=0"),
                        ("JOINED=4",)):
            words = [word for option in options for word in ("-D", option)]
            self.check(idx, 24, 40, 8, *self.cores(3), *words, "--repeat", 2, "--slow-rank", "1=9")

    def test_one_core_is_refused(self):
        self.assertIn("groups take at least two cores with two vector sub-cores each",
                      self.refused_on_one_core())


class DispatchFfnCombineGroups(Groups, DispatchFfnCombine):
    def refused_on_one_core(self):
        idx = [np.array([[0, 1]])] * 2
        return self.run_bad(2, "--ranks", 2, "--cores", 1, *self.small, "run",
                            *self.command(idx, *self.inputs(2, 1, 8, 8, 4, idx)))


if __name__ == "__main__":
    unittest.main()
