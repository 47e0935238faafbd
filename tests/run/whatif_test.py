"""ptovm whatif: what a full run with other costs would take, and what a wait costs."""

import json
import os
import sys
import unittest

from harness import SOURCE, KernelTest, kernel, ptovm

sys.path.insert(0, os.path.join(SOURCE, "tests"))
import schema  # noqa: E402

VADD = [kernel("basic/vadd.pto"), "--set", "n=100000", "--in", "a=ones", "--in", "b=ones"]
ALLREDUCE = ["--ranks", "4", kernel("collective/allreduce_ring.pto"), "--set", "count=50000",
             "--in", "x=ones"]
GEMM_AR = ["--ranks", "2", "--cores", "2", kernel("fused/gemm_ar.pto"), "--set", "m=256", "--set",
           "k=256", "--set", "n=256", "--in", "a=ones", "--in", "b=ones"]

SCALAR = """.kernel scalar
.in  x : f32[64]
.out y : f32[64]
.core aiv
.tile t : ub f32[1, 64]
    .if vec_id() == 0
        TLOAD t, x
        handoff MTE2 -> V, 0
        TADDS t, t, 2.0
        handoff V -> MTE3, 0
        TSTORE y, t
    .endif
"""


def what_if(*arguments):
    done = ptovm("whatif", "--json", *arguments, cwd=SOURCE)
    assert done.code == 0, done.err
    data = schema.load(done.out, "whatif")
    assert data["critical_path"]["time_ps"] == data["what_if_ps"]
    return data["time_ps"], data["what_if_ps"]


def full(*arguments):
    done = ptovm("run", "--json", *arguments, cwd=SOURCE)
    assert done.code == 0, done.err
    return json.loads(done.out)["time_ps"]


class WhatIf(KernelTest):
    def test_as_a_full_run(self):
        """A factor is the value that it stands for; a2 says link_latency = 250 ns."""
        for run, key, factor, value in [
                (ALLREDUCE, "link_latency", "2x", "500 ns"),
                (ALLREDUCE, "link_latency", "0.5x", "125 ns"),
                (GEMM_AR, "link_latency", "4x", "1 us"),
                (VADD, "launch", "2x", self.launch_of(2)),
                (VADD, "launch", "0.5x", self.launch_of(0.5))]:
            before, after = what_if(*run, "--set-cost", key + "=" + factor)
            self.assertEqual(before, full(*run))
            self.assertEqual(after, full(*run, "--profile-set", key + "=" + value))
            self.assertNotEqual(before, after)
            self.assertEqual(what_if(*run, "--set-cost", key + "=" + value)[1], after)

    def launch_of(self, factor):
        """The launch of a2, which a kernel that does nothing shows, times a factor."""
        with open(self.path("nothing.pto"), "w") as file:
            file.write(".kernel nothing\n.core aiv\n    end\n")
        steps = json.loads(ptovm("run", "--json", "--critical-path",
                                 self.path("nothing.pto")).out)["critical_path"]["steps"]
        launch = [s["end_ps"] - s["start_ps"] for s in steps if s["cause"] == "launch"]
        return "%d ps" % round(launch[0] * factor)

    def test_standard_input_is_there_for_both_runs(self):
        change = ["--set", "n=1000", "--in", "b=ones", "--set-cost", "v_add=2x", "--json"]
        want = ptovm("whatif", VADD[0], "--in", "a=ones", *change)
        with open(VADD[0]) as file:
            text = file.read()
        done = ptovm("whatif", "-", "--in", "a=ones", *change, stdin=text)
        self.assertEqual((done.code, done.out), (0, want.out.replace(VADD[0], "<stdin>")))
        done = ptovm("whatif", VADD[0], "--in", "a=-", *change, stdin=bytes(4000))
        self.assertEqual((done.code, done.out), (0, want.out), done.err)

    def test_more_than_is_kept_of_standard_input(self):
        elements = (64 << 20) // 4 + 1
        done = ptovm("whatif", VADD[0], "--set", "n=%d" % elements, "--in", "a=-", "--in",
                     "b=zeros", "--set-cost", "v_add=2x", stdin=bytes(4 * elements))
        self.assertEqual(done.code, 2, done.out)
        self.assertIn("cannot read '-': it has been read, and more than 64 MiB are not kept",
                      done.err)

    def test_cost_classes(self):
        """A class by its name alone, and two changes at once."""
        faster = what_if(*VADD, "--set-cost", "v_add=0.5x")
        slower = what_if(*VADD, "--set-cost", "cost.v_add=2x")
        self.assertLess(faster[1], faster[0])
        self.assertGreater(slower[1], slower[0])
        both = what_if(*VADD, "--set-cost", "v_add=0.5x", "--set-cost", "launch=0.5x")
        self.assertLess(both[1], faster[1])

    def test_classes_that_cost_the_same(self):
        """toy says nothing of v_adds: what changes v_add changes it, until it has its own."""
        slow = "cost.v_add=40 cycles, 4 cycles/repeat"
        fast = "cost.v_adds=10 cycles, 1 cycle/repeat"
        with open(self.path("based.profile"), "w") as file:
            file.write("base = toy\n" + slow.replace("=", " = ") + "\n")
        scalar = [self.write("scalar.pto", SCALAR), "--in", "x=ones", "--cores", "1"]
        toy = [*scalar, "--profile", "toy"]
        changed = full(*toy, "--profile-set", slow)
        self.assertGreater(changed, full(*toy))
        self.assertEqual(changed, full(*scalar, "--profile", self.path("based.profile")))
        self.assertEqual(what_if(*toy, "--set-cost", "v_add=4x"), (full(*toy), changed))
        both = [full(*toy, "--profile-set", one, "--profile-set", other)
                for one, other in ((slow, fast), (fast, slow))]
        self.assertEqual(both[0], both[1])
        self.assertEqual(both[0], full(*toy))

    def test_parts_of_a_cycle(self):
        """A latency is kept to thousandths of a cycle, by factor and by value."""
        toy = [self.write("scalar.pto", SCALAR), "--in", "x=ones", "--cores", "1",
               "--profile", "toy"]
        for key, factor, value in (("flag", "0.4x", "0.4 cycles"),
                                   ("flag", "1.4x", "1.4 cycles"),
                                   ("cost.v_add", "1.04x", "10.4 cycles, 1.04 cycles/repeat")):
            before, after = what_if(*toy, "--set-cost", key + "=" + factor)
            self.assertNotEqual(before, after)
            self.assertEqual(after, full(*toy, "--profile-set", key + "=" + value))
        way = "path.gm.ub=MTE2, 32 B/cycle, %s cycles"
        times = [full(*toy, "--profile-set", way % cycles) for cycles in ("100", "100.4", "101")]
        self.assertLess(times[0], times[1])
        self.assertLess(times[1], times[2])

    def test_cost_classes_by_value(self):
        """What a factor takes takes a value, too: 48 cycles and 4 a repeat are twice a2's sum."""
        value = "48 cycles, 4 cycles/repeat"
        wanted = what_if(*VADD, "--set-cost", "v_add=2x")
        self.assertEqual(what_if(*VADD, "--set-cost", "v_add=" + value), wanted)
        self.assertEqual(what_if(*VADD, "--set-cost", "cost.v_add=" + value), wanted)
        done = ptovm("run", *VADD, "--profile-set", "v_add=" + value)
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertIn("'v_add' is no key of a profile", done.err)
        self.assertIn("hint: did you mean cost.v_add?", done.err)

    def test_paths(self):
        """A tenth of the bytes at a time, on a way that the kernel goes and on another."""
        before, slower = what_if(*VADD, "--set-cost", "path.ub.gm=0.1x")
        self.assertGreater(slower, before)
        self.assertEqual(what_if(*VADD, "--set-cost", "path.gm.l1=0.1x"), (before, before))

    def test_without_wait(self):
        """The record's answer: up to the flag's own time where nothing is shared."""
        before, after = what_if(*VADD, "--without-wait", "vadd.pto:23")
        waits = json.loads(ptovm("run", "--json", "--critical-path", *VADD).out)
        waits = {w["line"]: w for w in waits["critical_path"]["waits"]}
        self.assertLess(abs(before - after - waits[23]["gain_ps"]), before / 100)
        self.assertGreater(before - after, before / 50)
        for run, line in ((ALLREDUCE, "allreduce_ring.inc:97"), (ALLREDUCE, "sync.inc:7")):
            before, after = what_if(*run, "--without-wait", line)
            self.assertLess(after, before, line)

    def test_files_of_removed_waits(self):
        """Any path to the file; where two files have the name, it has to be said which one."""
        given = what_if(*VADD, "--without-wait", "vadd.pto:23")
        os.symlink(VADD[0], self.path("other.pto"))
        path = os.path.join(os.path.dirname(VADD[0]), "..", "basic", "vadd.pto:23")
        for line in (path, self.path("other.pto:23")):
            self.assertEqual(what_if(*VADD, "--without-wait", line), given)
        text = ".kernel %s\n.core aiv\n    pipe_barrier ALL\n"
        for name in ("a", "b"):
            os.mkdir(self.path(name))
            with open(self.path(name + "/s.pto"), "w", encoding="utf-8") as file:
                file.write(text % name)
        both = self.path("a/s.pto"), self.path("b/s.pto"), "--cores", "1"
        done = ptovm("whatif", *both, "--without-wait", "s.pto:3")
        self.assertEqual(done.code, 2, done.out)
        self.assertIn("several files of this run have that name", done.err)
        self.assertIn("write %s or %s" % both[:2], done.err)
        self.assertEqual(ptovm("whatif", *both, "--without-wait", "b/s.pto:3").code, 0)

    def test_text_and_refusals(self):
        out = ptovm("whatif", *VADD, "--set-cost", "launch=2x", cwd=SOURCE).out
        self.assertRegex(out, r"^as it is      7\.\d+ us\nwhat if       1\d\.\d+ us: 6\.\d+ us mo")
        self.assertIn("\ncritical path ", out)
        for words, say in [(("--set-cost", "speed=2x"), "is no cost of the profile"),
                           (("--set-cost", "cores=2x"), "is no time, rate or cost"),
                           (("--set-cost", "launch=-1x"), "only be multiplied by what is more"),
                           (("--set-cost", "launch=fast"), "launch"),
                           (("--without-wait", "vadd.pto:24"), "nobody waits in this line"),
                           (("--without-wait", "gone.pto:23"), "no instruction of this run is of"),
                           (("--without-wait", "23"), "not of the form FILE:LINE"),
                           (("--without-wait", "k.pto:0x17"), "not of the form FILE:LINE")]:
            done = ptovm("whatif", *VADD, *words)
            self.assertEqual((done.code, done.out), (2, ""), words)
            self.assertIn(say, done.err)

    def test_a_run_without_an_end_leaves_no_report(self):
        report = self.path("whatif.json")
        for kept in (False, True):
            if kept:
                with open(report, "w", encoding="utf-8") as file:
                    file.write("{}")
            done = ptovm("whatif", kernel("broken/vadd_missing_set.pto"), *VADD[1:],
                         "--json=" + report)
            self.assertEqual((done.code, done.out), (3, ""), done.err)
            self.assertIn("deadlock", done.err)
            self.assertEqual(os.path.exists(report), kept)


if __name__ == "__main__":
    unittest.main()
