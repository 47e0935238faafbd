"""kernels/collective/allreduce_ring against the order of additions that the ring fixes."""

import json
import os
import unittest

import numpy as np

from harness import SOURCE, KernelTest, kernel, ptovm, random_f16, random_f32
import allreduce as golden

COUNTS = (0, 1, 7, 16, 256, 1000, 4099)
KERNEL = kernel("collective/allreduce_ring.pto")
TYPE = {np.float32: (), np.float16: ("-D", "TYPE=f16"), np.int32: ("-D", "TYPE=i32")}


def random_i32(seed, count):
    """All 32 bits, so that sums and products wrap around."""
    return np.random.default_rng(seed).integers(-2**31, 2**31, count).astype(np.int32)


RANDOM = {np.float32: random_f32, np.float16: random_f16, np.int32: random_i32}


class AllReduce(KernelTest):
    def inputs(self, ranks, count, dtype=np.float32):
        return [RANDOM[dtype](1000 * count + rank, count) for rank in range(ranks)]

    def reduce(self, inputs, *options, extra=()):
        ranks, dtype = len(inputs), inputs[0].dtype.type
        self.run_ok("--ranks", ranks, *options, "run", KERNEL, *TYPE[dtype], "--in",
                    "x=" + self.save_ranks("x", inputs), "--out",
                    "y=" + self.path("y_{rank}.npy"), *extra)
        return self.load_ranks("y", ranks)

    def check(self, inputs, *options, ring=None, op=0, elements=None, extra=()):
        want = golden.allreduce(inputs, ring or golden.twisted_ring(len(inputs)),
                                golden.OPERATIONS[op], elements)
        if op:
            options += ("--set", "op=%d" % op)
        if elements:
            options += ("--set", "pass=%d" % elements)
        for rank, y in enumerate(self.reduce(inputs, *options, extra=extra)):
            self.assert_same_bits(y, want, "rank %d of %d, count %d, %s" % (
                rank, len(inputs), len(want), options))

    def test_f32(self):
        for ranks in (1, 2, 3, 4, 5, 8):
            for count in COUNTS:
                down = ("--link-down", "0-1") if ranks >= 4 else ()
                self.check(self.inputs(ranks, count), *down)

    def test_f16(self):
        for ranks in (1, 2, 3, 4, 5, 8):
            for count in (1, 7, 1000, 4099):
                self.check(self.inputs(ranks, count, np.float16))

    def test_every_operation_on_every_type(self):
        for dtype in TYPE:
            for op in range(len(golden.OPERATIONS)):
                self.check(self.inputs(5, 333, dtype), "--cores", 2, op=op)

    def test_another_operation_is_refused(self):
        x = self.save_ranks("x", self.inputs(2, 10))
        for op in (-1, 4):
            err = self.run_bad(2, "--ranks", 2, "run", KERNEL, "--in", "x=" + x,
                               "--set", "op=%d" % op)
            self.assertIn("op is 0 sum, 1 product, 2 maximum or 3 minimum", err)

    def test_passes_through_a_small_buffer(self):
        """The last pass may be short, even shorter than the ring; 6 passes as for 1 GB in buffers
        of 200 MB."""
        for ranks, count, elements in ((1, 100, 30), (2, 100, 50), (4, 1003, 200), (5, 1003, 1000),
                                       (8, 64, 1), (3, 10, 64)):
            for light in (0, 1):
                self.check(self.inputs(ranks, count), "--cores", 2, "--repeat", 2, "-D",
                           "CHUNK=16", "-D", "LANE_PIECES=1", "--set", "light=%d" % light,
                           elements=elements)

    def test_a_pass_of_nothing_is_refused(self):
        x = self.save_ranks("x", self.inputs(2, 10))
        err = self.run_bad(2, "--ranks", 2, "run", KERNEL, "--in", "x=" + x,
                           "--set", "pass=0")
        self.assertIn("a pass moves at least one element", err)

    def test_light_handshake(self):
        for ranks in (1, 2, 3, 4, 5, 8):
            for count in (0, 7, 1000):
                self.check(self.inputs(ranks, count), "--set", "light=1", "--repeat", 3, "--cores",
                           2)

    def test_light_handshake_in_other_orders_of_events(self):
        inputs = self.inputs(4, 1000)
        for seed in range(1, 11):
            self.check(inputs, "--set", "light=1", "--repeat", 3, "--cores", 2, "--jitter", seed,
                       "--slow-rank", "%d=9" % (seed % 4), "-D", "CHUNK=64", "-D", "LANE_PIECES=1",
                       elements=300)

    def test_the_light_handshake_saves_messages(self):
        """All but one of 2 * (N - 1) acknowledgements a lane, direction and rank."""
        ranks, messages = 4, []
        for light in (0, 1):
            report = self.run_ok("--ranks", ranks, "--cores", 1, "--json", "run",
                                 KERNEL, "--set", "count=64", "--in",
                                 "x=ones", "--set", "light=%d" % light).out
            messages.append(sum(link["messages"] for link in json.loads(report)["links"]))
        self.assertEqual(messages[0] - messages[1], ranks * 2 * (2 * (ranks - 1) - 1))

    def test_several_lanes_and_pieces(self):
        inputs = self.inputs(4, 100003)
        for options in (("--cores", 1), ("--cores", 3), (), ("-D", "CHUNK=512")):
            self.check(inputs, *options)

    def test_a_million_elements_on_eight_ranks(self):
        self.check(self.inputs(8, 1000003), "--link-down", "0-1")

    def test_any_ring_order(self):
        inputs = self.inputs(5, 333)
        for ring in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1], [3, 1, 4, 0, 2]):
            order = self.save("ring.npy", np.array(ring, np.int32))
            self.check(inputs, ring=ring, extra=("--in", "ring=" + order))

    def test_a_ring_around_another_missing_link(self):
        order = self.save("ring.npy", np.array([0, 1, 3, 2], np.int32))
        self.check(self.inputs(4, 100), "--link-down", "0-3", "--link-down", "1-2",
                   ring=[0, 1, 3, 2], extra=("--in", "ring=" + order))

    def test_two_and_three_ranks_cannot_avoid_the_link(self):
        for ranks in (2, 3):
            x = self.save_ranks("x", self.inputs(ranks, 10))
            err = self.run_bad(1, "--ranks", ranks, "--link-down", "0-1", "run",
                               KERNEL, "--in", "x=" + x)
            self.assertRegex(err, "no link from rank (0 to rank 1|1 to rank 0)")

    def test_a_list_that_is_no_ring_is_refused(self):
        order = self.save("ring.npy", np.array([0, 1, 1], np.int32))
        x = self.save_ranks("x", self.inputs(3, 10))
        err = self.run_bad(1, "--ranks", 3, "run", KERNEL, "--in", "x=" + x,
                           "--in", "ring=" + order)
        self.assertIn("the ring lists this rank once", err)

    def test_repeated_without_reset(self):
        inputs = self.inputs(4, 1000)
        for extra in ((), ("--join",)):
            self.check(inputs, "--repeat", 3, *extra)

    def test_repeated_with_a_late_rank(self):
        self.check(self.inputs(4, 5000), "--repeat", 3, "--slow-rank", "2=5", "--cores", 2)

    def test_the_next_kernel_may_use_the_buffer_at_once(self):
        """A rank that has ended must not be read from any more: another one may be far behind."""
        inputs = self.inputs(4, 64)
        for slow in ("0=500", "1=500", "2=500", "3=500"):
            self.check(inputs, "--slow-rank", slow,
                       extra=(os.path.join(SOURCE, "tests/run/kernels/scribble.pto"),
                              "--set", "count=64"))

    def test_other_orders_of_events_change_nothing(self):
        inputs = self.inputs(4, 4099)
        for seed in range(1, 21):
            self.check(inputs, "--jitter", seed, "--repeat", 2, "--cores", 2)

    def test_slow_ranks_change_nothing(self):
        inputs = self.inputs(8, 1000)
        for slow in ("0=10", "7=3.5"):
            self.check(inputs, "--slow-rank", slow)

    def test_the_checker_finds_nothing(self):
        x = "x=random:1"
        for ranks, cores, elements, light in ((1, 2, 150, 1), (2, 1, 150, 0), (3, 2, 150, 1),
                                              (5, 2, 400, 0), (5, 1, 400, 1), (8, 2, 400, 1)):
            for profile in ("a2", "a5"):
                for costs in ((), ("--jitter", 5, "--slow-rank", "0=4")):
                    result = ptovm("check", "-p", profile, "--ranks", ranks, "--cores", cores,
                                   "--repeat", 2, *costs, KERNEL, *TYPE[np.int32], "-D",
                                   "CHUNK=32", "-D", "LANE_PIECES=1", "--set", "count=403", "--set",
                                   "pass=%d" % elements, "--set", "light=%d" % light, "--set",
                                   "op=2", "--in", x)
                    self.assertEqual((result.code, result.err), (0, ""))

    def test_profile_a5(self):
        self.check(self.inputs(3, 777), "--profile", "a5")

    def test_profile_toy(self):
        self.check(self.inputs(3, 7777), "--profile", "toy", "-D", "CHUNK=512")


class States(KernelTest):
    """Four ranks, every input 2: the blocks on every rank after every round."""

    def test_every_round(self):
        ranks, count = 4, 16
        ring = golden.twisted_ring(ranks)
        inputs = [np.full(count, 2, np.float32)] * ranks
        self.run_ok("--ranks", ranks, "run", KERNEL, "--in",
                    "x=" + self.save_ranks("x", inputs), "--set", "snapshots=7", "--out",
                    "snap=" + self.path("snap_{rank}.npy"))
        snap = self.load_ranks("snap", ranks)
        for state, blocks in enumerate(golden.CLOCKWISE_STATES):
            for place, rank in enumerate(ring):
                got = "".join("%d" % v for v in snap[rank][state, 0:8:2])
                self.assertEqual(got, blocks[place], "state %d, place %d" % (state, place))
        for place, rank in enumerate(ring):
            got = "".join("%d" % v for v in snap[rank][3, 8:16:2])
            self.assertEqual(got, golden.COUNTER_CLOCKWISE_REDUCED[place])
            self.assertTrue((snap[rank][6] == 8).all())

    def test_every_pass(self):
        ranks, count = 3, 50
        x = [random_f32(rank, count) for rank in range(ranks)]
        self.run_ok("--ranks", ranks, "--cores", 1, "run", KERNEL,
                    "--in", "x=" + self.save_ranks("x", x), "--set", "pass=20", "--set",
                    "snapshots=5", "--out", "snap=" + self.path("snap_{rank}.npy"))
        want = golden.allreduce(x, golden.twisted_ring(ranks), elements=20)
        for rank, snap in enumerate(self.load_ranks("snap", ranks)):
            self.assert_same_bits(snap[0], x[rank])
            self.assert_same_bits(snap[4], want)


if __name__ == "__main__":
    unittest.main()
