#!/usr/bin/env python3
"""Programs whose flags only an execution shows to be right: conditions of two loops at once, behind
a loop, of ids and slots by register, around pairs, in macros, by what memory says.

hard.txt has them.  Runs under the checker prove each right for several parameters, and the lint has
nothing to say; where a piece of their synchronisation is left out and a run notices, it has."""

import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
from run_unusual import HEAD  # noqa: E402

FRAME = HEAD.replace(".in  x", ".in  c : i32[64]\n.in  x")

MACROS = """.macro hand from, to, id
set_flag from, to, id
wait_flag from, to, id
.endm
.macro once condition, from, to, id
.if condition
wait_flag from, to, id
.endif
.endm
.macro tell condition, from, to, id
.if condition
set_flag from, to, id
.endif
.endm
"""
TILES = ".tile d[2] : ub f32[1, 64]\n.tile d3[3] : ub f32[1, 64]\n.tile d4[4] : ub f32[1, 64]\n"
SYNC = re.compile(r"\s*(set_flag|wait_flag|pipe_barrier|hand|once|tell)\b")
SIZES = ((0, 1), (1, 1), (2, 1), (5, 2), (4, 3), (0, 3), (3, 2))


def programs():
    """{name: body} of those that are right, and of those that are not."""
    with open(pto.source("tests", "asm", "hard.txt"), encoding="utf-8") as file:
        right, wrong = file.read().split("== WRONG\n")
    return tuple({name: body for name, body in re.findall(r"^== (.*)\n((?:(?!== ).*\n)*)", text,
                                                         re.M)} for text in (right, wrong))


class Hard(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "hard.pto")

    def write(self, body):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(MACROS + FRAME + TILES + body + "end\n")

    def codes(self, body):
        """How runs under the checker end."""
        for n, m in SIZES:
            if n > 0 or ".assert" not in body:
                yield pto.ptovm("check", self.path, "--cores", "1", "--jitter", "3", "--set",
                                "n=%d" % n, "--set", "m=%d" % m, "--in", "x=iota", "--in",
                                "c=iota").code

    def said(self, *options):
        """Not that tiles of the frame are without use."""
        err = pto.ptoas("--lint", *options, self.path).err
        return [line for line in re.findall(r".*(?:note|warning|error): .*", err)
                if "[unused]" not in line]

    def test_right(self):
        right, _ = programs()
        self.assertGreater(len(right), 60)
        for name, body in pto.sample(right.items(), 4):
            with self.subTest(name):
                self.write(body)
                self.assertFalse(any(self.codes(body)))
                self.assertEqual(self.said(), [])

    def test_wrong(self):
        _, wrong = programs()
        for name, body in wrong.items():
            with self.subTest(name):
                self.write(body)
                self.assertTrue(any(self.codes(body)))
                self.assertTrue(self.said())

    def test_one_piece_left_out(self):
        """Of each program one line, by its number."""
        noticed = 0
        for number, (name, body) in pto.sample(enumerate(programs()[0].items()), 4):
            lines = body.splitlines(keepends=True)
            sync = [at for at, line in enumerate(lines) if SYNC.match(line)]
            del lines[sync[number * 5 % len(sync)]]
            self.write("".join(lines))
            with self.subTest(name):
                if any(self.codes(body)):
                    noticed += 1
                    self.assertTrue(self.said(), "".join(lines))
        self.assertGreater(noticed, pto.share(55, 4))

    def test_what_was_doubted_is_a_note(self):
        self.write(programs()[0]["two loops, both counters"])
        notes = self.said("-v")
        self.assertTrue(any("[race]" in note for note in notes), notes)
        self.assertFalse([note for note in notes if " note: " not in note])


if __name__ == "__main__":
    unittest.main()
