"""ptovm explore: what it finds, what it does not, and that schedules replay exactly."""

import os
import re
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import schema  # noqa: E402
from pto import kernel, ptovm, run, source  # noqa: E402

LOST = [source("tests", "check", "explore", "lost.pto"), "--ranks", 2, "--cores", 1]
NUMBERS = [source("tests", "check", "explore", "numbers.pto"), "--cores", 3]
THREE = [source("tests", "check", "explore", "three_ranks.pto"), "--ranks", 3, "--cores", 1]
SUM = [source("tests", "check", "explore", "float_sum.pto"), "--cores", 3]
JOINS = [source("tests", "check", "explore", "joins.pto"), "--cores", 2]
MODES = [source("tests", "check", "explore", "modes.pto"), "--cores", 1]
CROSS = [source("tests", "check", "explore", "cross.pto"), "--cores", 2, "--in", "a=random"]


class Explore(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pto-explore-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def explore(self, arguments, *options):
        return ptovm("explore", *arguments, *options, "--save", self.path("s"))

    def test_lost_signal(self):
        self.assertEqual(ptovm("run", *LOST).code, 0)
        done = self.explore(LOST)
        self.assertEqual(done.code, 3, done.err)
        self.assertIn("lost.pto:15:9: deadlock", done.out)
        self.assertIn("1 way to end that differs", done.out)
        replayed = ptovm("run", *LOST, "--schedule", self.path("s-1.txt"))
        self.assertEqual(replayed.code, 3)
        self.assertIn("lost.pto:15:9: deadlock", replayed.err)

    def test_a_schedule_with_other_line_ends(self):
        self.explore(LOST)
        with open(self.path("s-1.txt"), "rb") as file:
            text = file.read()
        with open(self.path("s-1.txt"), "wb") as file:
            file.write(text.replace(b"\n", b"\r\n"))
        self.assertEqual(ptovm("run", *LOST, "--schedule", self.path("s-1.txt")).code, 3)

    def values(self, arguments, *options):
        """Of the object `seen` on rank 0."""
        out = self.path("seen{rank}.bin")
        self.assertEqual(ptovm("run", *arguments, *options, "--out", "seen=" + out).code, 0)
        with open(self.path("seen0.bin"), "rb") as file:
            text = file.read()
        return struct.unpack("<%dq" % (len(text) // 8), text)

    def test_looks_in_a_row_each_before_and_behind(self):
        """One way to end is reported for an object: the other looks follow by other outcomes."""
        looks = [source("tests", "check", "explore", "looks.pto"), "--ranks", 2, "--cores", 1]
        for profile in ("toy", "a2"):
            done = self.explore(looks, "--profile", profile)
            self.assertEqual(done.code, 6, done.err)
            self.assertIn("4 orders of events", done.out)
            self.assertNotIn("left", done.out)
            self.assertEqual(self.values(looks, "--profile", profile), (0, 0, 0))
            seen = self.values(looks, "--profile", profile, "--schedule", self.path("s-1.txt"))
            self.assertEqual(seen[2], 1)

    def test_a_look_between_two_notifies(self):
        between = [source("tests", "check", "explore", "between.pto"), "--ranks", 2,
                   "--cores", 1, "--profile", "toy"]
        done = self.explore(between)
        self.assertEqual(done.code, 6, done.err)
        self.assertEqual(self.values(between), (0,))
        self.assertEqual(self.values(between, "--schedule", self.path("s-1.txt")), (1,))

    def test_polls_before_and_behind(self):
        """However many they are: the notify comes before all of them, and behind."""
        for times in (20, 500):
            polls = [source("tests", "check", "explore", "polls.pto"), "--ranks", 2, "--cores", 1,
                     "--set", "times=%d" % times]
            done = self.explore(polls)
            self.assertEqual(done.code, 6, done.err)
            self.assertIn("1 way to end that differs", done.out)

    def test_debugger_replays(self):
        self.explore(LOST)
        there = run("ptodbg", "--batch", "--schedule", self.path("s-1.txt"), "-e", "continue",
                    *LOST)
        self.assertIn("deadlock", there.out + there.err)
        free = run("ptodbg", "--batch", "-e", "continue", *LOST)
        self.assertNotIn("deadlock", free.out + free.err)

    def test_a_schedule_goes_with_the_code(self):
        """Not with the path of the text, nor with its comments; another value is another code."""
        self.explore(LOST)
        with open(LOST[0]) as file:
            text = file.read()
        for name, other, code in (("moved.pto", "; first\n\n" + text, 3),
                                  ("changed.pto", text.replace("eq, 1", "ge, 1"), 2)):
            with open(self.path(name), "w") as file:
                file.write(other)
            done = ptovm("run", self.path(name), *LOST[1:], "--schedule", self.path("s-1.txt"))
            self.assertEqual(done.code, code, done.err)

    def test_one_slow_rank_among_three(self):
        self.assertEqual(ptovm("run", *THREE).code, 0)
        done = self.explore(THREE, "--runs", 64)
        self.assertEqual(done.code, 3, done.out)
        self.assertEqual(ptovm("run", *THREE, "--schedule", self.path("s-1.txt")).code, 3)

    def results(self, arguments, *options):
        path = self.path("y.bin")
        self.assertEqual(ptovm("run", *arguments, "--out", "y=" + path, *options).code, 0)
        with open(path, "rb") as file:
            return file.read()

    def check_results(self, arguments):
        done = self.explore(arguments)
        self.assertEqual(done.code, 6, done.out + done.err)
        self.assertRegex(done.out, r"y of rank 0 depends on the order of events, first at \[0.*\]: "
                                   r"\d+ of \d+ elements, in bits 0x[0-9a-f]+\n")
        there = self.results(arguments, "--schedule", self.path("s-1.txt"))
        self.assertEqual(there, self.results(arguments, "--schedule", self.path("s-1.txt")))
        self.assertNotEqual(there, self.results(arguments))

    def test_results_that_depend_on_the_order(self):
        self.check_results(NUMBERS)

    def test_atomic_sums(self):
        self.check_results(SUM)

    def test_cross_core_flags(self):
        """A count of the wrong sender serves the wait first; the run as it is looks right."""
        self.assertEqual(ptovm("check", *CROSS).code, 0)
        self.check_results(CROSS)
        replayed = ptovm("check", *CROSS, "--schedule", self.path("s-1.txt"))
        self.assertEqual(replayed.code, 4)
        self.assertIn("TLOAD reads box without waiting for TSTORE", replayed.err)

    def test_modes_of_one_cross_core_flag(self):
        """The mode of the set that comes last decides who gets counts."""
        for arguments, place in ((JOINS, "joins.pto:18:5"), (MODES, "modes.pto:8:5")):
            self.assertEqual(ptovm("run", *arguments).code, 0)
            done = self.explore(arguments)
            self.assertEqual(done.code, 3, done.out + done.err)
            self.assertIn(place + ": deadlock", done.out)
            self.assertIn("1 way to end that differs", done.out)
            replayed = ptovm("run", *arguments, "--schedule", self.path("s-1.txt"))
            self.assertEqual(replayed.code, 3)
            self.assertIn(place + ": deadlock", replayed.err)

    def test_sets_by_one_mode_are_no_choice(self):
        """Sets of a barrier commute: nothing to explore but slow ranks, and there is one."""
        with open(JOINS[0]) as file:
            text = file.read()
        path = self.path("barrier.pto")
        with open(path, "w") as file:
            file.write(text.replace("S, 1, 3", "S, 0, 3"))
        done = self.explore([path, *JOINS[1:]])
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertIn("explored      1 run, 1 order of events\n", done.out)

    def test_json(self):
        path = self.path("report.json")
        done = self.explore(LOST, "--json")
        report = schema.load(done.out, "explore")
        self.assertEqual((report["exit_code"], done.code, len(report["found"])), (3, 3, 1))
        found = report["found"][0]
        self.assertEqual((found["fault"]["kind"], found["fault"]["line"]), ("deadlock", 15))
        self.assertEqual(found["schedule"], self.path("s-1.txt"))
        beside = self.explore(LOST, "--json=" + path)
        self.assertIn("1 way to end that differs", beside.out)
        with open(path) as file:
            self.assertEqual(file.read(), done.out)

    def test_which_bits_differ(self):
        """What the report says of the first object, against the two runs themselves."""
        report = schema.load(self.explore(NUMBERS, "--json").out, "explore")
        one = report["found"][0]["differences"][0]
        a, b = (struct.unpack("<%di" % one["of"], self.results(NUMBERS, *options))
                for options in ((), ("--schedule", report["found"][0]["schedule"])))
        other = [i for i in range(one["of"]) if a[i] != b[i]]
        bits = 0
        for i in other:
            bits |= (a[i] ^ b[i]) & 0xffffffff
        self.assertEqual((one["object"], one["rank"], one["first"], one["elements"], one["bits"]),
                         ("y", 0, [other[0]], len(other), hex(bits)))

    def test_nothing_to_choose(self):
        done = self.explore([kernel("collective/allreduce_ring.pto"), "--ranks", 3, "--cores", 1,
                             "--set", "count=100", "--in", "x=iota"])
        self.assertEqual(done.code, 0, done.out)
        self.assertIn("1 order of events\n", done.out)
        self.assertIn("all end alike", done.out)
        self.assertEqual(os.listdir(self.folder), [])

    def test_bounds(self):
        done = self.explore(THREE, "--runs", 2)
        self.assertRegex(done.out, r"explored      2 runs, .* schedules left")
        done = self.explore(THREE, "--timeout", "1ps")
        self.assertRegex(done.out, r"explored      1 run, ")

    def test_first_run_is_cut_off(self):
        endless = source("tests", "cli", "kernels", "endless.pto")
        done = self.explore([endless, "--cores", 1], "--timeout", "1ms")
        self.assertEqual((done.code, done.out), (5, ""))
        self.assertIn("the run takes more than 1.000 ms of this host's time", done.err)
        self.assertIn("--timeout sets the limit", done.err)

    def test_the_same_every_time(self):
        one, two = self.explore(THREE), self.explore(THREE)
        self.assertEqual(one.out, two.out)

    def test_other_programs_are_refused(self):
        self.explore(LOST)
        schedule = ["--schedule", self.path("s-1.txt")]
        for arguments in (THREE, LOST[:-1] + [2], LOST + ["--repeat", 2]):
            done = ptovm("run", *arguments, *schedule)
            self.assertEqual(done.code, 2, done.err)
            self.assertIn("made for another program", done.err)

    def test_damaged_schedules(self):
        self.explore(LOST)
        with open(self.path("s-1.txt")) as file:
            head = re.match(r"(?:.*\n){2}", file.read()).group()
        for line in ("delay 1 1 0", "delay 2 1 0 5", "delay 1 1 0 0", "slow 0 0", "late 1 1 0 5",
                     "delay 1 1 0 5 5", "delay 1 72 0 5"):
            with open(self.path("bad.txt"), "w") as file:
                file.write(head + "# a comment\n" + line + "\n")
            done = ptovm("run", *LOST, "--schedule", self.path("bad.txt"))
            self.assertEqual(done.code, 2, line)
            self.assertIn("bad.txt:4:1: error: not a line of a schedule", done.err)
        with open(self.path("bad.txt"), "w") as file:
            file.write("pto-schedule 2\n")
        done = ptovm("run", *LOST, "--schedule", self.path("bad.txt"))
        self.assertIn("bad.txt:1:1: error: this is no schedule", done.err)


if __name__ == "__main__":
    unittest.main()
