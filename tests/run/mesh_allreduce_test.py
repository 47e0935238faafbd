"""kernels/collective/allreduce_mesh against the order of operations that its parts fix."""

import unittest

from harness import KernelTest, kernel, ptovm, random_f32
import allreduce as golden

KERNEL = kernel("collective/allreduce_mesh.pto")
PIECE = 4096                                # elements, if not chosen
SMALL = ("-D", "CHUNK=32", "--cores", 2)    # several pieces and lanes with little data


def cut(a, b):
    """Options for a machine and a kernel without the link between two ranks."""
    return ("--link-down", "%d-%d" % (a, b), "--set", "cut_a=%d" % a, "--set", "cut_b=%d" % b)


class MeshAllReduce(KernelTest):
    def inputs(self, ranks, count):
        return [random_f32(1000 * count + rank, count) for rank in range(ranks)]

    def reduce(self, inputs, *options):
        self.run_ok("--ranks", len(inputs), *options, "run", KERNEL, "--in",
                    "x=" + self.save_ranks("x", inputs), "--out", "y=" + self.path("y_{rank}.npy"))
        return self.load_ranks("y", len(inputs))

    def check(self, inputs, *options, op=0):
        piece = [int(o[6:]) for o in options if str(o).startswith("CHUNK=")] or [PIECE]
        want = golden.mesh_allreduce(inputs, golden.OPERATIONS[op], piece[0])
        for rank, y in enumerate(self.reduce(inputs, "--set", "op=%d" % op, *options)):
            self.assert_same_bits(y, want, "rank %d of %d, count %d, %s" % (
                rank, len(inputs), len(want), options))

    def test_any_count_on_any_number_of_ranks(self):
        for ranks in (1, 2, 3, 5, 8):
            for count in (0, 1, 7, 1000, 4099):
                self.check(self.inputs(ranks, count), "--cores", 3)

    def test_every_operation(self):
        for op in range(len(golden.OPERATIONS)):
            self.check(self.inputs(5, 333), *SMALL, op=op)

    def test_several_lanes_and_pieces(self):
        inputs = self.inputs(4, 100003)
        for options in (("--cores", 1), ("--cores", 3), (), ("-D", "CHUNK=512")):
            self.check(inputs, *options)

    def test_a_missing_link_changes_no_bit(self):
        for ranks, a, b in ((3, 0, 1), (3, 2, 0), (4, 1, 3), (5, 4, 0), (8, 0, 1)):
            for count in (1, 1003):
                self.check(self.inputs(ranks, count), *SMALL, *cut(a, b))

    def test_the_missing_link_has_to_be_named(self):
        x = self.save_ranks("x", self.inputs(4, 100))
        err = self.run_bad(1, "--ranks", 4, "--link-down", "0-1", "run", KERNEL, "--in", "x=" + x)
        self.assertRegex(err, "no link from rank (0 to rank 1|1 to rank 0)")

    def test_illegal_configurations_are_refused(self):
        for ranks, a, b, message in ((2, 0, 1, "a third rank has to forward"),
                                     (4, 0, -1, "cut_a and cut_b name a missing link together"),
                                     (4, 0, 4, "cut_a and cut_b are ranks"),
                                     (4, 2, 2, "a link joins two different ranks")):
            err = self.run_bad(2, "--ranks", ranks, "run", KERNEL, "--set", "count=10", "--in",
                               "x=ones", "--set", "cut_a=%d" % a, "--set", "cut_b=%d" % b)
            self.assertIn(message, err)
        err = self.run_bad(2, "run", KERNEL, "--set", "count=10", "--in", "x=ones", "--set", "op=4")
        self.assertIn("op is 0 sum, 1 product, 2 maximum or 3 minimum", err)

    def test_repeated_without_reset(self):
        inputs = self.inputs(4, 1000)
        for extra in ((), ("--join",), ("--slow-rank", "2=5"), ("--slow-rank", "0=9", *cut(0, 3))):
            self.check(inputs, "--repeat", 3, *SMALL, *extra)

    def test_other_orders_of_events_change_nothing(self):
        inputs = self.inputs(4, 1000)
        for seed in range(1, 6):
            for extra in ((), cut(1, 2)):
                self.check(inputs, "--jitter", seed, "--repeat", 2, *SMALL, *extra)

    def test_other_profiles(self):
        self.check(self.inputs(3, 777), "--profile", "a5")
        self.check(self.inputs(3, 7777), "--profile", "toy", "-D", "CHUNK=512")

    def test_the_checker_finds_nothing(self):
        for ranks, cores, extra in ((1, 2, ()), (2, 1, ()), (3, 2, cut(2, 1)), (5, 1, ()),
                                    (5, 2, cut(0, 1)), (8, 1, ())):
            for profile in ("a2", "a5"):
                for costs in ((), ("--jitter", 5, "--slow-rank", "0=4")):
                    result = ptovm("check", "-p", profile, "--ranks", ranks, *SMALL, "--cores",
                                   cores, "--repeat", 2, *costs, *extra, KERNEL, "--set",
                                   "count=603", "--in", "x=random:1")
                    self.assertEqual((result.code, result.err), (0, ""))


if __name__ == "__main__":
    unittest.main()
