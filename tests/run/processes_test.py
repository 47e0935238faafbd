"""Processes that share the ranks of a run change nothing that can be seen: results, screen,
reports, traces.  Skipped where there is no mpirun, or no Open MPI when the programs were built."""

import os
import re
import unittest

import numpy as np

import durations_test
import threads_test
from harness import SOURCE, sample
from processes import MPIRUN, TALK, ProcessTest

CHANGES = threads_test.CHANGES
CHATTER = os.path.join(SOURCE, "tests", "run", "kernels", "chatter.pto")


def times(text):
    """The times in a text, in microseconds."""
    return [float(time) for time in re.findall(r", at ([0-9.]+) us", text)]


class Processes(ProcessTest):
    # ---- what they have in common with one ----

    def test_ways_of_a_run(self):
        ways = ((), CHANGES, ("--repeat", 3, "--jitter", 5, "--join"),
                ("--topology", "torus:4x2", *CHANGES), ("--topology", "switch"),
                ("--topology", "nodes:4"), ("--threads", 2, "--slow-rank", "6=3"),
                ("--timing-only",), ("--link-down", "3-4@9us", *CHANGES),
                ("--topology", "torus:4x2", "--link-down", "0-4@8.3us"))  # lost on its way
        for i, options in enumerate(sample(ways, 3)):
            with self.subTest(options):
                names = () if "--timing-only" in options else ("y", "acc", "turn")
                alone = self.compare(self.ring(*options), (2 + i % 3,), names)
                self.assertEqual(alone["code"], int("--link-down" in options), alone["err"])

    def test_a_signal_that_nobody_waits_for(self):
        """All processes know that the run is over when it has arrived."""
        with open(self.path("k.pto"), "w") as file:
            file.write(durations_test.UNAWAITED.replace("%to", durations_test.TOLD[0]))
        told = [self.compare(("--profile", "toy", "--ranks", 4, "--cores", 1, *options, "run",
                              self.path("k.pto")), (2, 4))["out"]
                for options in ((), ("--profile-set", "remote_wake=3us"))]
        self.assertEqual(told[0], told[1])

    def test_prints_come_in_order(self):
        alone = self.compare(("--ranks", 6, "run", TALK, "--set", "n=200", "--set", "bad=6"),
                             (2, 4))
        self.assertEqual(alone["code"], 0, alone["err"])
        self.assertEqual(alone["out"].count("step"), 6 * 4)

    def test_causes(self):
        """The longest chain of a run goes through ranks of all processes; so does a page."""
        arguments = tuple(map(str, self.ring("--critical-path", "--report", self.path("page"))))
        alone = self.everything(1, arguments, ())
        with open(self.path("page"), "rb") as file:
            page = file.read()
        os.remove(self.path("page"))
        self.assertEqual(self.everything(4, arguments, ()), alone)
        with open(self.path("page"), "rb") as file:
            self.assertEqual(file.read(), page)

    def test_comparisons(self):
        arguments = self.ring()
        want = np.zeros(4000, np.float32)
        alone = self.compare((*arguments, "--expect", "y=" + self.save("w.npy", want)), (3,), ())
        self.assertEqual(alone["code"], 6)

    def test_inputs_that_are_asked_for(self):
        """An input goes out as it came in: of each rank from a file, for all, and generated."""
        alone = self.compare(self.ring(), (3,), ("x", "y"))
        for rank in range(8):
            with open(self.path("x_%d.npy" % rank), "rb") as file:
                self.assertEqual(alone["x_%d.npy" % rank], file.read())
        for given in ("x=" + self.path("x_0.npy"), "x=random:7"):
            arguments = self.ring()
            self.compare((*arguments[:-1], given), (3,), ("x", "y"))

    # ---- ends ----

    def test_faults(self):
        for bad in (0, 3, 5):  # of three processes with two ranks each
            alone = self.compare(("--ranks", 6, "run", TALK, "--set", "n=100", "--set",
                                  "bad=%d" % bad), (3,))
            self.assertEqual(alone["code"], 1)
            self.assertIn("rank %d" % bad, alone["err"])

    def test_limits(self):
        alone = self.compare(("--ranks", "6", "--max-insns", "100K", "run", TALK, "--set",
                              "n=100000", "--set", "bad=9"), (2, 4))
        self.assertEqual(alone["code"], 5)

    def test_deadlocks(self):
        """Who waits for what, and what nearly came, on ranks of all processes."""
        graph = self.path("waits.dot")
        dead = tuple(map(str, self.ring("--dead-rank", "5@9us", "--wait-graph", graph)))
        alone = self.everything(1, dead, ())
        with open(graph) as file:
            drawn = file.read()
        self.assertEqual(alone["code"], 3, alone["err"])
        for processes in (3, 8):
            os.remove(graph)
            self.assertEqual(self.everything(processes, dead, ()), alone)
            with open(graph) as file:
                self.assertEqual(file.read(), drawn)

    def test_missing_links(self):
        x = self.save_ranks("x", [np.full(1000, r, np.float32) for r in range(8)])
        naive = ("--ranks", 8, "--link-down", "4-5", "run",
                 "kernels/broken/allreduce_naive_ring.pto", "--set", "count=1000", "--in", "x=" + x)
        self.assertEqual(self.compare(naive, (3,), ())["code"], 1)

    # ---- processes that are ahead of others ----

    def chatter(self, *options, bad=8, at=0):
        return tuple(map(str, ("--ranks", 8, "--cores", 1, "--topology", "nodes:2", *options,
                               "run", CHATTER, "--set", "rounds=6", "--set", "bad=%d" % bad,
                               "--set", "at=%d" % at)))

    def compare_ahead(self, arguments, code):
        """One process, threads, processes with whole nodes and with parts of them.  Observers
        would keep processes side by side, so there is no trace."""
        alone = self.everything(1, ("--threads", 1, *arguments), ("came",), traced=False)
        self.assertEqual(alone["code"], code, alone["err"])
        apart = self.deal("0: 0-2, 4\n1: 3, 5-7\n")
        mixed = self.deal("0: 2, 3, 6, 7\n1: 0, 1, 4, 5\n", "mixed")
        for processes, options in ((1, ("--threads", 3)), (2, ()), (4, ("--threads", 2)),
                                   (2, ("--deal", apart)), (2, ("--deal", mixed))):
            self.assertEqual(self.everything(processes, (*options, *arguments), ("came",),
                                             traced=False), alone, (processes, options))
        return alone

    def test_ahead(self):
        for options in ((), ("--repeat", 3, "--jitter", 5), ("--repeat", 2, "--join"),
                        ("--slow-rank", "6=3", "--slow-link", "node1-network=3@15us..40us")):
            with self.subTest(options):
                alone = self.compare_ahead(self.chatter(*options), 0)
                told = times(alone["out"])
                self.assertGreaterEqual(len(told), 8 * 6 * 2)
                self.assertEqual(told, sorted(told))

    def test_ahead_of_a_fault(self):
        """Ranks fault at different times, the first of them in any process: it is reported, and
        nothing that was printed behind it."""
        for bad, at, options in ((0, 2, ()), (3, 3, ()), (7, 4, ()),
                                 (8, 0, ("--link-down", "node1-network@30us"))):
            with self.subTest(bad=bad, options=options):
                alone = self.compare_ahead(self.chatter(*options, bad=bad, at=at), 1)
                end, = times(alone["err"])
                told = times(alone["out"])
                self.assertGreater(len(told), 8)
                self.assertEqual(told, sorted(told))
                self.assertLessEqual(told[-1], end)

    def test_ahead_of_a_limit(self):
        for options in (("--max-time", "31us"), ("--max-insns", "16K")):
            with self.subTest(options):
                alone = self.compare_ahead(self.chatter(*options), 5)
                self.assertGreater(len(times(alone["out"])), 8)

    def test_ahead_of_a_deadlock(self):
        self.compare_ahead(self.chatter("--dead-rank", "5@30us"), 3)

    # ---- who has which ranks ----

    def test_deals(self):
        arguments = tuple(map(str, self.ring("--topology", "torus:4x2")))
        alone = self.everything(1, arguments, ("y", "acc", "turn"))
        self.assertEqual(alone["code"], 0, alone["err"])
        file = self.deal("# who has what\n2: 0, 3-4\n\n0: 7\n1: 1 - 2, 5,6  # the rest\n")
        for deal in ("cyclic", file):
            self.assertEqual(self.everything(3, (*arguments, "--deal", deal),
                                             ("y", "acc", "turn")), alone, deal)


@unittest.skipIf(MPIRUN, "there is an mpirun")
class Note(unittest.TestCase):
    def test_skipped(self):
        self.skipTest("no mpirun: runs of several processes were not tested")


if __name__ == "__main__":
    unittest.main()
