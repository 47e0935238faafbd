"""Runs that a fault or a limit ends: where they stand does not depend on who watches, and a limit
is where it was said to be."""

import json
import re
import unittest

from harness import KernelTest, ptodbg, ptovm

HEAD = ".kernel k\n.mix 1:1\n.core aiv\n.tile t : ub f32[1, 64]\n"
# One rank fails while the other one's pipes, which have started ahead of the clock, are at work.
FAILING = HEAD + """    .if rank() == 0
        assert 0 * clock(), "boom"
    .endif
    .for %i = 0 to 60
        TADDS t, t, 0.5
        handoff V -> MTE3, 0
        handoff MTE3 -> V, 0
    .endfor
"""
# Two pipes hand a tile to each other; no wait of theirs takes an event.
WORKING = HEAD + """    .for %i = 0 to 20
        TADDS t, t, 0.5
        handoff V -> MTE3, 0
        handoff MTE3 -> V, 0
    .endfor
"""
POLLING = HEAD.replace(".core", ".signal s[1]\n.core") + """again:
    TMAXS t, t, 0.5
    pipe_barrier V
    %d = TTEST s[0], ge, 1
    beq %d, 0, again
"""
SUMMING = """.kernel k
.mix 1:1
.sym part : f32[32, 64]
.out every : f32[32, 64]
.core aiv
.tile x : ub f32[1, 64]
.tile y : ub f32[1, 64]
    TREDUCE every{32, 64}, part, x, y, sum
"""
# What rank 0 waits for is on its way for as long as the link is.
FAR = HEAD.replace(".core", ".signal s[1]\n.core") + """    .if rank() == 0
        TWAIT s[0], ge, 1
    .else
        TNOTIFY s@0[0], 1, set
    .endif
"""
# A signal changes a while after it has arrived.
TOLD = HEAD.replace(".core", ".signal s[1]\n.core") + """    TNOTIFY s@(1 - rank())[0], 1, add
    TWAIT s[0], ge, 1
"""
# S goes on ahead of the clock until it stands before a full queue, %d times in all.
FULL = HEAD + """    .for %%i = 0 to %d
        wait_flag MTE3, MTE2, 0
    .endfor
"""
COUNTING = HEAD + """    .for %i = 0 to 1000000
        %a = %i + 1
    .endfor
"""


class Halted(KernelTest):
    def watched(self, text, *run):
        """[report without what watching adds] of the run without and with everybody who watches."""
        path = self.write("k.pto", text)
        for extra in ((), ("--trace", self.path("t.json")), ("--critical-path",), ("--check",),
                      ("--threads", 4), ("--timing-only",)):
            done = ptovm("run", path, *run, "--json", *extra)
            report = json.loads(done.out)
            for key in ("findings", "critical_path", "coverage", "options", "settings"):
                report.pop(key, None)
            yield extra, report

    def same(self, text, *run):
        (_, first), *others = self.watched(text, *run)
        self.assertNotEqual(first["status"], "ok")
        for extra, report in others:
            for key in first:
                if key not in ("timing_only", "checked", "trace"):
                    self.assertEqual(report.get(key), first[key], (extra, key))
        return first

    def end_of(self, *run):
        """What the debugger says of the end of the same run: its signals and where it is."""
        done = ptodbg(self.path("k.pto"), *run, "--batch", "-e", "run", "-e", "info signals",
                      "-e", "when")
        return done.out + done.err

    def test_a_fault(self):
        report = self.same(FAILING, "--ranks", 2, "--cores", 2)
        self.assertEqual(report["time_ps"], report["fault"]["time_ps"])

    def test_every_limit_on_time(self):
        """Wherever the limit falls among starts, waits and ends of entries."""
        for limit in range(6480, 6700, 11):
            report = self.same(WORKING, "--ranks", 2, "--cores", 1, "--max-time", "%dns" % limit)
            self.assertEqual(report["time_ps"], limit * 1000)
            self.same(POLLING, "--cores", 1, "--max-time", "%dns" % limit)

    def test_all_who_wait_are_named(self):
        path = self.write("k.pto", SUMMING)
        run = "run", path, "--ranks", 2, "--cores", 1, "-q", "--max-time", "9500ns"
        for extra in ((), ("--critical-path",)):
            err = ptovm(*run, *extra).err
            for pipe in ("MTE2", "V", "MTE3"):
                self.assertRegex(err, r"pipe %s waits.*: rank 0: aiv0.0; rank 1: aiv0.0" % pipe)

    def test_no_further_than_the_limit(self):
        """What comes long after the limit is not waited for."""
        far = self.write("k.pto", FAR)
        for limit in ("7us", "60us"):
            done = ptovm("run", far, "--ranks", 2, "--cores", 1, "--profile-set",
                         "link_latency=100us", "--max-time", limit)
            self.assertEqual(done.code, 5)
            self.assertIn("rank 0, aiv0.0, pipe S, at %.3f us" % float(limit[:-2]), done.err)
            self.assertRegex(done.out, r"time +%.3f us simulated" % float(limit[:-2]))

    def test_signals_that_change_behind_the_limit(self):
        """Who waits for one does so at the limit, and sees the value that it has then."""
        run = "--ranks", 2, "--cores", 1
        seen = ptodbg(self.write("k.pto", TOLD), *run, "--batch", "-e", "catch signal", "-e", "run",
                      "-e", "print $_time").out
        changes = int(re.search(r"\$_time = (\d+)", seen).group(1))
        for early in (1, 1000, 100000, 1000000, 4000000):
            limit = "%dps" % (changes - early)
            self.same(TOLD, *run, "--max-time", limit)
            err = ptovm("run", self.path("k.pto"), *run, "-q", "--max-time", limit).err
            self.assertIn("TWAIT for s[0] to be ge 1, its value is 0", err)
            self.assertIn("s[1] = 0", self.end_of(*run, "--max-time", limit))

    def test_where_a_deadlock_stands(self):
        """S may be ahead of the clock, but has come as far as instruction by instruction."""
        run = "--profile", "toy", "--cores", 1
        for waits in range(1, 10):
            report = self.same(FULL % waits, *run)
            self.assertEqual(report["status"], "deadlock")
            self.assertIn("\n%.3f us" % (report["time_ps"] / 1e6), self.end_of(*run))
            last = report["time_ps"] - 1000
            self.assertEqual(self.same(FULL % waits, *run, "--max-time", "%dps" % last)["status"],
                             "limit")

    def test_as_many_instructions_as_allowed(self):
        path = self.write("k.pto", COUNTING)
        for limit in (1, 2, 100, 1000, 70000):
            done = ptovm("run", path, "--cores", 1, "--max-insns", limit, "--json")
            report = json.loads(done.out)
            self.assertEqual((done.code, report["status"]), (5, "limit"))
            self.assertEqual(report["per_rank"][0]["scalar_instructions"], limit)


if __name__ == "__main__":
    unittest.main()
