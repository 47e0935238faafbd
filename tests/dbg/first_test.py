"""first-difference: the earliest event after which a result can no longer become right."""
import os
import re
import shutil
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

N = 256
FIRST = ["first.pto", "--set", "n=%d" % N, "--in", "x=iota"]
RING = ["allreduce_ring.pto", "--ranks", "4", "--set", "count=500", "--in", "x=iota"]


class First(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(pto.source("tests", "dbg", "first.pto"), self.folder)
        x = np.arange(N, dtype=np.float32)
        self.save("y.npy", x + 1)
        self.save("z.npy", 2 * x)

    def save(self, name, array):
        np.save(os.path.join(self.folder, name), array)

    def ask(self, *commands, words=FIRST, code=0, options=("--profile", "toy", "--cores", "1")):
        done = pto.run("ptodbg", *options, *words, "--batch",
                       *[w for c in commands for w in ("-e", c)], cwd=self.folder)
        self.assertEqual(done.code, code, done.out + done.err)
        return done.out

    def event_of(self, text):
        return int(re.search(r"'goto (\d+)' goes there", text).group(1))

    def test_the_element_and_its_writer(self):
        text = self.ask("first-difference y y.npy")
        self.assertIn("64 of 256 elements are wrong at the end; the first that could not", text)
        self.assertIn("y@0[192], 4 bytes: 194, not 193\n", text)
        self.assertRegex(text, r"TSTORE y\[192\], t .*first.pto:28\) of rank 0, aiv0.1, MTE3")
        self.assertIn("made from t[0](0, 0) of rank 0, aiv0.1", text)

    def test_before_the_event_it_is_not_written_and_behind_it_it_is_wrong(self):
        event = self.event_of(self.ask("first-difference y y.npy"))
        text = self.ask("goto %d" % (event - 1), "print y[192]{1, 1}", "goto %d" % event,
                        "print y[192]{1, 1}")
        self.assertEqual(re.findall(r"^     192 +(\S+)$|^ +0 +(\S+)$", text, re.M),
                         [("", ".."), ("", "194")])

    def test_as_of_here(self):
        """Behind the store of the wrong piece, and right before it; NumPy counts what is wrong."""
        event = self.event_of(self.ask("first-difference y y.npy"))
        for at, first in ((event, "the first that was written:"), (event - 1, "one of them:")):
            text = self.ask("goto %d" % at, "save y here.npy", "when",
                            "first-difference y y.npy atol 0 here", "when")
            y = np.load(os.path.join(self.folder, "here.npy"))
            right = np.arange(N, dtype=np.float32) + 1
            wrong, never = int(np.sum(~(y == right))), int(np.sum(np.isnan(y)))
            self.assertEqual(wrong - never, 64 * (at == event))
            self.assertIn("%d of 256 elements are wrong here%s; %s\n"
                          % (wrong, ", %d of them are not written yet" % never if never else "",
                             first), text)
            if at == event:
                self.assertEqual(self.event_of(text), event)
            times = re.findall(r"^\S+ us, event \d+;.*", text, re.M)
            self.assertEqual(times[0], times[1])

    def test_what_a_tile_holds_in_this_turn(self):
        self.save("t.npy", np.arange(64, dtype=np.float32).reshape(1, 64) + 1)
        stop = ["catch complete TADDS core aiv0.0", "run", "focus aiv0.0"]
        self.assertIn("All 64 elements are right here.\n",
                      self.ask(*stop, "first-difference t[0] t.npy here"))
        self.assertIn("64 of 64 elements are wrong at the end",
                      self.ask(*stop, "first-difference t[0] t.npy"))

    def test_here_needs_a_run(self):
        self.assertIn("the program is not running yet",
                      self.ask("first-difference y y.npy here", code=2))

    def test_the_machine_stays_where_it_is(self):
        for before in ([], ["start"], ["start", "step 7"], ["break TADDS", "run"], ["run"]):
            look = ["when", "info registers", "info queues", "info cores"]
            if not before:
                look = look[:1]
            text = self.ask(*before, *look, "info breakpoints", "first-difference y y.npy", *look)
            halves = re.split(r"(?s)(?:No breakpoints\.|Breakpoint 1: TADDS, hit 1 time)\n"
                              r".*goes there\.\n", text)
            self.assertEqual(len(halves), 2, text)
            self.assertTrue(halves[0].endswith(halves[1]), text)

    def test_what_nobody_wrote(self):
        text = self.ask("first-difference z z.npy")
        self.assertIn("4 of 256 elements are wrong at the end, 4 of them were never written; one",
                      text)
        self.assertIn("z@0[252], 4 bytes: .., not 504\n  nobody wrote it\n", text)
        self.assertNotIn("goto", text)

    def test_windows_and_tolerances(self):
        right = "All 64 elements are right at the end.\n"
        self.save("part.npy", np.arange(64, dtype=np.float32) + 193)
        for words, wanted in (("atol 1", right), ("--atol 1", right), ("--atol=1", right),
                              ("rtol 0.01", right), ("rtol 0.001", "y@0[192]"),
                              ("atol 0.5 --rtol=0.001", "y@0[192]"), ("atol .7 rtol .01", right)):
            text = self.ask("first-difference y[192]{64} part.npy " + words)
            self.assertIn(wanted, text, words)
        self.assertIn("All 128 elements are right", self.ask("fd y[0]{128} iota atol 1"))

    def test_the_only_result_needs_no_name(self):
        words = [pto.source("tests", "dbg", "add.pto"), "--set", "n=200", "--in", "a=iota", "--in",
                 "b=zeros"]
        self.assertIn("All 200 elements are right", self.ask("fd iota", words=words))

    def test_a_tile(self):
        """What a tile holds at the end: the last piece of the sub-core in focus."""
        text = self.ask("start", "focus aiv0.1", "first-difference d[0]{64} const:256")
        self.assertIn("64 of 64 elements are wrong", text)
        self.assertIn("d[0](0, 0) of rank 0, aiv0.1, 4 bytes: 384, not 256", text)
        self.assertIn("TMULS d, t, 2.0  (first.pto:20)", text)

    def test_files_of_all_ranks(self):
        total = sum(500 * rank + np.arange(500, dtype=np.float32) for rank in range(4))
        for rank in range(4):
            wrong = total.copy()
            wrong[77] += 1000 * (rank == 2)
            self.save("y%d.npy" % rank, wrong)
        words = [pto.source("kernels", "collective", RING[0]), *RING[1:]]
        for command in ("fd y y{rank}.npy", "fd y@2 y2.npy"):
            text = self.ask(command, words=words, options=["--cores", "1"])
            where = "2000" if "{rank}" in command else "500"
            self.assertIn("1 of %s elements are wrong" % where, text)
            want = float(total[77])
            self.assertIn("y@2[77], 4 bytes: %g, not %g" % (want, want + 1000), text)
            self.assertIn("of rank 2, ", text)
        text = self.ask("fd y@3 y3.npy", words=words, options=["--cores", "1"])
        self.assertIn("All 500 elements are right", text)

    def test_a_core_file_knows_what_was_expected(self):
        done = pto.run("ptovm", "--core", "core", "--profile", "toy", "--cores", "1", "run", *FIRST,
                       "--expect", "y=y.npy", "-q", cwd=self.folder)
        self.assertEqual(done.code, 6, done.err)
        for command in ("first-difference", "first-difference here"):
            text = self.ask(command, words=["--core", "core"], options=())
            self.assertIn("y@0[192], 4 bytes: 194, not 193", text)
        self.assertIn("which file?", self.ask("first-difference rtol 1", code=2,
                                              words=["--core", "core"], options=()))

    def test_the_walk_goes_on(self):
        event = self.event_of(self.ask("first-difference y y.npy"))
        text = self.ask("first-difference y y.npy", "goto %d" % event, "last-writer")
        self.assertIn("TADDS t, t, 2.0  (first.pto:22)", text)
        text = self.ask("start", "first-difference y y.npy", "last-writer", code=2)
        self.assertIn("which lies ahead", text)

    def test_a_run_that_dies(self):
        self.save("c.npy", np.zeros(64, np.float32))
        shutil.copy(pto.source("tests", "dbg", "stuck.pto"), self.folder)
        with open(os.path.join(self.folder, "stuck.pto")) as file:
            name = re.search(r"^\.out +(\w+)", file.read(), re.M).group(1)
        text = self.ask("first-difference %s c.npy" % name, words=["stuck.pto", "--in", "a=ones"],
                        code=0)
        self.assertIn("The program dies", text)
        self.assertIn("64 of them were never written", text)

    def test_the_end_stays_the_end(self):
        """Whoever asks for writers at the end of a run is still there, with what it found."""
        for command in ("first-difference y y.npy", "last-writer y[3]", "origin y[3]"):
            text = self.ask("run", command, "continue", code=2)
            self.assertIn("the program is over", text)
        self.ask("delete", "run", "last-writer c[3]", words=[pto.source("tests", "dbg", "race.pto"),
                                                             "--in", "a=iota", "--check"], code=4)

    def test_wrong_words(self):
        self.save("short.npy", np.zeros(5, np.float32))
        self.save("square.npy", np.zeros((16, 16), np.float32))
        for command, wanted in (
                ("first-difference", "which file?"), ("fd y.npy", "which of y, z?"),
                ("fd w y.npy", "nothing is called 'w' here"), ("fd 5 y.npy", "'5' is no window"),
                ("fd y nowhere.npy", "cannot read 'nowhere.npy'"),
                ("fd y first.pto", "first.pto"), ("fd y short.npy", "holds [5] elements, and they"),
                ("fd y square.npy", "holds [16, 16] elements, and they are to be [256]"),
                ("fd y y.npy rtol", "error"), ("fd y y.npy rtol x", "'x' is no tolerance"),
                ("fd y y.npy rtol -1", "'-1' is no tolerance"), ("fd rtol 1", "which file?"),
                ("fd y@7 y.npy", "'7' is no rank"), ("fd y const:x", "const:x")):
            with self.subTest(command):
                text = self.ask(command, code=2)
                self.assertIn("error: ", text)
                self.assertIn(wanted, text)


if __name__ == "__main__":
    unittest.main()
