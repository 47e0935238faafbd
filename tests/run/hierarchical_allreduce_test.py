"""kernels/collective/allreduce_hierarchical against the order of operations that its two levels
fix, and the built-in value that chooses its groups."""

import json
import unittest

import numpy as np

from harness import KernelTest, kernel, ptovm, random_f16, random_f32
import allreduce as golden

KERNEL = kernel("collective/allreduce_hierarchical.pto")
PIECE = {np.float32: 4096, np.float16: 8192}    # elements, if not chosen
SMALL = ("-D", "CHUNK=32", "--cores", 2)        # several pieces and lanes with little data
NODE = """.kernel node
.out y : i64[1]
.core aiv
    .if vec_id() == 0
        st y[0], node_ranks()
    .endif
"""


class HierarchicalAllReduce(KernelTest):
    def inputs(self, ranks, count, random=random_f32):
        return [random(1000 * count + rank, count) for rank in range(ranks)]

    def reduce(self, inputs, *options):
        self.run_ok("--ranks", len(inputs), *options, "run", KERNEL, "--in",
                    "x=" + self.save_ranks("x", inputs), "--out", "y=" + self.path("y_{rank}.npy"))
        return self.load_ranks("y", len(inputs))

    def check(self, inputs, group, *options, op=0, given=True):
        """`given`: the groups are the parameter's, not the topology's."""
        piece = [int(o[6:]) for o in options if str(o).startswith("CHUNK=")] + \
            [PIECE[inputs[0].dtype.type]]
        want = golden.hierarchical_allreduce(inputs, group, golden.OPERATIONS[op], piece[0])
        if given:
            options += ("--set", "group=%d" % group)
        for rank, y in enumerate(self.reduce(inputs, "--set", "op=%d" % op, *options)):
            self.assert_same_bits(y, want, "rank %d of %d in groups of %d, count %d, %s" % (
                rank, len(inputs), group, len(want), options))

    def test_the_reference_by_hand(self):
        """Rank r has 10^r: each element counts every rank once, whatever the groups."""
        for ranks, group in ((1, 1), (5, 1), (5, 2), (5, 3), (6, 2), (7, 4), (6, 6)):
            x = [np.full(50, 10 ** r, np.int64) for r in range(ranks)]
            y = golden.hierarchical_allreduce(x, group, chunk=3)
            self.assertTrue((y == int("1" * ranks)).all(), (ranks, group, y))

    def test_any_count_in_any_groups(self):
        for ranks, groups in ((1, (1,)), (2, (1, 2)), (3, (2,)), (5, (1, 2, 3, 4, 5)),
                              (8, (2, 3, 4, 7)), (13, (5,))):
            for group in groups:
                for count in (0, 1, 7, 1000, 4099):
                    self.check(self.inputs(ranks, count), group, "--cores", 3)

    def test_every_operation(self):
        for op in range(len(golden.OPERATIONS)):
            self.check(self.inputs(7, 1333), 3, *SMALL, op=op)

    def test_f16(self):
        self.check(self.inputs(6, 1333, random_f16), 4, "-D", "TYPE=f16", *SMALL)
        self.check(self.inputs(4, 40001, random_f16), 2, "-D", "TYPE=f16")

    def test_several_lanes_and_pieces(self):
        inputs = self.inputs(4, 100003)
        for options in (("--cores", 1), ("--cores", 3), (), ("-D", "CHUNK=512")):
            self.check(inputs, 2, *options)

    def test_groups_are_those_of_the_topology(self):
        inputs = self.inputs(6, 1000)
        for topology, group in (("mesh", 6), ("ring", 6), ("switch", 6), ("nodes:2", 2),
                                ("nodes:4", 4), ("torus:3x2", 3), ("torus:2x3", 2)):
            self.check(inputs, group, *SMALL, "--topology", topology, given=False)

    def test_node_ranks(self):
        """The built-in value itself, N also on a last node that is smaller."""
        with open(self.path("node.pto"), "w") as file:
            file.write(NODE)
        for topology, ranks in (("mesh", 6), ("ring", 6), ("switch", 6), ("nodes:4", 4),
                                ("nodes:6", 6), ("torus:1x6", 1), ("torus:3x2", 3)):
            self.run_ok("--ranks", 6, "--topology", topology, "run", self.path("node.pto"),
                        "--expect", "y=const:%d" % ranks)

    def test_what_goes_between_nodes(self):
        """Of 4 nodes of 2 ranks: each rank reads 3/4 of its half twice from other nodes."""
        count = 8 * 512
        report = json.loads(self.run_ok("--ranks", 8, "--topology", "nodes:2", "--json", "run",
                                        KERNEL, "--set", "count=%d" % count, "--in",
                                        "x=ones").out)
        far = sum(link["bytes"] for link in report["links"]
                  if link["from"] // 2 != link["to"] // 2)
        notifies = 8 * 3 * 3 * 4        # ranks, other groups, phases, bytes of a signal
        self.assertEqual(far, 8 * 2 * (count // 2 * 3 // 4) * 4 + notifies)

    def test_illegal_groups_are_refused(self):
        for group in (0, -1, 5):
            err = self.run_bad(2, "--ranks", 4, "run", KERNEL, "--set", "count=10", "--in",
                               "x=ones", "--set", "group=%d" % group)
            self.assertIn("a group has 1 to nranks() ranks", err)
        err = self.run_bad(2, "run", KERNEL, "--set", "count=10", "--in", "x=ones", "--set", "op=4")
        self.assertIn("op is 0 sum, 1 product, 2 maximum or 3 minimum", err)

    def test_repeated_without_reset(self):
        inputs = self.inputs(5, 1000)
        for extra in ((), ("--join",), ("--slow-rank", "2=5"), ("--slow-rank", "4=9")):
            self.check(inputs, 2, "--repeat", 3, *SMALL, *extra)

    def test_other_orders_of_events_change_nothing(self):
        inputs = self.inputs(7, 1000)
        for seed in range(1, 6):
            self.check(inputs, 3, "--jitter", seed, "--repeat", 2, *SMALL)

    def test_other_profiles(self):
        self.check(self.inputs(3, 777), 2, "--profile", "a5")
        self.check(self.inputs(3, 7777), 2, "--profile", "toy", "-D", "CHUNK=512")

    def test_the_checker_finds_nothing(self):
        for ranks, cores, group in ((1, 2, 1), (2, 1, 1), (3, 2, 2), (5, 1, 5), (5, 2, 2),
                                    (8, 1, 4), (11, 2, 4)):
            for profile in ("a2", "a5"):
                for costs in ((), ("--jitter", 5, "--slow-rank", "0=4"),
                              ("--jitter", 9, "--slow-rank", "%d=9" % (ranks - 1))):
                    result = ptovm("check", "-p", profile, "--ranks", ranks, *SMALL, "--cores",
                                   cores, "--repeat", 2, *costs, KERNEL, "--set", "count=603",
                                   "--set", "group=%d" % group, "--in", "x=random:1")
                    self.assertEqual((result.code, result.err), (0, ""))


if __name__ == "__main__":
    unittest.main()
