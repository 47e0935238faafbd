#!/usr/bin/env python3
"""Programs that are right in an unusual way: runs under the checker prove each of them right for
several parameters, and the lint has nothing to say.

Each has one tile that is loaded, computed on and stored in every round; what differs is how a round
knows that it is the first, or the last, and has nothing to wait for, or nobody to tell."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

HEAD = """.kernel k
.mix 1:1
.param n : i64
.param m : i64
.in  x : f32[n * m + 2, 64]
.out y : f32[n * m + 2, 64]
.core aiv
    .assert %m > 0, "m"
.tile t : ub f32[1, 64]
.tile u : ub f32[1, 64]
"""
ROUND = """TLOAD t, x[%i, 0]
set_flag MTE2, V, 0
wait_flag MTE2, V, 0
TADDS u, t, 1.0
set_flag V, MTE3, 0
wait_flag V, MTE3, 0
TSTORE y[%i, 0], u
"""


def rounds(loop, later, more, before="", behind="", end=".endfor"):
    """A loop whose rounds wait for the one before where `later`, and tell the next where `more`."""
    return "%s\n%s\n.if %s\nwait_flag MTE3, MTE2, 0\n.endif\n%s.if %s\nset_flag MTE3, MTE2, 0\n" \
           ".endif\n%s\n%s\n" % (loop, before, later, ROUND, more, behind, end)


UP = ".for %i = 0 to %n"
DOWN = ".for %i = %n - 1 downto -1"
WHILE = dict(end=".endwhile", behind="%i = %i + 1")
PROGRAMS = {
    "first and last": rounds(UP, "%i > 0", "%i + 1 < %n"),
    "end less one": rounds(UP, "%i >= 1", "%i < %n - 1"),
    "at most end less two": rounds(UP, "%i > 0", "%i <= %n - 2"),
    "unlike": rounds(UP, "%i != 0", "%i != %n - 1"),
    "two at once": rounds(".for %i = 0 to %n step 2", "%i > 0", "%i + 2 < %n"),
    "second in steps of two": rounds(".for %i = 0 to %n step 2", "%i >= 2", "%i < %n - 2"),
    "begin by an expression": rounds(".for %i = %m - 1 to %n", "%i > %m - 1", "%i + 1 < %n"),
    "end in a register": rounds("%e = %n * 2 / 2\n.for %i = 0 to %e", "%i > 0", "%i + 1 < %e"),
    "end by an expression": rounds(".for %i = 0 to min(%n, 100)", "%i > 0",
                                   "%i + 1 < min(%n, 100)"),
    "end by a quotient": rounds("%e = cdiv(%n, 2)\n.for %i = 0 to %e", "%i > 0", "%i < %e - 1"),
    "end by a product": rounds(".for %i = 0 to %n * %m", "%i > 0", "%i + 1 < %n * %m"),
    "end computed again": rounds("%e = %n * %m\n.for %i = 0 to %e", "%i > 0", "%i < %m * %n - 1"),
    "own rows": rounds("%lo = block_id() * %n / block_num()\n"
                       "%hi = (block_id() + 1) * %n / block_num()\n.for %i = %lo to %hi",
                       "%i > %lo", "%i + 1 < %hi"),
    "every so many rows": rounds(".for %i = block_id() to %n step block_num()",
                                 "%i > block_id()", "%i + block_num() < %n"),
    "down": rounds(DOWN, "%i < %n - 1", "%i > 0"),
    "down, unlike": rounds(DOWN, "%i != %n - 1", "%i != 0"),
    "down to one": rounds(".for %i = %n downto 0", "%i < %n", "%i > 1"),
    "down in steps of two": rounds(".for %i = %n downto 0 step 2", "%i < %n", "%i > 2"),
    "comparisons kept": rounds(UP, "%again", "%more", "%more = %i + 1 < %n\n%again = %i > 0"),
    "comparisons kept and compared": rounds(UP, "%again != 0", "%more == 1",
                                            "%more = %i + 1 < %n\n%again = %i > 0"),
    "at most, kept": rounds(UP, "%again", "%more", "%more = %i <= %n - 2\n%again = %i != 0"),
    "not the last": rounds(UP, "%i > 0", "!%last", "%last = %i == %n - 1"),
    "the last is none": rounds(UP, "%i > 0", "%last == 0", "%last = %i == %n - 1"),
    "what is left": rounds("%left = %n\n" + UP, "%i > 0", "%left > 0", "%left = %left - 1"),
    "what is left, unlike": rounds("%left = %n\n" + UP, "%left < %n - 1", "%left != 0",
                                   "%left = %left - 1"),
    "a counter beside it": rounds("%k = 0\n" + UP, "%k > 0", "%k + 1 < %n", "", "%k = %k + 1"),
    "while": rounds("%i = 0\n.while %i < %n", "%i > 0", "%i + 1 < %n", **WHILE),
    "while, down": rounds("%i = %n - 1\n.while %i >= 0", "%i < %n - 1", "%i > 0",
                          end=".endwhile", behind="%i = %i - 1"),
    "first in a register": rounds("%first = 1\n" + UP, "%first == 0", "%i + 1 < %n", "",
                                  "%first = 0"),
    "left in the middle": "%i = 0\n.if %i < %n\n.while 1\n.if %i > 0\nwait_flag MTE3, MTE2, 0\n"
                          ".endif\n" + ROUND + "%i = %i + 1\n.if %i >= %n\n.break\n.endif\n"
                          "set_flag MTE3, MTE2, 0\n.endwhile\n.endif\n",
    "inner rounds alone": ".for %j = 0 to %m\n" +
                          rounds(UP, "%i > 0", "%i + 1 < %n") + "pipe_barrier ALL\n.endfor\n",
    "outer rounds": rounds(".for %j = 0 to %m", "%j > 0", "%j + 1 < %m", "%i = %j"),
}


# The same with a condition that is one round off.
WRONG = {
    "wait from the third round on": rounds(UP, "%i > 1", "%i + 1 < %n"),
    "told in the last, too": rounds(UP, "%i > 0", "%i < %n"),
    "not told in the last but one": rounds(UP, "%i > 0", "%i + 2 < %n"),
    "down, wait from the third round on": rounds(DOWN, "%i < %n - 2", "%i > 0"),
    "down, told in the last, too": rounds(DOWN, "%i < %n - 1", "%i >= 0"),
    "kept, one off": rounds(UP, "%again", "%more", "%more = %i < %n\n%again = %i > 0"),
    "the last for the others": rounds(UP, "%i > 0", "%last", "%last = %i == %n - 1"),
    "left, one off": rounds("%left = %n\n" + UP, "%i > 0", "%left >= 0", "%left = %left - 1"),
    "another end": rounds(".for %i = 0 to min(%n, 4)", "%i > 0", "%i + 1 < min(%n, 5)"),
    "end of another loop": rounds(UP, "%i > 0", "%i + 1 < %n + %m"),
    "a counter that skips": rounds("%k = 0\n" + UP, "%i > 0", "%k + 1 < %n",
                                   ".if mod(%i, 2) == 1\n%k = %k + 1\n.endif"),
}


class Unusual(unittest.TestCase):
    def test_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "wrong.pto")
            for name, body in WRONG.items():
                with open(path, "w", encoding="utf-8") as file:
                    file.write(HEAD + body + "end\n")
                with self.subTest(name):
                    done = pto.ptovm("check", path, "--cores", "1", "--set", "n=5", "--set",
                                     "m=2", "--in", "x=iota")
                    self.assertNotEqual(done.code, 0)
                    self.assertRegex(pto.ptoas("--lint", path).err, "token-|race|set-on-pending")

    def test_each(self):
        self.assertGreaterEqual(len(PROGRAMS), 25)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "unusual.pto")
            for name, body in PROGRAMS.items():
                with open(path, "w", encoding="utf-8") as file:
                    file.write(HEAD + body + "end\n")
                for n, m in ((1, 1), (2, 1), (5, 2)):
                    with self.subTest(name, n=n, m=m):
                        done = pto.ptovm("check", path, "--cores", "1", "--jitter", "3", "--set",
                                         "n=%d" % n, "--set", "m=%d" % m, "--in", "x=iota")
                        self.assertEqual(done.code, 0, done.out + done.err)
                with self.subTest(name):
                    done = pto.ptoas("--lint", path)
                    self.assertEqual((done.code, done.err), (0, ""))


if __name__ == "__main__":
    unittest.main()
