"""Efficiency beside the critical path: load balance x serialisation x transfer of several ranks."""

import json
import os
import re
import signal
import subprocess
import unittest

from harness import SOURCE, KernelTest, kernel, ptovm
from pto import helper

TURNS = (10, 20, 30, 40)
FREE_LINKS = ["--profile-set", "link_latency=1ns", "--profile-set", "link_bandwidth=1000TB/s",
              "--profile-set", "egress_bandwidth=1000TB/s"]
RING = ["--ranks", "4", kernel("collective/allreduce_ring.pto"), "--set", "count=20000", "--in",
        "x=ones"]

# Rank r works for 10 (r + 1) turns of V alone.
STAIRS = """.kernel stairs
.core aiv
.tile t : ub f32[16, 1024]
    bne vec_id(), 0, done
    %turns = 10 * (rank() + 1)
    .for %i = 0 to %turns
        TEXP t, t
    .endfor
done:
    end
"""

# What comes from the rank's own memory goes to the next rank.
SEND = """.kernel send
.param n : i64
.in a : f32[n]
.sym box : f32[n]
.signal full[1]
.core aiv
.tile t : ub f32[1, 8192]
    bne vec_id(), 0, done
    TPUT box@(mod(rank() + 1, nranks()))[0]{1, %n}, a[0]{1, %n}, t
    pipe_barrier ALL
    dsb
    TNOTIFY full@(mod(rank() + 1, nranks()))[0], 1, set
    TWAIT full[0], eq, 1
done:
    end
"""

# A pipe that loads, and one that computes.
TWO_PIPES = """.kernel two
.in a : f32[8192]
.core aiv
.tile t : ub f32[1, 8192]
.tile u : ub f32[1, 8192]
    bne vec_id(), 0, done
    .for %%i = 0 to 5
        TLOAD t, a[0]
%s        TEXP u, u
    .endfor
done:
    end
"""
IN_TURN = """        set_flag MTE2, V, 0
        wait_flag MTE2, V, 0
"""


def busy(data, rank, *pipes):
    return sum(pipe["busy_ps"] for pipe in data["per_rank"][rank]["pipes"] if pipe["pipe"] in pipes)


def work_on_page(path, ranks):
    """Of each rank the time in which a slice of the page is computing or memory of its own."""
    with open(path, encoding="utf-8") as file:
        text = re.search(r'<script type="application/json" id="data">(.*?)</script>', file.read(),
                         re.S)[1]
    work = [[] for _ in range(ranks)]
    for track in json.loads(text)["tracks"]:
        start, slices = 0, track["slices"]
        for later, length, kind in zip(slices[0::4], slices[1::4], slices[3::4]):
            start += later
            if kind < 2:
                work[track["rank"]].append((start, start + length))
    union = []
    for intervals in work:
        until = total = 0
        for start, end in sorted(intervals):
            total += max(0, end - max(start, until))
            until = max(until, end)
        union.append(total)
    return union


class Efficiency(KernelTest):
    def measure(self, *arguments):
        """The report, and what it says of the efficiency, whose factors are what they should be."""
        done = ptovm("run", "--json", "--critical-path", *arguments, cwd=SOURCE)
        self.assertEqual(done.code, 0, done.err)
        data = json.loads(done.out)
        said = data["critical_path"]["efficiency"]
        useful, time = said["useful_ps"], data["time_ps"]
        mean = sum(useful) / len(useful)
        self.assertEqual(len(useful), data["ranks"])
        for name, value in [("load_balance", mean / max(useful)),
                            ("serialisation", max(useful) / said["ideal_ps"]),
                            ("transfer", said["ideal_ps"] / time),
                            ("communication", max(useful) / time),
                            ("parallel", mean / time),
                            ("parallel", said["load_balance"] * said["serialisation"] *
                             said["transfer"])]:
            self.assertAlmostEqual(said[name], value, delta=1e-12, msg=name)
        return data, said

    def test_ranks_that_do_not_talk(self):
        """10, 20, 30 and 40 turns: 100 of 160; the network is nothing to them."""
        data, said = self.measure("--ranks", "4", self.write("stairs.pto", STAIRS))
        self.assertEqual(said["useful_ps"], [busy(data, rank, "V") for rank in range(4)])
        self.assertEqual([4 * useful for useful in said["useful_ps"]],
                         [turns // 10 * said["useful_ps"][3] for turns in TURNS])
        self.assertEqual((said["load_balance"], said["transfer"]), (0.625, 1))
        self.assertEqual(said["ideal_ps"], data["time_ps"])
        out = ptovm("run", "-q", "--critical-path", "--ranks", "4", self.path("stairs.pto")).out
        self.assertIn("\n  efficiency  %7.1f%%  = load balance 62.5%% x serialisation %.1f%% x "
                      "transfer 100.0%%\n" % (100 * said["parallel"], 100 * said["serialisation"]),
                      out)

    def test_what_goes_to_others_is_no_use(self):
        """V and what loads are of use, what sends is not."""
        data, said = self.measure("--ranks", "3", self.write("send.pto", SEND), "--set", "n=8192",
                                  "--in", "a=ones")
        for rank in range(3):
            self.assertEqual(said["useful_ps"][rank], busy(data, rank, "MTE2"))
            self.assertGreater(busy(data, rank, "MTE3"), 0)
        self.assertLess(said["transfer"], 0.9)

    def test_pipes_at_once_count_once(self):
        for between in ("", IN_TURN):
            data, said = self.measure("--ranks", "2", "--in", "a=ones",
                                      self.write("two.pto", TWO_PIPES % between))
            load, work = busy(data, 0, "MTE2"), busy(data, 0, "V")
            self.assertGreaterEqual(said["useful_ps"][0], max(load, work))
            if not between:
                self.assertLess(said["useful_ps"][0], load + work - min(load, work) / 2)

    def test_many_cores_and_pipes(self):
        for run, ranks in [(RING, 4),
                           (["--ranks", "2", "--cores", "2", kernel("fused/gemm_ar.pto"), "--set",
                             "m=256", "--set", "k=128", "--set", "n=256", "--in", "a=ones", "--in",
                             "b=ones"], 2)]:
            _, said = self.measure(*run, "--report", self.path("page.html"))
            self.assertEqual(said["useful_ps"], work_on_page(self.path("page.html"), ranks))

    def test_the_ideal_network(self):
        """It is that of a run with links that cost nothing, however ranks are wired."""
        ring = ["--profile-set", "remote_wake=0ns", *RING]    # no matter of links
        _, said = self.measure(*ring)
        free, free_said = self.measure(*ring, *FREE_LINKS)
        self.assertAlmostEqual(said["ideal_ps"], free["time_ps"], delta=free["time_ps"] / 1000)
        self.assertAlmostEqual(free_said["transfer"], 1, delta=0.001)
        self.assertLess(said["transfer"], 0.75)
        self.assertLess(said["serialisation"], 0.9)
        wired, wired_said = self.measure(*ring, "--topology", "ring", "--slow-link", "0-1=8")
        self.assertEqual(wired_said["ideal_ps"], said["ideal_ps"])
        self.assertLess(wired_said["transfer"], said["transfer"])
        self.assertEqual(self.measure(*ring, "--timing-only")[1], said)
        self.assertEqual(self.measure(*ring, "--threads", "1")[1], said)
        self.assertGreater(wired["time_ps"], free["time_ps"])

    def test_results_stay(self):
        """What the second run leaves out is that of the second run alone."""
        done = ptovm("run", "--critical-path", *RING, "--out", "y=" + self.path("y{rank}.npy"),
                     cwd=SOURCE)
        self.assertEqual(done.code, 0, done.err)
        self.assertTrue(os.path.exists(self.path("y3.npy")))

    def test_a_signal_in_the_second_run(self):
        """The run itself has ended well: its results and its path are there, without the ideal."""
        words = ["run", "--critical-path", *RING, "--out", "y=" + self.path("y{rank}.npy")]
        for at in (1, 100):
            done = subprocess.run([helper("ptovm_stopping"), *words], cwd=SOURCE, text=True,
                                  capture_output=True, check=False,
                                  env={**os.environ, "STOP_RUN": "2", "STOP_AT": str(at)})
            self.assertEqual(done.returncode, 128 + signal.SIGTERM, done.stderr)
            self.assertIn("note: the same on an instantaneous network did not come to its end",
                          done.stderr)
            self.assertRegex(done.stdout, r"\n  efficiency .* x communication ")
            self.assertNotIn("serialisation", done.stdout)
            self.assertTrue(os.path.exists(self.path("y3.npy")))
            os.remove(self.path("y3.npy"))

    def test_whom_it_is_told(self):
        """Not of one rank, nor where nobody works; the answer of whatif knows no ideal."""
        nothing = self.write("nothing.pto", ".kernel nothing\n.core aiv\n    end\n")
        for arguments in (["--ranks", "1", self.write("stairs.pto", STAIRS)],
                          ["--ranks", "2", nothing]):
            done = ptovm("run", "--json", "--critical-path", *arguments)
            self.assertNotIn("efficiency", json.loads(done.out)["critical_path"])
        out = ptovm("whatif", *RING, "--set-cost", "link_latency=2x", cwd=SOURCE).out
        self.assertRegex(out, r"\n  efficiency .*%  = load balance .*% x communication .*%\n")

    def test_an_input_that_can_be_read_once(self):
        done = ptovm("run", "-q", "--critical-path", "--ranks", "2", self.write("send.pto", SEND),
                     "--set", "n=16", "--in", "a=/dev/stdin", stdin=bytes(64))
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("note: the same on an instantaneous network", done.err)
        self.assertIn(" x communication ", done.out)


if __name__ == "__main__":
    unittest.main()
