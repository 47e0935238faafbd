"""Breakpoints at the uses of macros: one stop a use, whatever the macro does."""
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import pty_test  # noqa: E402

FOLDER = pto.source("tests", "dbg")
PIECES = 3
MACROS = ["--profile", "toy", "--cores", "1", "--set", "n=%d" % (64 * PIECES), "--in", "x=ones"]


def line_of(file, text):
    """Number of the first line that has the text."""
    with open(os.path.join(FOLDER, file)) as lines:
        return next(n for n, line in enumerate(lines, 1) if text in line)


class Macros(unittest.TestCase):
    def ask(self, *commands, code=0, program="macros.pto", cwd=FOLDER):
        words = [w for c in commands for w in ("-e", c)]
        done = pto.run("ptodbg", *MACROS, program, "--batch", *words, cwd=cwd)
        self.assertEqual(done.code, code, done.out + done.err)
        return done.out

    def stops(self, place):
        """Lines and times at which the breakpoint stops, to the end."""
        commands = ["commands 1", "silent", "set $stops = $stops + 1", "frame", "continue", "end"]
        text = self.ask("set $stops = 0", "break " + place, *commands, "run", "print $stops")
        found = re.findall(r"^rank 0, aiv0\.0 at (\S+):(\d+), ", text, re.M)
        self.assertIn("$stops = %d\n" % len(found), text)
        return [(file, int(line)) for file, line in found]

    def test_the_kernel_is_right(self):
        done = pto.run("ptovm", "check", "-q", "macros.pto", *MACROS, "--expect", "y=const:30",
                       cwd=FOLDER)
        self.assertEqual(done.code, 0, done.err)

    def test_every_use_once(self):
        inside = ("macros.inc", line_of("macros.inc", "TLOAD"))
        self.assertEqual(self.stops("load_piece"), [inside] * PIECES)
        inside = ("macros.pto", line_of("macros.pto", "set_flag  V, MTE3"))
        self.assertEqual(self.stops("store_piece"), [inside] * PIECES)

    def test_the_way_back_to_the_first_line_is_no_use(self):
        """Two uses a turn, one of them in another macro; each goes round twice."""
        inside = ("macros.inc", line_of("macros.inc", "times = times + 1"))
        self.assertEqual(self.stops("twice"), [inside] * 2 * PIECES)

    def test_a_macro_that_uses_itself(self):
        """Three levels in one use, one in each of the other two."""
        inside = ("macros.inc", line_of("macros.inc", "TADDS"))
        self.assertEqual(self.stops("nested"), [inside] * 5 * PIECES)

    def test_a_macro_that_begins_with_another(self):
        """Its own line is shown, and next and finish are those of that level."""
        line = line_of("macros.inc", "    twice t, count")
        self.assertEqual(self.stops("four_times"), [("macros.inc", line)] * PIECES)
        after = line_of("macros.pto", "four_times") + 1
        text = self.ask("break four_times", "run", "delete", "finish")
        self.assertIn("at macros.pto:%d, " % after, text.splitlines()[-3])
        text = self.ask("break twice", "run", "continue", "delete", "up", "next")
        self.assertIn("at macros.inc:%d, " % line, text)
        self.assertIn("at macros.pto:%d, " % after, text.splitlines()[-3])

    def test_the_list_names_the_uses(self):
        text = self.ask("break store_piece", "break nested", "info breakpoints")
        self.assertEqual(len(re.findall(r"macros\.pto:\d+ \(macros aiv, \d+\)", text)), 2, text)
        self.assertEqual(re.findall(r"(\d+): nested at", text), ["2", "2"])
        listed = re.search(r"2: nested at (.*)", text)[1]
        places = re.findall(r"macros\.inc:\d+ \(macros aiv, (\d+)\)", listed)
        self.assertEqual(len(places), 5, text)
        self.assertEqual(len(set(places)), 5, text)

    def test_back(self):
        """reverse-continue passes the same stops, and none in between."""
        text = self.ask("break twice", "run", "continue", "when", "continue", "reverse-continue",
                        "when")
        first, second = re.findall(r"^\S+ us, event (\d+);", text, re.M)
        self.assertEqual(first, second, text)

    def test_other_commands_take_them(self):
        text = self.ask("start", "focus aiv0.0", "until store_piece", "backtrace")
        self.assertRegex(text, r"#0  macros\.pto:%d"
                         % line_of("macros.pto", "set_flag  V, MTE3"))
        self.assertIn("TLOAD t, object[at]", self.ask("list load_piece"))
        text = self.ask("tbreak load_piece if %off == 128", "run", "print %off", "continue")
        self.assertIn("%off = 128\n", text)
        self.assertIn("The program ended", text)

    def test_names_that_are_none(self):
        text = self.ask("break load_peace", code=2)
        self.assertIn("no label, kernel, macro or mnemonic 'load_peace'", text)
        self.assertIn("did you mean 'load_piece'?", text)
        text = self.ask("break unused", code=2)
        self.assertIn("no instruction comes from the macro 'unused'", text)
        self.assertIn("hint: ", text)

    def test_lines_whose_words_are_all_arguments(self):
        """Mnemonic and operand come from outside, and the line is the macro's all the same."""
        text = self.ask("break one", "break any", program="words.pto")
        self.assertIn("Breakpoint 1: one at words.pto:2 (words aiv, 0)\n", text)
        self.assertIn("2: any at words.pto:5 (words aiv, 1), words.pto:5 (words aiv, 2)\n", text)
        text = self.ask("break any", "run", "backtrace", program="words.pto")
        self.assertIn("#0  words.pto:5  dsb\n#1  words.pto:%d  "
                      % line_of("words.pto", "any dsb"), text)

    def test_without_sources(self):
        """An object has lines, but the text of a macro is in its file."""
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "macros.ptobj")
            done = pto.run("ptoas", "macros.pto", "-o", name, cwd=FOLDER)
            self.assertEqual(done.code, 0, done.err)
            self.assertIn("Breakpoint 1: twice at", self.ask("break twice", program=name))
            text = self.ask("break twice", program=name, cwd=folder, code=2)
            self.assertIn("no label, kernel, macro or mnemonic 'twice'", text)
            self.assertIn("macros.pto", text)

    def test_names_are_completed(self):
        t = pty_test.session(*MACROS, "macros.pto")
        t.expect(pty_test.PROMPT)
        self.assertIn("Breakpoint 1: store_piece", t.command("break store_p\t"))
        self.assertIn("Breakpoint 2: four_times", t.command("tbreak four\t"))
        t.send("quit\r")
        self.assertEqual(t.end(), 0)


if __name__ == "__main__":
    unittest.main()
