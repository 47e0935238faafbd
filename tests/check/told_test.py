"""How the checker tells what it has found: who did what, and in which order."""

import os
import tempfile
import unittest

from kernels_test import check, tests_of
from pto import kernel

LATE_AND_REDUNDANT = """.kernel late
.mix 1:1
.sym box : f32[1, 8]
.core aiv
.tile t : ub f32[1, 8]
    TEXPANDS t, 1.0
    set_flag V, MTE3, 0
    wait_flag V, MTE3, 0
    TSTORE box@(1 - rank()), t
    pipe_barrier ALL
    dsb
    dsb
"""

# The second flag is used again, for some values only; or another one is.
TWICE = """.kernel twice
.mix 1:1
.param again : i64
.out y : f32[1, 8]
.core aiv
.tile t : ub f32[1, 8]
    TEXPANDS t, 1.0
    set_flag V, MTE3, 0
    wait_flag V, MTE3, 0
    TSTORE y, t
    set_flag V, MTE3, 1
    wait_flag V, MTE3, 1
    .if again
        set_flag V, MTE3, %d
        wait_flag V, MTE3, %d
    .endif
"""

# One sub-core of rank 0 and both of rank 1 leave three tokens each.
LEFT = """.kernel left
.mix 1:1
.core aiv
    .if block_id() == 1 || rank() == 1
        .for %i = 0 to 3
            set_flag MTE2, V, %i
        .endfor
    .endif
"""

# S loads every fourth of 16 words before V reads all of them, for which the second TLOAD does not
# wait.
PIECES = """.kernel pieces
.mix 1:1
.in a : f32[32]
.core aiv
.tile t : ub f32[1, 16]
.tile u : ub f32[1, 16]
    TLOAD t, a[0]
    pipe_barrier ALL
    .for %i = 0 to 4
        %x = ld t(0, 4 * %i)
    .endfor
    TADDS u, t, 1.0
    TLOAD t, a[16]
    pipe_barrier ALL
"""

# A race between sub-cores, and on one of them a flag that is used again too early.
APART = """.kernel apart
.mix 1:1
.inout y : f32[1, 8]
.in x : f32[1, 8]
.core aiv
.tile t : ub f32[1, 8]
.tile u : ub f32[1, 8]
.tile w : ub f32[1, 8]
    .if block_id() == 0
        TEXPANDS t, 1.0
        handoff V -> MTE3, 0
        TSTORE y, t
    .else
        TLOAD u, y
        set_flag MTE2, V, 0
        wait_flag MTE2, V, 0
        TLOAD w, x
        set_flag MTE2, V, 0
        wait_flag MTE2, V, 0
    .endif
"""

# Each of the stores may come behind the load.
STORES = 300
MANY = """.kernel many
.mix 1:1
.inout y : f32[1, %d]
.core aiv
.tile u : ub f32[1, 8]
.tile t : ub f32[1, %d]
    TEXPANDS u, 1.0
    handoff V -> MTE3, 0
%s    TLOAD t, y
""" % (8 * STORES, 8 * STORES,
       "".join("    TSTORE y[0, %d], u\n" % (8 * i) for i in range(STORES)))


class Told(unittest.TestCase):
    def test_a_notify_writes_and_a_wait_reads(self):
        path = tests_of("litmus", "signal_cleared.pto")
        _, report = check(path, "--ranks", 2, "--cores", 1, "--set", "asks=0")
        hang, = [f for f in report["findings"] if f["kind"] == "could-hang"]
        self.assertEqual([(a["instruction"], a["access"]) for a in hang["accesses"]],
                         [("TNOTIFY", "writes"), ("TWAIT", "reads")])

    def test_every_pair_is_a_finding_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "many.pto")
            with open(path, "w") as file:
                file.write(MANY)
            _, report = check(path, "--cores", 1, "--in", "y=zeros")
        told = {(f["kind"], *(a["line"] for a in f["accesses"])): f["count"]
                for f in report["findings"]}
        self.assertEqual(told, {("race-raw", line, 9 + STORES): 1
                                for line in range(9, 9 + STORES)})

    def test_a_race_counts_by_what_its_bytes_have_seen(self):
        """Four words that S has loaded one by one, and all that is between them."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pieces.pto")
            with open(path, "w") as file:
                file.write(PIECES)
            _, report = check(path, "--cores", 1, "--in", "a=iota")
        finding, = report["findings"]
        self.assertEqual([finding[name] for name in ("kind", "offset", "bytes")],
                         ["race-war", 0, 4])
        self.assertEqual([a["line"] for a in finding["accesses"]], [12, 13])
        self.assertEqual(finding["count"], 4 + 1)

    def test_notes_stand_in_the_order_of_the_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "late.pto")
            with open(path, "w") as file:
                file.write(LATE_AND_REDUNDANT)
            _, report = check(path, "--ranks", 2, "--cores", 1)
        self.assertEqual([(n["kind"], n["line"]) for n in report["notes"]],
                         [("late-store", 9), ("redundant-sync", 12)])

    def test_sub_cores_of_leftovers(self):
        """A sub-core that leaves several tokens is one, in all launches."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "left.pto")
            with open(path, "w") as file:
                file.write(LEFT)
            for times in (1, 2):
                _, report = check(path, "--cores", 2, "--ranks", 2, "--repeat", times)
                finding, = report["findings"]
                self.assertEqual([finding[name] for name in ("kind", "count", "cores", "ranks")],
                                 ["token-left", 9 * times, 3, 2])

    def test_a_race_of_others_is_no_cause(self):
        """Tokens of a sub-core run ahead of its own pipes."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "apart.pto")
            with open(path, "w") as file:
                file.write(APART)
            _, report = check(path, "--cores", 2, "--in", "y=ones", "--in", "x=ones")
        self.assertEqual([(f["kind"], [a["line"] for a in f["accesses"]], f.get("follows"))
                          for f in report["findings"]],
                         [("race-raw", [12, 14], None), ("set-on-pending", [16, 18], None)])

    def test_two_faults_of_one_store(self):
        """A load that is not behind the store is another fault than a tile that is filled again
        too early."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two.pto")
            with open(path, "w") as file:
                file.write(".kernel two\n.mix 1:1\n.out y : f32[64]\n.core aiv\n"
                           ".tile t : ub f32[1, 64]\n    .for %i = 0 to 4\n"
                           "        TEXPANDS t, 1.0\n        handoff V -> MTE3, 0\n"
                           "        TSTORE y[0], t\n        %x = ld y[0]\n    .endfor\n")
            reports = [check(path, "--cores", 1)[1]]
            for line in (9, 10):
                known = os.path.join(folder, "known")
                with open(known, "w") as file:
                    file.write("race-raw two.pto:%d\n" % line)
                reports.append(check(path, "--cores", 1, "--suppress", known)[1])
        leading = [{(f["kind"], *[a["line"] for a in f["accesses"]]) for f in report["findings"]
                    if "follows" not in f} for report in reports]
        self.assertLessEqual({("race-war", 9, 7), ("race-raw", 9, 10)}, leading[0])
        self.assertEqual(leading[1], leading[0])  # a finding is where it is reported
        self.assertLessEqual(leading[0] - {("race-raw", 9, 10)}, leading[2])
        self.assertNotIn(("race-raw", 9, 10), leading[2])

    def test_a_set_without_its_wait(self):
        """The advice is the wait, not a second pair."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "half.pto")
            with open(path, "w") as file:
                file.write((TWICE % (2, 2)).replace("    wait_flag V, MTE3, 0\n", ""))
            _, report = check(path, "--set", "again=0", "--cores", 1)
        finding, = [f for f in report["findings"] if f["kind"] == "race-raw"]
        self.assertEqual([(e["line"], e["place"], e["text"]) for e in finding["edits"]],
                         [(9, "before", "wait_flag V, MTE3, 0")])

    def test_what_redundant_means(self):
        """Named are lines that can go: not those of slots, which count turns as well, and no flag
        that is waited for where the run did not come."""
        _, report = check(kernel("basic/vadd.pto"), "--set", "n=100", "--in", "a=iota", "--in",
                          "b=iota", "--cores", 1)
        self.assertEqual(report["notes"], [])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "twice.pto")
            for event, groups in ((1, []), (2, [[12, 11]])):
                with open(path, "w") as file:
                    file.write(TWICE % (event, event))
                _, report = check(path, "--set", "again=0", "--cores", 1)
                self.assertEqual([[line["line"] for line in note["lines"]]
                                  for note in report["notes"]], groups)


if __name__ == "__main__":
    unittest.main()
