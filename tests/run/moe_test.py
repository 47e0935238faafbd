"""kernels/moe: dispatch and combine against lists made from the definitions."""

import os
import unittest

import numpy as np

from harness import SOURCE, KernelTest, kernel, line_of, ptovm
import moe as golden

EXPERT = os.path.join(SOURCE, "tests/run/kernels/moe_expert.pto")


class Case:
    """Inputs of every rank. exact: small numbers and a largest element of 127 in every row, so that
    the scale is 1 and quantisation loses nothing."""

    def __init__(self, world, tokens, hidden=64, seed=1, exact=False, ids=None, mask=None,
                 smooth=False, zero_rows=False):
        rng = np.random.default_rng(seed)
        self.world, self.hidden, self.mask = world, hidden, mask
        self.tokens = tokens if isinstance(tokens, list) else [tokens] * world.ranks
        self.x, self.ids, self.weights, self.active = [], [], [], []
        for rank, bs in enumerate(self.tokens):
            if exact:
                x = rng.integers(-2, 3, (bs, hidden)) + rank % 2
                x[:, rank % hidden] = 127
                weights = rng.choice([0.25, 0.5, 1], (bs, world.topk))
            else:
                x = rng.standard_normal((bs, hidden)) * np.exp2(rng.integers(-6, 5, (bs, 1)))
                weights = rng.random((bs, world.topk))
            if zero_rows:
                x[::2] = 0
            self.x.append(x.astype(np.float16))
            self.weights.append(weights.astype(np.float32))
            if ids is None:
                order = np.argsort(rng.random((bs, world.experts)), axis=1)
                self.ids.append(order[:, :world.topk].astype(np.int32))
            else:
                self.ids.append(np.array([ids(rank, t) for t in range(bs)],
                                         np.int32).reshape(bs, world.topk))
            active = np.ones((bs, world.topk), np.uint8)
            if mask == "tokens":
                active[(bs + rank) // 2:] = 0
            elif mask == "rows":
                active = rng.integers(0, 2, (bs, world.topk)).astype(np.uint8)
            elif mask == "none active":
                active[:] = 0
            self.active.append(active)
        self.scales = [(rng.random((world.shared + world.experts, hidden)) + 0.5)
                       .astype(np.float32) for _ in self.tokens] if smooth else None

    def inputs(self, test, without=()):
        """Command-line arguments that bind them."""
        arrays = {"x": self.x, "expert_ids": self.ids, "expert_scales": self.weights,
                  "scales": self.scales}
        if self.mask == "rows":
            arrays["active_mask_2d"] = self.active
        elif self.mask:
            arrays["active_mask"] = [a[:, 0].copy() for a in self.active]
        world = self.world
        bs = test.save("bs.npy", np.array(self.tokens, np.int64))
        arguments = []
        for setting in ("hidden=%d" % self.hidden, "topk=%d" % world.topk, "bs=@" + bs,
                        "experts=%d" % world.experts, "shared=%d" % world.shared,
                        "shared_ranks=%d" % world.shared_ranks, "max_bs=%d" % max(self.tokens)):
            arguments += ["--set", setting]
        for name, data in arrays.items():
            if data is not None and name not in without:
                arguments += ["--in", "%s=%s" % (name, test.save_ranks(name, data))]
        return arguments


def world_of(ranks, experts, topk, shared=0, shared_ranks=0):
    return golden.World(ranks, experts, topk, shared, shared_ranks)


class Moe(KernelTest):
    OUTPUTS = ("triples", "ep_recv_counts", "expert_token_nums", "expand_x")

    def dispatch_only(self, case, *options, quantised=True, prefix_sums=False):
        names = self.OUTPUTS + (("dynamic_scales",) if quantised else ())
        arguments = []
        for name in names:
            arguments += ["--out", "%s=%s" % (name, self.path(name + "_{rank}.npy"))]
        self.run_ok("--ranks", case.world.ranks, *options, "run",
                    kernel("moe/dispatch.pto" if quantised else "moe/dispatch_f16.pto"),
                    *case.inputs(self, ("expert_scales",)), *arguments,
                    "--set", "prefix_sums=%d" % prefix_sums)
        want = golden.dispatch(case.world, case.x, case.ids, case.active, case.scales, quantised,
                               prefix_sums)
        for rank in range(case.world.ranks):
            rows = len(want[rank]["triples"])
            for name in names:
                got = self.load("%s_%d.npy" % (name, rank))
                if name not in ("ep_recv_counts", "expert_token_nums"):
                    got = got[:rows]
                self.assert_same_bits(got, want[rank][name], "%s of rank %d, %s" % (
                    name, rank, options))

    def layers(self, case, *options, quantised=True, layers=1, after=()):
        """dispatch, experts, combine, and so on: the last y against the golden."""
        files = [kernel("moe/dispatch.pto"), EXPERT + ":expert", kernel("moe/combine.pto")]
        if not quantised:
            files = [kernel("moe/dispatch_f16.pto"), EXPERT + ":expert_f16", files[2]]
        if layers > 1:
            files.append(EXPERT + ":next_layer")
        self.run_ok("--ranks", case.world.ranks, "--repeat", layers, *options, "run", *files,
                    *case.inputs(self), "--out", "y=" + self.path("y_{rank}.npy"), *after)
        for rank, want in enumerate(self.golden_layers(case, quantised, layers)):
            self.assert_same_bits(self.load("y_%d.npy" % rank), want, "y of rank %d, %s" % (
                rank, options))

    def golden_layers(self, case, quantised, layers):
        x, ids = case.x, case.ids
        for _ in range(layers):
            dispatched = golden.dispatch(case.world, x, ids, case.active, case.scales, quantised)
            rows = {}
            for rank, result in enumerate(dispatched):
                rows.update(golden.expert_output(case.world, rank, result))
            x = golden.combine(case.world, rows, case.weights, ids, case.active, case.hidden)
            ids = [(i + 1) % case.world.experts for i in ids]
        return x


WORLDS = (world_of(1, 4, 2), world_of(2, 4, 2), world_of(3, 6, 3), world_of(5, 5, 1),
          world_of(8, 16, 4))
SHARED = (world_of(2, 3, 2, 1, 1), world_of(5, 6, 2, 1, 2), world_of(4, 4, 2, 2, 2),
          world_of(5, 2, 1, 2, 4))
# expert_ids of (rank, token), by the number of experts: every row to one place, or expert 1 empty.
TO_ONE = {"the same expert": lambda rank, t: [3],
          "all but one": lambda rank, t: [0, 2 + (rank + t) % 4]}


class Dispatch(Moe):
    def test_ranks(self):
        for world in WORLDS:
            for quantised in (True, False):
                self.dispatch_only(Case(world, 5), "--cores", 2, quantised=quantised)

    def test_shared_experts(self):
        for world in SHARED:
            for quantised in (True, False):
                self.dispatch_only(Case(world, 5), "--cores", 2, quantised=quantised)

    def test_small_numbers_arrive_unchanged(self):
        case = Case(world_of(3, 6, 3), 4, exact=True)
        self.dispatch_only(case, "--cores", 2)
        for rank in range(3):
            rows = self.load("ep_recv_counts_%d.npy" % rank)[-1]
            triples = self.load("triples_%d.npy" % rank)[:rows]
            want = np.array([case.x[s][t] for s, t, _ in triples])
            self.assert_same_bits(self.load("expand_x_%d.npy" % rank)[:rows].astype(np.float16),
                                  want)
            self.assertTrue((self.load("dynamic_scales_%d.npy" % rank)[:rows] == 1).all())

    def test_rounding_is_half_to_even(self):
        case = Case(world_of(1, 1, 1), 1, hidden=32)
        case.x[0][0] = [127, 0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, -126.5, 125.5] + [0] * 22
        self.dispatch_only(case)
        self.assertEqual(list(self.load("expand_x_0.npy")[0, :10]),
                         [127, 0, 2, 2, 4, 0, -2, -2, -126, 126])

    def test_error_of_quantisation(self):
        case = Case(world_of(2, 2, 1), 16, hidden=512)
        self.dispatch_only(case, "--cores", 2)
        for rank in range(2):
            for i, (s, t, _) in enumerate(self.load("triples_%d.npy" % rank)
                                          [:self.load("ep_recv_counts_%d.npy" % rank)[-1]]):
                back = self.load("expand_x_%d.npy" % rank)[i] * np.float64(
                    self.load("dynamic_scales_%d.npy" % rank)[i])
                x = case.x[s][t].astype(np.float64)
                self.assertLessEqual(abs(back - x).max(), 0.50001 / 127 * abs(x).max())

    def test_rows_of_zeros_have_a_scale(self):
        case = Case(world_of(2, 4, 2), 4, zero_rows=True)
        self.dispatch_only(case, "--cores", 2)
        for rank in range(2):
            rows = self.load("ep_recv_counts_%d.npy" % rank)[-1]
            self.assertTrue((self.load("dynamic_scales_%d.npy" % rank)[:rows] > 0).all())

    def test_smooth_scales(self):
        for world in (WORLDS[2], SHARED[1], SHARED[2]):
            self.dispatch_only(Case(world, 5, smooth=True), "--cores", 1)

    def test_masks(self):
        for mask in ("tokens", "rows", "none active"):
            for world in (WORLDS[0], WORLDS[2], SHARED[2]):
                for quantised in (True, False):
                    self.dispatch_only(Case(world, 4, mask=mask), "--cores", 2,
                                       quantised=quantised)

    def test_prefix_sums(self):
        for world in (WORLDS[2], SHARED[1]):
            self.dispatch_only(Case(world, 5), "--cores", 2, prefix_sums=True)

    def test_all_to_one_and_an_empty_expert(self):
        self.dispatch_only(Case(world_of(3, 6, 1), 6, ids=TO_ONE["the same expert"]), "--cores", 2)
        self.dispatch_only(Case(world_of(3, 6, 2), 6, ids=TO_ONE["all but one"]), "--cores", 2)

    def test_tokens_differ_by_rank(self):
        for tokens in ([3, 1, 7], [0, 9, 2]):
            self.dispatch_only(Case(WORLDS[2], tokens), "--cores", 2)
            self.dispatch_only(Case(world_of(3, 4, 2, 1, 1), tokens), "--cores", 2)

    def test_one_token_and_more_cores_than_tokens(self):
        for world in (WORLDS[1], SHARED[1]):
            self.dispatch_only(Case(world, 1))

    def test_cores_and_their_split(self):
        for world in (WORLDS[4], SHARED[2]):
            case = Case(world, 7, hidden=544)
            for split in (0, 1, 2):
                for cores in (1, 3):
                    self.dispatch_only(case, "--cores", cores, "-D", "SPLIT=%d" % split)
        self.dispatch_only(Case(SHARED[2], 7, smooth=True), "-D", "SPLIT=2", "--cores", 2)
        self.dispatch_only(Case(SHARED[2], 7), "-D", "SPLIT=1", "--cores", 2, quantised=False)

    def test_profiles(self):
        for profile in ("a3", "a5"):
            for quantised in (True, False):
                self.dispatch_only(Case(SHARED[2], 5), "-p", profile, quantised=quantised)


class Layers(Moe):
    def test_ranks(self):
        for world in WORLDS:
            for quantised in (True, False):
                self.layers(Case(world, 5), "--cores", 2, quantised=quantised)

    def test_shared_experts(self):
        for world in SHARED:
            self.layers(Case(world, 5), "--cores", 2)

    def test_small_numbers_are_exact(self):
        """Without the golden's order: every sum is exact, so there is but one result."""
        for quantised in (True, False):
            case = Case(world_of(5, 4, 2, 1, 1), 5, exact=True, ids=lambda rank, t: [t % 4, (
                t + 1 + rank % 3) % 4])
            self.layers(case, "--cores", 2, quantised=quantised)
            for rank in range(5):
                x = case.x[rank].astype(np.float64)
                factor = (case.weights[rank] * (1 + case.ids[rank])).sum(axis=1) + 5
                want = (x * factor[:, None] / 8).astype(np.float16)
                self.assert_same_bits(self.load("y_%d.npy" % rank), want)

    def test_masks(self):
        for mask in ("tokens", "rows", "none active"):
            for world in (WORLDS[2], SHARED[2]):
                case = Case(world, 4, mask=mask)
                self.layers(case, "--cores", 2)
                for rank in range(world.ranks):
                    idle = ~case.active[rank].any(axis=1)
                    self.assertTrue((self.load("y_%d.npy" % rank)[idle] == 0).all())

    def test_all_to_one_and_an_empty_expert(self):
        self.layers(Case(world_of(3, 6, 1), 6, ids=TO_ONE["the same expert"]), "--cores", 2)
        self.layers(Case(world_of(3, 6, 2), 6, ids=TO_ONE["all but one"]), "--cores", 2)

    def test_tokens_differ_by_rank(self):
        for tokens in ([3, 1, 7], [0, 9, 2]):
            self.layers(Case(WORLDS[2], tokens), "--cores", 2, layers=2)

    def test_cores(self):
        for options in (("--cores", 1), ("--cores", 3), (), ("-p", "a5")):
            self.layers(Case(SHARED[2], 6, hidden=544), *options)
        self.layers(Case(world_of(2, 4, 4), 20), "--cores", 1)      # several batches

    def test_layers_in_sequence(self):
        """Every layer works on the result of the one before, with other routes: whoever reads rows
        of another layer gets other numbers."""
        for world in (WORLDS[2], SHARED[2]):
            case = Case(world, 4)
            for options in ((), ("--join",), ("--slow-rank", "0=20"), ("--slow-rank", "1=0.05")):
                self.layers(case, "--cores", 2, *options, layers=5)
            self.layers(case, "--cores", 1, "--slow-rank", "2=9", layers=4, quantised=False)

    def test_fast_ranks_ahead_of_a_slow_one(self):
        """Every rank starts with its own expert only, so fast ranks run ahead as far as the kernels
        let them."""
        case = Case(world_of(3, 3, 1), 4, ids=lambda rank, t: [rank])
        for slow in ("2=50", "0=50"):
            self.layers(case, "--cores", 1, "--slow-rank", slow, layers=6)

    def test_other_orders_of_events_change_nothing(self):
        case = Case(SHARED[2], 5, mask="rows")
        for seed in range(1, 7):
            self.layers(case, "--jitter", seed, "--cores", 2, layers=3)


class Refused(Moe):
    def refused(self, world, message, *extra, code=2, ids=None, max_bs=None, **case):
        """world: ranks, experts, topk and, if there are any, shared and shared_ranks."""
        case = Case(world_of(*world[:3]), 2, ids=ids or (lambda rank, t: [0] * world[2]), **case)
        case.world.shared, case.world.shared_ranks = (world + (0, 0))[3:5]
        inputs = case.inputs(self, ("expert_scales",))
        if max_bs is not None:
            inputs[inputs.index("max_bs=2")] = "max_bs=%s" % max_bs
        err = self.run_bad(code, "--ranks", world[0], "--cores", 1, "run",
                           kernel("moe/dispatch.pto"), *inputs, *extra)
        self.assertIn(message, err)

    def test_configurations(self):
        self.refused((2, 4, 2, 1, 2), "a rank must be left for routed experts")
        self.refused((3, 4, 2), "routed experts are dealt evenly")
        self.refused((3, 6, 2, 1, 0), "ranks for them if there are any")
        self.refused((3, 6, 2, 0, 1), "ranks for them if there are any")
        self.refused((7, 2, 1, 5, 5), "shared is 0 to 4 experts")
        self.refused((5, 2, 1, 2, 3), "shared experts have equally many ranks")
        self.refused((2, 18, 17), "topk is 1 to 16")
        self.refused((2, 4, 2), "bs is 0 to max_bs", max_bs=1)
        self.refused((1, 2, 1), "max_bs * topk is at most MAX_ROUTES", "-D", "MAX_ROUTES=1")
        self.refused((1, 1025, 1), "experts is at most MAX_EXPERTS")
        self.refused((8, 512, 1), "experts of a rank times ranks", "-D", "MAX_RECORDS=511")
        for hidden in (48, 0):
            self.refused((1, 1, 1), "hidden is a multiple of 32", hidden=hidden)
        self.refused((1, 1, 1), "at most MAX_HIDDEN", "-D", "MAX_HIDDEN=64", hidden=96)
        self.refused((1, 1, 1), "SPLIT is 0, 1 or 2", "-D", "SPLIT=3", code=1)
        each = self.save("max_bs.npy", np.array([2, 3], np.int64))
        self.refused((2, 4, 2), "'max_bs' of kernel dispatch must be the same", max_bs="@" + each)
        mask = self.save("mask.npy", np.ones((2, 2), np.uint8))
        self.refused((2, 4, 2), "there is one mask or none", "--in", "active_mask_2d=" + mask,
                     mask="tokens")

    def test_routes(self):
        self.refused((2, 4, 2), "a token names an expert twice", code=1, ids=lambda rank, t: [1, 1])
        for bad in (-1, 4):
            self.refused((2, 4, 2), "names an expert that does not exist", code=1,
                         ids=lambda rank, t: [1, bad])


class Checked(Moe):
    """Nothing depends on luck, whoever is late."""

    def clean(self, case, *options, quantised=True, layers=3, split=None):
        dispatch = kernel("moe/dispatch.pto" if quantised else "moe/dispatch_f16.pto")
        expert = EXPERT + (":expert" if quantised else ":expert_f16")
        files = [dispatch, expert, kernel("moe/combine.pto"), EXPERT + ":next_layer"]
        inputs = case.inputs(self)
        if split is not None:           # a constant of the dispatch alone
            options += ("-D", "SPLIT=%d" % split)
        for profile in ("a2", "a5"):
            for jitter in (0, 5):
                result = ptovm("check", "-q", "--ranks", case.world.ranks, "-p", profile,
                               "--jitter", jitter, "--repeat", layers, *options, *files, *inputs)
                self.assertEqual((result.code, result.err), (0, ""))

    def test_ranks_and_cores(self):
        for world in WORLDS[:4]:
            for cores in (1, 3):
                self.clean(Case(world, 3), "--cores", cores)
        self.clean(Case(WORLDS[4], 3), "--cores", 1, layers=2)

    def test_shared_experts(self):
        for world in SHARED:
            self.clean(Case(world, 3), "--cores", 2)

    def test_variants(self):
        self.clean(Case(WORLDS[2], 3), "--cores", 2, quantised=False)
        self.clean(Case(SHARED[2], 3, mask="tokens", smooth=True), "--cores", 2)
        for split in (1, 2):
            self.clean(Case(SHARED[2], 3, mask="rows"), "--cores", 2, split=split)

    def test_a_late_rank(self):
        case = Case(world_of(3, 3, 1), 4, ids=lambda rank, t: [rank])
        self.clean(case, "--cores", 1, "--slow-rank", "2=30", layers=4)


class Broken(Moe):
    def findings(self, code, *arguments):
        return self.run_bad(code, "check", "-q", *arguments)

    def check_finding(self, err, file, text, kind):
        self.assertRegex(err, r"%s:%d:\d+: finding: .*\[%s\]" % (file, line_of(kernel(file), text),
                                                              kind))

    def exchange(self, name, x, want, repair):
        """Wrong numbers with a late rank, a finding without; neither with the repair."""
        run = ["--ranks", 4, kernel("broken/" + name), "--in", "x=" + self.save_ranks("x", x)]
        out = ["--out", "y=" + self.path("y_{rank}.npy"), "--slow-rank", "2=20", "-q"]
        right = []
        for define in ((), ("-D", repair)):
            self.run_ok("run", *run, *out, *define)
            right.append(all(np.array_equal(y, w) for y, w in zip(self.load_ranks("y", 4), want)))
        self.assertEqual(right, [False, True])
        self.run_ok("check", "-q", *run, "-D", repair)
        self.check_finding(self.findings(4, *run), "broken/" + name, "TSTORE window@", "race-war")

    def test_one_zone(self):
        x = [np.random.default_rng(r).integers(0, 99, (4, 4, 8)).astype(np.int32) for r in range(4)]
        want = [np.stack([x[p][:, r] for p in range(4)], axis=1) for r in range(4)]
        self.exchange("moe_one_zone.pto", x, want, "ZONES=2")

    def test_unflagged_empty(self):
        x = [np.random.default_rng(r).integers(0, 99, (6, 8)).astype(np.int32) for r in range(4)]
        self.exchange("moe_unflagged_empty.pto", x, [x[(r - 1) % 4] for r in range(4)],
                      "FLAG_EMPTY=1")

    def test_combine_without_dispatch(self):
        """Two combines in a row still have a zone each; the third one meets the first."""
        case = Case(world_of(3, 3, 1), 4, ids=lambda rank, t: [rank])
        combine, inputs = kernel("moe/combine.pto"), case.inputs(self)
        before = ("--ranks", 3, "--cores", 1, "--slow-rank", "2=30", kernel("moe/dispatch.pto"),
                  EXPERT + ":expert")
        self.run_ok("check", "-q", *before, combine, combine, *inputs)
        case = Case(world_of(3, 3, 1), 4, ids=lambda rank, t: [(rank + 1) % 3])
        inputs = case.inputs(self)
        err = self.findings(4, *before, combine, combine, combine, *inputs)
        self.check_finding(err, "moe/combine.pto", "TSTORE combine_window@", "race-war")

    def test_duplicate_experts(self):
        name = "broken/moe_duplicate_experts.pto"

        def run(ranks, ids, *command, experts=2):
            return (*command, "--ranks", ranks, kernel(name), "--set", "experts=%d" % experts,
                    "--out", "rows=" + self.path("rows_{rank}.npy"), "--in",
                    "expert_ids=" + self.save("ids.npy", np.array(ids, np.int32)))

        self.run_ok(*run(1, [[0, 1], [1, 0], [0, 1]], "run", "-q"))
        self.assertEqual(self.load("rows_0.npy").tolist(), [[[1, 2, 3], [1, 2, 3]]])
        self.run_ok(*run(1, [[0, 0], [0, 0], [1, 1]], "run", "-q"))     # a row of token 1 is lost
        self.assertEqual(self.load("rows_0.npy").tolist(), [[[1, 1, 2], [3, 3, 0]]])
        self.check_finding(self.findings(1, *run(2, [[0, 0], [0, 0]], experts=1)), name,
                           "TSTORE window@", "race-waw")
        err = self.run_bad(1, *run(1, [[1, 1], [1, 1], [1, 1]], "run"))
        self.assertIn("%s:%d:" % (kernel(name), line_of(kernel(name), "TSTORE window@")), err)
        self.assertIn("past the last of the 6 elements of 'window'", err)


if __name__ == "__main__":
    unittest.main()
