"""kernels/moe/dispatch_ffn_combine_int8 against numpy.

Exact mode: u, the argument of sigmoid, is 0 or beyond +-128, where the f32 of exp(-u) is 1, below
half a unit of 1, or infinite, whoever computes it; so every bit is fixed.

Random mode: exp is within one unit in the last place on both sides, but not the same bits. What is
quantised behind it may fall on the other side of a tie, rarely, and f16 be rounded the other way.
The tolerance is that of hicann/catccos for f16, 2^-8, and nearly all results are the same to the
bit. Against the network without quantisation of rows the error is at most 2 % of the norm."""

import unittest

import numpy as np

from dispatch_ffn_combine_test import Groups, Routes
from harness import KernelTest, kernel, ptovm, random_f16
import ffn_int8

SMALL = ("-D", "BM=32", "-D", "BN=32", "-D", "BK=64", "-D", "STEP=32", "-D", "ROWS=4", "-D",
         "COLS=32", "-D", "SWIGLU_ROWS=4", "-D", "SWIGLU_COLS=16", "-D", "PACKED_COLS=160",
         "-D", "ROUTE_TOKENS=3")


def factors(rng, *shape):
    """About what maps i8 weights to the size of 1 / sqrt(rows); bits that FIX cuts off are set."""
    return (rng.uniform(0.5, 1.5, shape) / 127).astype(np.float32)


class Case:
    """Inputs: lists by rank; weights by global expert."""

    def __init__(self, idx, k, n, experts):
        self.idx, self.k, self.n, self.experts = idx, k, n, experts
        self.ranks, self.m = len(idx), len(idx[0])
        self.rng = np.random.default_rng(self.ranks * 100 + self.m)
        self.probs = [self.rng.integers(0, 257, i.shape).astype(np.float32) / 256 for i in idx]
        self.fill()

    def fill(self):
        rng, k, n, experts = self.rng, self.k, self.n, self.experts
        self.x = [random_f16(r + 1, self.m, k) for r in range(self.ranks)]
        self.w1 = rng.integers(-127, 128, (experts, k, n)).astype(np.int8)
        self.w2 = rng.integers(-127, 128, (experts, n // 2, k)).astype(np.int8)
        self.scale1 = factors(rng, experts, n) / np.float32(np.sqrt(k))
        self.scale2 = factors(rng, experts, k) / np.float32(np.sqrt(n))

    def want(self, network=ffn_int8.ffn):
        weights = list(zip(self.w1, self.scale1, self.w2, self.scale2))
        return ffn_int8.combine(self.x, self.idx, self.probs, weights, network)


class ExactCase(Case):
    """Whole numbers up to 127 with a 127 in every row, so that quantising tokens changes nothing;
    sparse weights of -1, 0, 1, and sums for u times 128."""

    def fill(self):
        rng, k, n, experts = self.rng, self.k, self.n, self.experts
        self.x = [rng.integers(-7, 8, (self.m, k)).astype(np.float16) for _ in range(self.ranks)]
        for x in self.x:
            x[np.arange(self.m), rng.integers(0, k, self.m)] = 127
        sparse = lambda *shape: rng.choice([-1, 0, 0, 0, 1], shape).astype(np.int8)
        self.w1, self.w2 = sparse(experts, k, n), sparse(experts, n // 2, k)
        self.scale1 = np.full((experts, n), 1 / 8192, np.float32)
        self.scale1[:, :n // 2] = 128
        self.scale2 = np.exp2(-rng.integers(0, 4, (experts, k))).astype(np.float32)


class DispatchFfnCombineInt8(Routes, KernelTest):
    small = SMALL

    def command(self, case):
        parts = lambda w: w.reshape(case.ranks, case.experts // case.ranks, *w.shape[1:])
        inputs = {"x": case.x, "expert_idx": [i.astype(np.int32) for i in case.idx],
                  "probs": case.probs, "w1": parts(case.w1), "w2": parts(case.w2),
                  "scale1": parts(case.scale1), "scale2": parts(case.scale2)}
        command = [kernel("moe/dispatch_ffn_combine_int8.pto"), "--set",
                   "experts=%d" % case.experts]
        for name, arrays in inputs.items():
            command += ["--in", "%s=%s" % (name, self.save_ranks(name, arrays))]
        return command

    def results(self, case, *options):
        self.run_ok("--ranks", case.ranks, *self.small, *options, "run", *self.command(case),
                    "--out", "out=" + self.path("y_{rank}.npy"))
        return self.load_ranks("y", case.ranks)

    def check(self, idx, k, n, experts, *options):
        case = ExactCase(idx, k, n, experts)
        for rank, (y, want) in enumerate(zip(self.results(case, *options), case.want())):
            self.assert_same_bits(y, want, "rank %d, %s" % (rank, options))
        case = Case(idx, k, n, experts)
        meant = case.want(ffn_int8.ffn_f64)
        for rank, (y, want) in enumerate(zip(self.results(case, *options), case.want())):
            gold, exact = want.astype(float), meant[rank].astype(float)
            off = np.abs(y.astype(float) - gold) / np.maximum(1, np.abs(gold))
            self.assertLessEqual(off.max(initial=0), 2.0 ** -8, "rank %d, %s" % (rank, options))
            self.assertGreater(np.mean(y == want), 0.95)
            self.assertLessEqual(np.linalg.norm(y - exact), 0.02 * np.linalg.norm(exact))

    def test_several_tiles_and_pieces(self):
        self.check(self.routes(2, 40, 2, 4), 131, 262, 4)

    def test_rows_of_zeros_ties_and_least_numbers(self):
        """A row of zeros before and after quantisation; elements half-way between two steps; the
        least f16; probabilities of zero."""
        case = ExactCase(self.routes(2, 6, 2, 4), 34, 36, 4)
        case.x[0][1] = 0
        case.x[0][2] = np.where(case.x[0][2] == 127, 127, case.x[0][2] + 0.5)
        case.x[1][0] = 0
        case.x[1][0, 3] = -2.0 ** -24
        case.probs[1][3] = 0
        case.scale1[1] = 0
        for rank, (y, want) in enumerate(zip(self.results(case, *self.cores(1)), case.want())):
            self.assert_same_bits(y, want, "rank %d" % rank)

    def test_clean(self):
        for ranks, cores in ((1, 2), (3, 2), (3, 1)):
            idx = self.routes(ranks, 7, 2, 4 * ranks, seed=6)
            idx[0][0, 1] = -1
            command = self.command(Case(idx, 40, 48, 4 * ranks))
            for options in (("-p", "a2"), ("-p", "a5"), ("--jitter", 3)):
                done = ptovm("check", "--ranks", ranks, *self.cores(cores), "--repeat", 2,
                             *options, *self.small, *command)
                self.assertEqual((done.code, done.err), (0, ""))

    def test_illegal(self):
        def refused(code, *options, idx=((0, 1),), k=8, n=8):
            command = self.command(Case([np.array(idx)] * 2, k, n, 4))
            return self.run_bad(code, "--ranks", 2, *self.small, "run", *command, *options)
        self.assertIn("an expert's number is -1 or less than `experts`", refused(1, idx=((0, 4),)))
        self.assertIn("more rows for this rank than `rows`", refused(1, "--set", "rows=1"))
        self.assertIn("a row does not fit into UB: raise PACKED_COLS", refused(2, k=161))
        self.assertIn("a row does not fit into UB: raise PACKED_COLS", refused(2, n=322))


class DispatchFfnCombineInt8Groups(Groups, DispatchFfnCombineInt8):
    small = SMALL + ("-D", "GROUPS=1")

    def refused_on_one_core(self):
        command = self.command(Case([np.array([[0, 1]])] * 2, 8, 8, 4))
        return self.run_bad(2, "--ranks", 2, "--cores", 1, *self.small, "run", *command)


if __name__ == "__main__":
    unittest.main()
