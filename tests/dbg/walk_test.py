"""Walking about: a value back to its source over ranks, and up and down through macros."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

FOLDER = pto.source("tests", "dbg")
WALK = ["walk.pto", "--cores", "1", "--ranks", "3", "--set", "n=256", "--in", "x=iota"]


class Walk(unittest.TestCase):
    def ask(self, *commands, code=0):
        done = pto.run("ptodbg", *WALK, "--batch", *[w for c in commands for w in ("-e", c)],
                       cwd=FOLDER)
        self.assertEqual(done.code, code, done.out + done.err)
        return done.out

    def test_the_kernel_is_right(self):
        done = pto.run("ptovm", "check", "-q", *WALK, "--expect", "y=const:0", "--atol", "1e9",
                       cwd=FOLDER)
        self.assertEqual(done.code, 0, done.err)

    def test_what_was_sent_is_what_the_tile_held_when_it_left(self):
        """Element by element of a piece, all pieces: y[i] of rank 1 is made from x[i] of rank 0."""
        for i in (0, 63, 70, 150, 255):
            text = self.ask("run", "origin y@1[%d]" % i)
            piece = i // 64 * 64
            self.assertRegex(text, r"TSTORE box@1\[%d\], t .* of rank 0, .*landed at" % piece)
            for wanted in (r"TADDS t, t, 1\.0", r"TMULS t, t, 2\.0", r"TLOAD t, x\[%d\]" % piece):
                self.assertRegex(text, wanted + r" .* of rank 0, ")
            self.assertTrue(text.endswith("x@0[%d], 4 bytes: nobody wrote it: the input x=iota\n"
                                          % i), text)

    def test_step_by_step(self):
        text = self.ask("run", "last-writer box@1[70]", "last-writer", "last-writer",
                        "last-writer", "last-writer")
        self.assertEqual(re.findall(r"^  (T\w+) ", text, re.M),
                         ["TSTORE", "TADDS", "TMULS", "TLOAD"])
        self.assertIn("x@0[70], 4 bytes:\n  nobody wrote it", text)

    def test_levels(self):
        inside = ["break walk.inc:3 rank 0", "run"]
        text = self.ask(*inside, "backtrace")
        self.assertEqual(re.findall(r"^#(\d)  (\S+)", text, re.M),
                         [("0", "walk.inc:3"), ("1", "walk.inc:16"), ("2", "walk.pto:22")])
        for way, line in ((["up"], "walk.inc:16"), (["up", "up"], "walk.pto:22"),
                          (["up 2"], "walk.pto:22"), (["up 2", "down"], "walk.inc:16"),
                          (["frame 2"], "walk.pto:22"), (["frame 1", "frame 0"], "walk.inc:3"),
                          (["up 2", "down 2"], "walk.inc:3"), (["up", "frame"], "walk.inc:16")):
            with self.subTest(way):
                text = self.ask(*inside, *way)
                last = [row for row in text.splitlines() if " at walk." in row][-1]
                self.assertIn(" at %s, " % line, last)
                chosen = re.findall(r"^#\d  (\S+).*\(selected\)", self.ask(*inside, *way,
                                                                         "backtrace"), re.M)
                self.assertEqual(chosen, [] if line == "walk.inc:3" else [line])

    def test_next_and_list_work_there(self):
        inside = ["break walk.inc:3 rank 0", "run", "delete"]
        self.assertIn("at walk.inc:4, ", self.ask(*inside, "next"))
        self.assertIn("at walk.pto:23, ", self.ask(*inside, "up 2", "next"))
        self.assertIn("=> 22 ", self.ask(*inside, "up 2", "list"))
        self.assertIn("=> 16 ", self.ask(*inside, "up", "list"))

    def test_no_further(self):
        inside = ["break walk.inc:3 rank 0", "run"]
        for way, why in ((["up 3"], "further out"), (["down"], "further inside"),
                         (["frame 3"], "there is no level 3"), (["frame x"], "no level x"),
                         (["frame -1"], "no level -1"), (["up 0"], "at least 1"),
                         (["up x"], "at least 1"), (["up 99999999999"], "further out")):
            with self.subTest(way):
                self.assertIn(why, self.ask(*inside, *way, code=2))
        self.assertIn("not running yet", self.ask("up", code=2))


if __name__ == "__main__":
    unittest.main()
