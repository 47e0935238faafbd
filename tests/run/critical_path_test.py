"""--critical-path: its steps are the run, from the beginning to the end, and its sums add up."""

import json
import unittest

from harness import SOURCE, KernelTest, kernel, ptovm
from timing_only_test import runs


CROSSING = """.kernel k
.core aiv
    wait_flag_dev 1
.core aic
    set_flag_dev S, 2, 1
"""


def path_of(*arguments, timing=True):
    done = ptovm("--json", "--critical-path", *(["--timing-only"] if timing else []), *arguments,
                 cwd=SOURCE)
    assert done.code == 0, done.err
    data = json.loads(done.out)
    return data, data["critical_path"]


class CriticalPath(KernelTest):
    def check_sums(self, data, path):
        """No gap between the steps, and what they are summed up to is the time of the run."""
        self.assertEqual(path["time_ps"], data["time_ps"])
        at = 0
        for step in path["steps"]:
            self.assertEqual(step["start_ps"], at)
            self.assertGreater(step["end_ps"], at)
            at = step["end_ps"]
        self.assertEqual(at, data["time_ps"])
        self.assertEqual(sum(path["causes"].values()), data["time_ps"])
        for key in ("units", "lines"):
            self.assertEqual(sum(part["time_ps"] for part in path[key]), data["time_ps"])
        for wait in path["waits"]:
            self.assertLess(wait["gain_ps"], data["time_ps"])
            self.assertFalse(wait["gain_ps"] and not wait["held_up"], wait)

    def test_all_kernels(self):
        for arguments in runs():
            with self.subTest(" ".join(arguments)):
                done = ptovm("--json", "--critical-path", "--timing-only", *arguments, cwd=SOURCE)
                data = json.loads(done.out)
                self.assertEqual("critical_path" in data, done.code == 0)
                if done.code == 0:
                    self.check_sums(data, data["critical_path"])

    def test_threads_and_data_change_nothing(self):
        run = ("run", kernel("collective/allreduce_ring.pto"), "--ranks", "4", "--set",
               "count=20000", "--in", "x=ones")
        one = path_of(*run, "--threads", "1", timing=False)[1]
        self.assertEqual(path_of(*run, "--threads", "2", timing=False)[1], one)
        self.assertEqual(path_of(*run)[1], one)
        self.assertGreater(one["causes"]["link"], 0)

    def test_dsb_waits_for_links(self):
        """It is there for the acknowledgements of what was sent."""
        _, path = path_of("run", kernel("fused/gemm_ar.pto"), "--ranks", "2", "--cores", "2",
                          "--set", "m=256", "--set", "k=128", "--set", "n=256", "--in", "a=ones",
                          "--in", "b=ones")
        self.assertEqual({s["cause"] for s in path["steps"] if s.get("mnemonic") == "dsb"
                          and s["end_ps"] - s["start_ps"] >= 100000}, {"link"})

    def test_it_watches_only(self):
        """The run is the one without it."""
        run = ("--json", "run", kernel("fused/gemm_ar.pto"), "--ranks", "2", "--cores", "2",
               "--timing-only", "--set", "m=256", "--set", "k=128", "--set", "n=256", "--in",
               "a=ones", "--in", "b=ones")
        watched = json.loads(ptovm("--critical-path", *run).out)
        del watched["critical_path"]
        self.assertEqual(watched, json.loads(ptovm(*run).out))

    def test_repeats_and_joins(self):
        run = ("run", kernel("basic/vadd.pto"), "--set", "n=5000", "--in", "a=ones", "--in",
               "b=ones", "--repeat", "3")
        for more in ((), ("--join", "--ranks", "2", "--slow-rank", "1=2")):
            data, path = path_of(*run, *more)
            self.check_sums(data, path)
            launches = [s for s in path["steps"] if s["cause"] == "launch"]
            self.assertEqual(len(launches), 3)

    def test_all_wait_for_the_slow_rank(self):
        """Where launches begin together, the slow rank is the way through all of them."""
        for slow in range(3):
            _, path = path_of("run", kernel("basic/vadd.pto"), "--set", "n=4000", "--in", "a=ones",
                              "--in", "b=ones", "--ranks", "3", "--cores", "1", "--join",
                              "--repeat", "3", "--slow-rank", "%d=4" % slow)
            self.assertEqual({s["unit"].split(" ", 2)[1] for s in path["steps"]}, {str(slow)})

    def test_cross_flags_of_a_rank_that_is_slow_for_a_while(self):
        """A count is on its way for as long as it was when it was sent."""
        path = self.write("k.pto", CROSSING)
        for since in ("6.55us", "6.6us", "6.649us"):
            data, steps = path_of("run", path, "--cores", "1", "--slow-rank", "0=2@" + since)
            self.check_sums(data, steps)
            self.assertEqual(steps["causes"]["sync"], 180000)

    def test_text(self):
        run = ("run", kernel("basic/vadd.pto"), "--set", "n=100000", "--in", "a=ones", "--in",
               "b=ones", "--critical-path")
        out = ptovm(*run, "-q", cwd=SOURCE).out
        for part in ("critical path ", "by cause", "by unit", "by line", " launch\n",
                     "vadd.pto:23 wait_flag: held up 13 of 13 times", "of the run\n",
                     "costs 0, "):
            self.assertIn(part, out)
        self.assertEqual([out.count(title) for title in ("by cause", "by unit", "by line")],
                         [1, 1, 1])
        units = out[out.index("by unit"):out.index("by line")].strip().splitlines()
        self.assertEqual(len(units), len(path_of(*run[:-1], timing=False)[1]["units"]))
        cut = ptovm(*run, "--max-time", "7us", cwd=SOURCE)
        self.assertEqual(cut.code, 5)
        self.assertIn("critical path none", cut.out)

    def check_gains(self, lines, *run):
        """What the waits in these lines cost is what simulating without them gives, up to the
        issue of the instruction."""
        data, path = path_of("run", *run)
        self.check_sums(data, path)
        waits = {wait["line"]: wait for wait in path["waits"]}
        for line in lines:
            what = ptovm("whatif", *run, "--without-wait", "%s:%d" % (run[0], line), "--json")
            without = json.loads(what.out)["what_if_ps"]
            self.assertLess(abs(waits[line]["gain_ps"] - (data["time_ps"] - without)),
                            data["time_ps"] / 100, line)
        return path, waits

    def test_who_comes_last_to_a_sync_all_pays_for_it(self):
        name = self.write("all.pto", ".kernel all\n.core aiv\n    sync_all aiv\n"
                                     "    sync_all aiv\n    %x = 1\n    %x = %x + 1\n")
        path, waits = self.check_gains((3, 4), name, "-p", "toy", "--profile-set", "sync_all=7us")
        self.assertEqual([(s.get("line"), s["cause"], s["end_ps"] - s["start_ps"])
                          for s in path["steps"][1:3]],
                         [(3, "sync", 7000000), (4, "sync", 7000000)])
        self.assertEqual([waits[line]["slack_ps"] for line in (3, 4)], [0, 0])
        self.assertEqual(path["causes"]["issue"], path["time_ps"] - path["steps"][2]["end_ps"])

    def test_a_drain_waits_for_all_that_is_under_way(self):
        """The barrier ahead of it is no more to wait for than the load ahead of that."""
        name = self.write("drain.pto",
                          ".kernel drain\n.mix 1:1\n.in x : f32[8, 64]\n.out y : f32[8, 64]\n"
                          ".core aiv\n.tile a : ub f32[8, 64]\n.tile b : ub f32[8, 64]\n"
                          "    TLOAD a, x\n    pipe_barrier MTE2\n    pipe_barrier ALL\n"
                          "    TSTORE y, b\n")
        _, waits = self.check_gains((9, 10), name, "--cores", "1", "--in", "x=zeros")
        self.assertEqual(waits[9]["gain_ps"], 0)
        self.assertGreater(waits[10]["gain_ps"], 0)

    def test_signals_that_change_late(self):
        """That time is the TNOTIFY's; and a run lasts until its messages have come."""
        name = self.write("late.pto", ".kernel late\n.signal s[1]\n.core aiv\n"
                                      "    bne vec_id(), 0, done\n"
                                      "    TNOTIFY s@(1 - rank())[0], 1, set\n"
                                      "    TWAIT s[0], ge, 1\ndone:\n    end\n")
        run = (name, "-p", "toy", "--ranks", "2", "--cores", "1", "--profile-set")
        path, _ = self.check_gains((6,), *run, "remote_wake=9us")
        self.assertEqual([(s.get("line"), s["cause"]) for s in path["steps"]
                          if s["end_ps"] - s["start_ps"] == 9000000], [(5, "sync")])
        path, waits = self.check_gains((6,), *run, "link_latency=9us")
        self.assertGreater(path["time_ps"], 9000000)
        self.assertLess(waits[6]["gain_ps"], 1000000)

    def test_slack_of_a_token_that_comes_early(self):
        """V is done long before MTE2, which the store waits for as well."""
        text = (".kernel early\n.in a : f32[8, 8192]\n.out c : f32[8]\n"
                ".core aiv\n    .tile t : ub f32[1, 8192]\n    .tile s : ub f32[1, 8]\n"
                "    bne vec_id(), 0, done\n"
                "    TLOAD t, a[0, 0]\n    set_flag MTE2, MTE3, 0\n"
                "    TEXPANDS s, 1.0\n    set_flag V, MTE3, 1\n"
                "    wait_flag MTE2, MTE3, 0\n    wait_flag V, MTE3, 1\n"
                "    TSTORE c[0], s\ndone:\n    end\n")
        data, path = path_of("run", self.write("early.pto", text), "--in", "a=ones")
        waits = {wait["line"]: wait for wait in path["waits"]}
        self.assertGreater(waits[12]["gain_ps"], 0)
        self.assertEqual(waits[12]["slack_ps"], 0)
        self.assertEqual(waits[13]["gain_ps"], 0)
        self.assertGreater(waits[13]["slack_ps"], 0)
        self.assertNotIn("compute", [s["cause"] for s in path["steps"]])

    def early_signal(self, short):
        """Rank 0 works for `short` turns and says so; rank 1 works for 60 and finds that said."""
        text = (".kernel early\n.param short : i64\n.signal go[2]\n.core aiv\n"
                ".tile t : ub f32[16, 1024]\n"
                "    bne vec_id(), 0, done\n    %turns = 60\n"
                "    .if rank() == 0\n        %turns = %short\n    .endif\n"
                "    .for %i = 0 to %turns\n        TEXP t, t\n    .endfor\n"
                "    set_flag V, S, 0\n    wait_flag V, S, 0\n"
                "    TNOTIFY go@(1 - rank())[rank()], 1, set\n"
                "    .if rank() == 1\n        TWAIT go[0], eq, 1\n    .endif\ndone:\n    end\n")
        with open(self.path("early.pto"), "w") as file:
            file.write(text)
        run = ("--ranks", "2", self.path("early.pto"), "--set", "short=%d" % short,
               "--profile-set", "remote_wake=0ns")  # the run ends with rank 1's own signal
        data, path = path_of("run", *run)
        self.check_sums(data, path)
        done = ptovm("whatif", "--json", *run, "--without-wait", "early.pto:15")
        self.assertEqual(done.code, 0, done.err)
        times = json.loads(done.out)
        return data["time_ps"], times["what_if_ps"], {w["line"]: w for w in path["waits"]}

    def test_a_signal_that_was_there(self):
        """Without the wait before it S would have come before the signal."""
        slack = []
        for short in (1, 10, 19, 40, 55):
            whole, without, waits = self.early_signal(short)
            self.assertEqual((waits[18]["count"], waits[18]["held_up"]), (1, 0))
            self.assertEqual(waits[18]["gain_ps"], 0)
            self.assertAlmostEqual(waits[15]["gain_ps"], whole - without, delta=whole / 100)
            slack.append(waits[18]["slack_ps"])
        self.assertAlmostEqual(slack[0] - slack[1], slack[1] - slack[2], delta=slack[0] / 100)
        self.assertGreater(slack[2], slack[3])


if __name__ == "__main__":
    unittest.main()
