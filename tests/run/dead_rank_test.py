"""A rank that dies: what it had sent arrives, nothing reaches it, and who waits for it is told."""

import json
import unittest

import numpy as np

from harness import KernelTest, kernel, line_of, ptovm

# Rank 0 does ACTION; the others end at once, or wait for rank 1.
KERNEL = """.kernel k
.in  x : f32[64, 32]
.out y : f32[64, 32]
.sym box : f32[64, 32]
.signal here[1]
.core aiv
.tile t : ub f32[64, 32]
    .if vec_id() == 0 && rank() == 0
        {}
    .endif
"""
PUT = """TLOAD t, x
        pipe_barrier ALL
        TSTORE box@1, t
        pipe_barrier ALL
        dsb"""
GET = """TLOAD t, box@1
        pipe_barrier ALL"""


class DeadRank(KernelTest):
    def kernel(self, action):
        with open(self.path("k.pto"), "w") as file:
            file.write(KERNEL.format(action))
        return self.path("k.pto")

    def run_dead(self, code, action, *options):
        return self.run_bad(code, "--ranks", 2, "--cores", 1, *options, "run", self.kernel(action),
                            "--in", "x=ones")

    def test_what_is_sent_to_it_is_never_acknowledged(self):
        for topology in ("mesh", "switch"):
            for threads in (1, 2):
                text = self.run_dead(3, PUT, "--topology", topology, "--threads", threads,
                                     "--dead-rank", "1@1ns")
                place = line_of(self.path("k.pto"), "dsb")
                self.assertIn("k.pto:%d:" % place, text.splitlines()[0])
                self.assertIn("deadlock: rank 1 died at 0.001 us, before it had ended", text)
                self.assertIn("pipe S waits at dsb until what it sent is acknowledged", text)
                self.assertIn("dead: rank 1", text)

    def test_it_is_dead_from_the_beginning(self):
        self.assertIn("rank 1 died at 0.000 us", self.run_dead(3, GET, "--dead-rank", "1@0us"))

    def test_it_answers_nothing(self):
        text = self.run_dead(3, GET, "--dead-rank", "1@1ns")
        self.assertIn("rank 1 died at 0.001 us", text)
        self.assertIn("pipe S waits until its pipes are empty", text)

    def test_the_first_death_of_several(self):
        text = self.run_dead(3, PUT, "--dead-rank", "1@2ns", "--dead-rank", "0@1ns",
                             "--dead-rank", "1@3ns")
        self.assertIn("rank 0 died at 0.001 us", text)
        self.assertIn("dead: rank 0, rank 1", text)

    def test_who_has_ended_cannot_die(self):
        words = ["--ranks", 2, "--cores", 1, "run", self.kernel(GET), "--in", "x=ones"]
        alive = self.run_ok(*words)
        end = json.loads(self.run_ok(*words, "--json").out)["time_ps"]
        dead = self.run_ok("--dead-rank", "1@%dps" % (end + 1), *words)
        line = "change        rank 1: dead from %d.%03d us, after the end\n" % (
            (end + 1) // 10**6, (end + 1) // 1000 % 1000)
        self.assertEqual(dead.out.replace(line, ""), alive.out)
        self.assertIn(line, dead.out)

    def test_a_ring_that_loses_a_rank(self):
        """Every time of the run: either all is right, or the death is named."""
        x = np.arange(4000, dtype=np.float32).reshape(4, 1000)
        words = ["--ranks", 4, "run", kernel("collective/allreduce_ring.pto"), "--set",
                 "count=1000", "--in", "x=" + self.save_ranks("x", x),
                 "--out", "y=" + self.path("y_{rank}.npy")]
        end = json.loads(self.run_ok(*words, "--json").out)["time_ps"]
        for eighth in range(1, 9):
            time = end * eighth // 8 + (eighth == 8)
            result = ptovm("--dead-rank", "2@%dps" % time, *words)
            if result.code == 0:
                for y in self.load_ranks("y", 4):
                    self.assert_same_bits(y.reshape(-1), x.sum(axis=0))
                continue
            self.assertEqual(result.code, 3, result.err)
            self.assertIn("rank 2 died at %.3f us" % (time / 1e6), result.err)
        self.assertEqual(result.code, 0)

    def test_the_report_names_it(self):
        result = ptovm("--ranks", 2, "--cores", 1, "--dead-rank", "1@1ns", "run",
                       self.kernel(PUT), "--in", "x=ones", "--json")
        waits = json.loads(result.out)["waits"]
        self.assertEqual([w["rank"] for w in waits if w["state"] == "died"], [1])

    def test_refused(self):
        for word in ("1", "1@", "@5us", "1@5", "x@5us", "-1@5us", "1@-5us"):
            self.assertIn("not a rank and a time", self.run_dead(2, PUT, "--dead-rank", word))
        self.assertIn("--dead-rank 7: no such rank", self.run_dead(2, PUT, "--dead-rank", "7@1us"))


if __name__ == "__main__":
    unittest.main()
