"""kernels/collective/p2p_*: the bytes arrive, nobody else's change, and the time is the link's."""

import glob
import os
import unittest

import numpy as np

from harness import SOURCE, KernelTest, ptovm
import p2p as golden

KERNELS = sorted(glob.glob(os.path.join(SOURCE, "kernels", "collective", "p2p_*.pto")))
STAGED = ("p2p_get.pto", "p2p_put.pto")
LINK = 19.5     # GiB/s of profile a2


def random_bytes(seed, size):
    return np.random.default_rng(seed).integers(0, 256, size).astype(np.uint8)


class PointToPoint(KernelTest):
    def chunk(self, kernel, size):
        """Options for a small staging tile, where the kernel has one."""
        return ("-D", "CHUNK=%d" % size) if os.path.basename(kernel) in STAGED else ()

    def copy(self, kernel, x, boxes, source, target, *options):
        """The boxes afterwards, and y of the target."""
        ranks = len(x)
        self.run_ok("--ranks", ranks, "--set", "source=%d" % source, "--set", "target=%d" % target,
                    *options, "run", kernel, "--in", "x=" + self.save_ranks("x", x), "--in",
                    "box=" + self.save_ranks("box", boxes), "--out",
                    "box=" + self.path("got_{rank}.npy"), "--out",
                    "y=" + self.path("y_{rank}.npy"), "--out",
                    "time=" + self.path("time_{rank}.npy"))
        return self.load_ranks("got", ranks), self.load("y_%d.npy" % target)

    def check(self, kernel, ranks, size, source, target, *options):
        x = [random_bytes(rank, size) for rank in range(ranks)]
        boxes = [random_bytes(100 + rank, size) for rank in range(ranks)]
        got, y = self.copy(kernel, x, boxes, source, target, *options)
        what = "%s, %d ranks, %d bytes, %s" % (kernel, ranks, size, options)
        for rank, want in enumerate(golden.copied(x, boxes, source, target)):
            self.assert_same_bits(got[rank], want, "%s: box of rank %d" % (what, rank))
        self.assert_same_bits(y, x[source], what)

    def test_there_are_kernels(self):
        self.assertLessEqual(set(STAGED), set(map(os.path.basename, KERNELS)))

    def test_any_size(self):
        for kernel in KERNELS:
            for size in (0, 1, 31, 256, 1000, 4099):
                self.check(kernel, 2, size, 0, 1, *self.chunk(kernel, 256))

    def test_one_staging_tile(self):
        kernel = next(k for k in KERNELS if os.path.basename(k) == "p2p_get.pto")
        for size in (0, 1, 256, 1000):
            self.check(kernel, 2, size, 0, 1, "-D", "STAGES=1", *self.chunk(kernel, 256))

    def test_any_pair_of_ranks_and_number_of_lanes(self):
        for kernel in KERNELS:
            for ranks, source, target, lanes in ((1, 0, 0, 1), (2, 1, 0, 2), (3, 2, 1, 3),
                                                 (5, 3, 3, 2), (8, 0, 7, 4)):
                self.check(kernel, ranks, 1003, source, target, "--cores", 2, "--set",
                           "lanes=%d" % lanes, *self.chunk(kernel, 64))

    def test_only_the_link_between_the_two_is_needed(self):
        down = ("--link-down", "0-1", "--link-down", "1-2", "--link-down", "0-3")
        for kernel in KERNELS:
            self.check(kernel, 4, 100, 0, 2, *down)
            err = self.run_bad(1, "--ranks", 4, *down, "run", kernel, "--in", "x=random", "--set",
                               "bytes=10", "--set", "source=0", "--set", "target=1")
            self.assertRegex(err, "no link from rank (0 to rank 1|1 to rank 0)")

    def test_repeated_in_other_orders_of_events(self):
        for kernel in KERNELS:
            for options in (("--jitter", 3), ("--slow-rank", "0=9"), ("--slow-rank", "2=9"),
                            ("--join",)):
                self.check(kernel, 3, 1003, 0, 2, "--repeat", 3, "--set", "lanes=3", *options,
                           *self.chunk(kernel, 64))

    def test_illegal_configurations_are_refused(self):
        for kernel in KERNELS:
            for option, message in (("source=2", "source is a rank"), ("target=-1", "target is a"),
                                    ("lanes=0", "lanes is 1 to"), ("lanes=3", "lanes is 1 to")):
                err = self.run_bad(2, "--ranks", 2, "--cores", 1, "run", kernel, "--in", "x=ones",
                                   "--set", "bytes=1", "--set", option)
                self.assertIn(message, err)

    def test_large_copies_take_the_time_of_the_link(self):
        """The slope from 1 MiB to 4 MiB is the link's bandwidth: loading and storing overlap."""
        for kernel in KERNELS:
            times = []
            for size in (2**20, 2**22):
                zeros = [np.zeros(size, np.uint8)] * 2
                self.copy(kernel, zeros, zeros, 0, 1)
                times.append(max(int(time[0, 0]) for time in self.load_ranks("time", 2)))
                self.assertGreater(times[-1], golden.transfer_time(size, LINK))
            slope = (times[1] - times[0]) / golden.transfer_time(3 * 2**20, LINK)
            self.assertLess(abs(slope - 1), 0.05, kernel)

    def test_the_checker_finds_nothing(self):
        for kernel in KERNELS:
            for ranks, source, target, lanes in ((1, 0, 0, 1), (2, 0, 1, 3), (3, 2, 0, 4)):
                for profile in ("a2", "a5"):
                    for costs in ((), ("--jitter", 5, "--slow-rank", "0=4")):
                        result = ptovm("check", "-p", profile, "--ranks", ranks, "--cores", 2,
                                       "--repeat", 2, *costs, kernel, "-D", "PAGE=256", "--set",
                                       "bytes=1003", "--set", "source=%d" % source, "--set",
                                       "target=%d" % target, "--set", "lanes=%d" % lanes, "--in",
                                       "x=random:1", *self.chunk(kernel, 64))
                        self.assertEqual((result.code, result.err), (0, ""))


if __name__ == "__main__":
    unittest.main()
