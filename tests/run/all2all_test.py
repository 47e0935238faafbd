"""kernels/moe/all2all_*: the all-to-all ladder against its closed form."""

import json
import os
import unittest

import numpy as np

from harness import SOURCE, KernelTest, kernel, line_of, ptovm
import all2all as golden

LAUNCHES = {"v4": ("dispatch", "compute", "combine"), "v5": ("dispatch", "compute", "combine"),
            "v7": ("dispatch", "combine"), "v9": ("dispatch", "combine")}
ROW_FLAGS = ("v5", "v7", "v9")  # versions with a slot and a flag for every row
MI300X = "mi300x"
# (experts, k, hidden / 64, max_tokens) of the task's tests and benchmarks, the largest left out.
TASK = ((8, 2, 96, 4), (64, 6, 32, 2), (64, 6, 32, 8), (128, 4, 45, 16), (128, 8, 64, 16))


class Problem:
    """Inputs of all ranks; `tokens` of each. `routing`: distinct experts for a token (the task's),
    any experts, own (those of the token's rank), or the number of one expert."""

    def __init__(self, ranks, experts, k, hidden, tokens, routing="distinct", exact=False, seed=1,
                 depth=None):
        rng = np.random.default_rng(seed)
        self.ranks, self.experts, self.k, self.hidden = ranks, experts, k, hidden
        self.tokens, self.max_tokens, self.depth = tokens, max(max(tokens), 1), depth
        self.local = experts // ranks
        self.x, self.topk, self.weights = [], [], []
        for count in tokens:
            if exact:
                self.x.append(rng.integers(-8, 9, (count, hidden)).astype(np.float16))
                self.weights.append((rng.integers(0, 5, (count, k)) / 4).astype(np.float32))
            else:
                self.x.append(rng.standard_normal((count, hidden)).astype(np.float16))
                self.weights.append(rng.random((count, k), np.float32))
            if routing == "distinct":
                chosen = [rng.permutation(experts)[:k] for _ in range(count)]
            elif routing == "any":
                chosen = rng.integers(0, experts, (count, k))
            elif routing == "own":
                chosen = len(self.x[:-1]) * self.local + rng.integers(0, self.local, (count, k))
            else:
                chosen = np.full((count, k), routing)
            self.topk.append(np.array(chosen, np.int32).reshape(count, k))

    def want(self, rank, combine=golden.combine):
        return combine(self.x[rank], self.topk[rank], self.weights[rank], self.local)


class All2All(KernelTest):
    def arguments(self, version, problem, *options, launches=None, name=None):
        """The command line behind the options: run ... with all inputs."""
        path = kernel(name or "moe/all2all_%s.pto" % version)
        files = ["%s:%s" % (path, launch) for launch in LAUNCHES[version]]
        depth = () if problem.depth is None else ("--set", "depth=%d" % problem.depth)
        tokens = self.save("tokens.npy", np.array(problem.tokens, np.int64))
        return ("--ranks", problem.ranks, *options, "run", *files, *(launches or ()),
                "--set", "tokens=@" + tokens, "--set", "k=%d" % problem.k,
                "--set", "hidden=%d" % problem.hidden, "--set", "experts=%d" % problem.experts,
                "--set", "max_tokens=%d" % problem.max_tokens, *depth,
                "--in", "x=" + self.save_ranks("x", problem.x),
                "--in", "topk=" + self.save_ranks("topk", problem.topk),
                "--in", "weights=" + self.save_ranks("weights", problem.weights))

    def results(self, version, problem, *options, **more):
        self.run_ok(*self.arguments(version, problem, *options, **more), "--out",
                    "y=" + self.path("y_{rank}.npy"))
        return self.load_ranks("y", problem.ranks)

    def check(self, version, problem, *options, **more):
        for rank, y in enumerate(self.results(version, problem, *options, **more)):
            self.assert_same_bits(y, problem.want(rank), "%s, rank %d of %d, %s" % (
                version, rank, problem.ranks, options))

    def check_all(self, problem, *options, versions=tuple(LAUNCHES)):
        for version in versions:
            with self.subTest(version=version, options=options):
                self.check(version, problem, *options)

    def refused(self, code, version, problem, message, *extra):
        """Exit code 2: when it is launched, 1: when the data turn out wrong."""
        err = self.run_bad(code, *self.arguments(version, problem, "--cores", 1), *extra)
        self.assertIn(message, err)

    def simulated(self, version, problem, *options, extra=()):
        """Simulated time of a run, in picoseconds."""
        self.run_ok(*self.arguments(version, problem, *options), *extra, "-q",
                    "--json=" + self.path("report.json"))
        with open(self.path("report.json")) as file:
            return json.load(file)["time_ps"]


class Results(All2All):
    def test_the_shapes_of_the_task(self):
        for seed, (experts, k, hidden, max_tokens) in enumerate(TASK):
            tokens = list(np.random.default_rng(seed).integers(1, max_tokens, 8))
            self.check_all(Problem(8, experts, k, hidden, tokens, seed=seed), "--cores", 3)

    def test_the_largest_shape_on_the_gpu_it_was_written_for(self):
        tokens = list(np.random.default_rng(7).integers(1, 16, 8))
        self.check("v9", Problem(8, 256, 8, 112, tokens), "-p", MI300X)

    def test_small_integers_are_exact(self):
        self.check_all(Problem(4, 16, 4, 64, [5, 1, 7, 3], exact=True), "--cores", 2)

    def test_the_closed_form_is_the_reference_within_its_tolerance(self):
        problem = Problem(4, 16, 8, 64, [9, 2, 5, 16])
        for version in ("v4", "v9"):
            for rank, y in enumerate(self.results(version, problem, "--cores", 2)):
                np.testing.assert_allclose(y.astype(np.float64),
                                           problem.want(rank, golden.combine_literal),
                                           **golden.TOLERANCE)

    def test_ranks_and_cores(self):
        for ranks in (1, 2, 3, 5):
            problem = Problem(ranks, 3 * ranks, 2, 40, [4, 1, 6, 3, 2][:ranks])
            for cores in (1, 3):
                self.check_all(problem, "--cores", cores)
        self.check_all(Problem(2, 6, 3, 40, [9, 4]))

    def test_long_rows_with_a_tail(self):
        self.check_all(Problem(2, 4, 2, 2880, [3, 2]), "--cores", 2)

    def test_one_token_each_and_fewer_rows_than_workers(self):
        self.check_all(Problem(8, 8, 2, 32, [1] * 8))

    def test_ranks_without_tokens(self):
        self.check_all(Problem(3, 6, 2, 32, [0, 5, 0]), "--cores", 2)

    def test_everything_to_one_expert(self):
        """Ranks without an incoming row, and the deepest group."""
        self.check_all(Problem(4, 8, 1, 32, [4, 3, 4, 1], routing=5), "--cores", 2)

    def test_a_token_may_name_an_expert_twice(self):
        problem = Problem(3, 3, 4, 32, [4, 2, 3], routing="any", depth=3 * 4 * 4)
        self.check_all(problem, "--cores", 2, versions=ROW_FLAGS)
        self.refused(1, "v4", problem, "v4 has no room for a token that names an expert twice")

    def test_sending_and_receiving_at_the_same_time(self):
        problem = Problem(4, 8, 3, 48, [5, 1, 7, 3])
        for version in ("v7", "v9"):
            for cores in (1, 3):
                for rank, y in enumerate(self.results(
                        version, problem, "--cores", cores, "--set", "parity=1")):
                    self.assert_same_bits(y, problem.want(rank), version)

    def test_padded_rows_change_nothing_but_the_time(self):
        """The experts' kernel of v4 and v5 computes what it has room for, as the source does; v7
        and v9 have no such kernel."""
        problem = Problem(3, 6, 2, 96, (5, 1, 7))
        for version in ("v4", "v5"):
            for depth in (None, 9):
                problem.depth = depth
                self.check(version, problem, "-D", "PADDED=1")
            times = [json.loads(self.run_ok(*self.arguments(version, problem, "--json", *padded))
                                .out)["time_ps"] for padded in ((), ("-D", "PADDED=1"))]
            self.assertLess(*times)

    def test_one_lock_for_a_rank(self):
        problem = Problem(4, 8, 3, 48, [5, 1, 7, 3])
        self.check("v4", problem, "--cores", 2, "--set", "coarse=1", "--repeat", 2)

    def test_other_profiles(self):
        problem = Problem(3, 6, 2, 100, [5, 2, 7])
        for options in (("-p", "a5"), ("-p", MI300X, "--cores", 5),
                        ("-p", "toy", "-D", "WIDTH=512", "-D", "ENTRIES=64")):
            self.check_all(problem, *options)


class Repeated(All2All):
    """Three launches without reset; a rank may be far ahead of another."""

    def test_late_ranks_and_other_orders(self):
        problem = Problem(4, 8, 2, 32, [3, 1, 0, 5])
        for options in (("--slow-rank", "0=7"), ("--slow-rank", "3=20"), ("--jitter", 1),
                        ("--jitter", 2, "--slow-rank", "1=4"), ("--join",)):
            self.check_all(problem, "--cores", 2, "--repeat", 3, *options)

    def test_ranks_that_exchange_no_row(self):
        """Nothing but the counts keeps them in step."""
        problem = Problem(3, 6, 2, 32, [4, 1, 6], routing="own", depth=32)
        for slow in ("0=20", "1=8", "2=20"):
            self.check_all(problem, "--cores", 1, "--repeat", 5, "--slow-rank", slow,
                           versions=ROW_FLAGS)

    def test_no_launch_reads_rows_of_an_earlier_one(self):
        forget = os.path.join(SOURCE, "tests/run/kernels/all2all_forget.pto")
        problem = Problem(3, 6, 2, 32, [4, 1, 6])
        for version in ROW_FLAGS:
            for slow in ("0=1", "1=9"):
                self.check(version, problem, "--cores", 2, "--repeat", 3, "--slow-rank", slow,
                           launches=(forget,))


class Refused(All2All):
    def test_shapes(self):
        self.refused(2, "v9", Problem(2, 5, 2, 32, [2, 2]), "the same number of experts")
        self.refused(2, "v9", Problem(2, 4, 0, 32, [2, 2]), "k has to be above 0")
        self.refused(2, "v9", Problem(2, 4, 2, 8200, [2, 2]), "choose a larger -D WIDTH")
        self.refused(2, "v5", Problem(2, 4, 2, 32, [2049, 2]), "choose a larger -D ENTRIES")
        problem = Problem(2, 4, 2, 32, [2, 3])
        problem.max_tokens = 2
        self.refused(2, "v7", problem, "at most max_tokens tokens")

    def test_routes(self):
        for expert in (-1, 4):
            problem = Problem(2, 4, 1, 32, [2, 2], routing=expert)
            for version in LAUNCHES:
                self.refused(1, version, problem, "topk names an expert that does not exist")

    def test_too_many_rows_for_an_expert(self):
        problem = Problem(2, 4, 1, 32, [4, 2], routing=1, depth=5)
        for version in LAUNCHES:
            self.refused(1, version, problem, "an expert gets more rows than it can take")

    def test_the_last_epoch(self):
        """Stamps are products of the epoch; 2 experts of a rank, 8 rows: 17 values each."""
        problem = Problem(2, 4, 2, 32, [4, 2])
        last = 0x7fffffff // 17 - 2
        self.check("v9", problem, "--cores", 1, "--in", "turn=const:%d" % last)
        self.refused(1, "v9", problem, "the epochs of the signals are used up", "--in",
                     "turn=const:%d" % (last + 1))


class Ladder(All2All):
    def test_every_step_is_faster(self):
        problem = Problem(8, 64, 8, 1024, [25, 24, 50, 63, 23, 21, 56, 5])
        times = [self.simulated("v4", problem, extra=("--set", "coarse=1"))]
        times += [self.simulated(version, problem) for version in LAUNCHES]
        for slower, faster in zip(times, times[1:]):
            self.assertGreater(slower, faster, times)

    def test_receiving_ends_with_the_slowest_sender_everywhere(self):
        """As in the traces of the original: ranks with few tokens are done with sending early, and
        then all wait for the one that has most."""
        problem = Problem(8, 32, 4, 512, [25, 24, 50, 63, 23, 21, 56, 5])
        self.run_ok(*self.arguments("v9", problem, "--cores", 4), "-q", "--trace",
                    self.path("trace.json"))
        with open(self.path("trace.json")) as file:
            regions = [e for e in json.load(file) if e.get("cat") == "region"]
        ends = {}  # of the regions of every sub-core, in order: send and receive of dispatch, ...
        for event in regions:
            if event["ph"] == "E":
                ends.setdefault((event["pid"], event["tid"]), []).append(event["ts"])
        send, receive = ([max(times[i] for (rank, _), times in ends.items() if rank == r)
                          for r in range(8)] for i in (0, 1))
        self.assertEqual(int(np.argmax(send)), 3)
        self.assertGreater(min(receive), 0.8 * max(send))
        self.assertLess(max(receive) - min(receive), (max(send) - min(send)) / 3)


class Checked(All2All):
    def clean(self, version, problem, *options, **more):
        with self.subTest(version=version, options=options):
            result = ptovm("--check", *self.arguments(version, problem, *options, **more))
            self.assertEqual((result.code, result.err), (0, ""))

    def test_no_finding(self):
        for ranks, cores in ((1, 2), (2, 1), (4, 2)):
            problem = Problem(ranks, 2 * ranks, 2, 32, [3, 1, 0, 4][-ranks:])
            for version in LAUNCHES:
                for options in (("-p", "a2"), ("-p", "a5", "--jitter", 7)):
                    self.clean(version, problem, "--cores", cores, "--repeat", 3, *options)
        self.clean("v4", problem, "--cores", 2, "--repeat", 2, "--set", "coarse=1")
        self.clean("v9", problem, "--cores", 2, "--repeat", 2, "--set", "parity=1")
        self.clean("v9", Problem(8, 16, 3, 32, [3, 1, 0, 4, 2, 2, 1, 3]), "--cores", 1,
                   "--slow-rank", "5=6", "--repeat", 2)
        self.clean("v9", Problem(3, 6, 2, 32, [2, 1, 2], routing="own"), "--cores", 1, "--repeat",
                   3, "--set", "depth=16")


class Broken(All2All):
    def test_one_zone_of_counts(self):
        """Right as long as all pairs of ranks exchange rows, or keep step; else a rank reads the
        count of the launch after its own, and waits for rows or counts that do not come."""
        name = "broken/all2all_single_zone.pto"
        problem = Problem(3, 6, 2, 32, [4, 1, 6], routing="own", depth=32)
        self.check("v9", problem, "--cores", 1, "--repeat", 3, name=name)
        result = ptovm("--check", *self.arguments("v9", problem, "--cores", 1, "--repeat", 3,
                                                  name=name))
        self.assertEqual(result.code, 4)
        # the wait may pass on the next launch's count, so it promises nothing of this one's
        self.assertRegex(result.err, r"TLOAD reads count of rank \d without waiting for TNOTIFY, "
                                     r"which combines it \[race-raw\]")
        result = ptovm(*self.arguments("v9", problem, "--cores", 1, "--repeat", 3, "--slow-rank",
                                       "2=10", name=name))
        self.assertEqual(result.code, 3, result.err)
        self.assertIn("deadlock", result.err)
        self.assertIn("TWAIT for count[0, 0] to", result.err)

    def test_a_flag_cleared_too_early(self):
        name = kernel("broken/all2all_cleared_flag.pto")
        arguments = ("--ranks", 3, "--cores", 1, name, "--set", "hidden=64", "--in", "x=iota")
        self.run_ok("run", *arguments)
        err = self.run_bad(3, "run", "--repeat", 3, "--slow-rank", "1=20", *arguments)
        self.assertIn("TWAIT for landed[0] to be eq 1, its value is 0", err)
        result = ptovm("check", "--repeat", 2, "--json", *arguments)
        self.assertEqual(result.code, 4)
        found = {(f["kind"], *(a["line"] for a in f["accesses"]))
                 for f in json.loads(result.out)["findings"]}
        store, load = line_of(name, "TSTORE inbox"), line_of(name, "row{1, hidden}, inbox")
        self.assertIn(("race-war", load, store), found)
        flag = {line_of(name, "TWAIT"), line_of(name, "too early")}
        self.assertTrue([f for f in found if flag & set(f[1:])], found)


if __name__ == "__main__":
    unittest.main()
