"""ptodbg --tui in a real terminal, which tmux plays: keys in, the screen out."""
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import tmux  # noqa: E402

FOLDER = pto.source("tests", "dbg")
ADD = ["--cores", "1", "--set", "n=500", "--in", "a=iota", "--in", "b=const:0.5", "add.pto"]


def text_of(rows):
    return "\n".join(rows) + "\n"


class Screen(unittest.TestCase):
    COLS, ROWS = 80, 24

    def begin(self, *words, options=("--tui",)):
        self.terminal = tmux.Terminal([pto.program("ptodbg"), "--profile", "toy", *options, *words],
                                      FOLDER, self.COLS, self.ROWS)
        self.addCleanup(self.terminal.end)

    def keys(self, *keys):
        self.terminal.ask("send-keys", *keys)

    def until(self, *texts):
        """The screen as soon as it has all of the texts."""
        def good(rows):
            return all(re.search(text, text_of(rows)) for text in texts)
        rows = self.terminal.until(good)
        self.assertTrue(good(rows), "%r did not come; the screen is\n%s" % (texts, text_of(rows)))
        return text_of(rows)

    def lane(self, screen, name):
        return next(line for line in screen.splitlines() if line.startswith(name + " "))

    def command(self, text):
        self.keys(":")
        self.until(r"\(ptodbg\) *$")
        self.keys("-l", text)
        self.keys("Enter", "Escape")

    def test_first_screen(self):
        self.begin(*ADD)
        screen = self.until("not started", "s step")
        self.assertIn(".kernel add", screen)
        self.keys("s")
        self.until("event 3 ", "1.000 us", r">  +14 +%s = 0", r"- ta\[0\]: f32 1 x 64")

    def test_double_buffering_is_seen(self):
        """Both slots are at work at once: MTE2 loads one while V adds in the other."""
        self.begin(*ADD)
        self.until("s step")
        self.command("break TSTORE if %off > 200")
        self.until("Breakpoint 1")
        self.keys("r")
        screen = self.until("Breakpoint 1, rank 0", "event")
        self.assertRegex(self.lane(screen, "MTE2"), r"0+1+")
        self.assertRegex(self.lane(screen, "MTE2"), r"\.\.\d\.\d+ us|\| set_flag|TLOAD")
        self.assertRegex(self.lane(screen, "V"), r"w")
        self.assertRegex(screen, r">\*? +29 +TSTORE")

    def test_strips_end_at_now_however_far_they_go_back(self):
        """Zoomed out beyond the beginning of the run as well."""
        self.begin(*ADD)
        self.until("s step")
        self.command("break TSTORE if %off > 200")
        self.until("Breakpoint 1")
        self.keys("r")
        self.until("Breakpoint 1, rank 0", "event")
        for column in ("20.616 ns", "41.232 ns", "82.464 ns", "164.928 ns"):
            self.keys("-")
            screen = self.until("a column " + column)
            for lane in ("MTE2", "V", "MTE3"):
                self.assertRegex(self.lane(screen, lane)[6:32], r"^\.+[w01v]+$")

    def test_slots_are_those_of_tiles(self):
        """Of TSTORE c[%off], ta[%s] it is ta's, not where it stores to."""
        self.begin(*ADD)
        self.until("s step")
        self.keys("r")
        screen = self.until("ended    ")
        for lane in ("MTE2", "V", "MTE3"):
            self.assertEqual(set(re.findall(r"\d", self.lane(screen, lane)[5:])), {"0", "1"})

    def test_back_and_forth(self):
        self.begin(*ADD)
        self.until("s step")
        for key, event in (("s", 3), ("n", None), ("b", 3)):
            self.keys(key)
            screen = self.until("event %d " % event if event else "event (?!3 )")
        self.assertIn("1.000 us", screen)

    def test_a_command_with_completion_and_recall(self):
        self.begin(*ADD)
        self.until("s step")
        self.keys("s")
        self.until("event 3 ")
        self.keys(":")
        self.keys("-l", "disas")
        self.keys("Tab")
        self.until(r"\(ptodbg\) disassemble")
        self.keys("C-u")
        self.keys("-l", "print %n + 1")
        self.keys("Enter")
        self.until(r"%n \+ 1 = 501", "s step")
        self.keys("Enter", "Up")
        self.until(r"\(ptodbg\) print %n \+ 1$")
        self.keys("BSpace")
        self.keys("-l", "2")
        self.keys("Enter")
        self.until(r"%n \+ 2 = 502", "s step")

    def test_keys_are_keys_again_after_a_command(self):
        """No Escape in between: the letters of the second line would be one more command."""
        self.begin(*ADD)
        self.until("s step")
        self.keys(":")
        self.keys("-l", "start")
        self.keys("Enter")
        self.until("event [1-9]", "s step")
        self.keys("t")
        self.until(r"- ta\[1\]: f32 1 x 64", "s step")
        self.keys(":")
        self.keys("-l", "step")
        self.keys("Escape")
        self.until("s step")

    def test_a_definition_is_typed(self):
        """Its lines are no keys, up to the last one."""
        self.begin(*ADD)
        self.until("s step")
        self.keys(":")
        for line in ("define both", "print $1 + 1", "end"):
            self.until(r"\(ptodbg\) *$")
            self.keys("-l", line)
            self.keys("Enter")
        self.until("s step")
        self.command("both 41")
        self.until(r"41 \+ 1 = 42")

    def test_characters_beyond_ascii(self):
        """They are typed, shown in their columns, taken back whole, and mean the bytes they are."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        name = os.path.join(folder, "Übung 漢.cmd")
        with open(name, "w", encoding="utf-8") as script:
            script.write("print 40 + 2\n")
        self.begin(*ADD)
        self.until("s step")
        self.keys(":")
        self.keys("-l", "source %s/Übung 漢字ß" % folder)
        self.until(r"\(ptodbg\) source .*/Übung 漢字ß *$")
        self.keys("BSpace", "BSpace")
        self.until(r"\(ptodbg\) source .*/Übung 漢 *$")
        self.keys("-l", ".cmd")
        self.keys("Enter")
        self.until(r"40 \+ 2 = 42", r"\(ptodbg\) source .*/Übung 漢\.cmd")

    def test_a_long_line_shows_its_end(self):
        self.begin(*ADD)
        self.until("s step")
        self.keys(":")
        self.keys("-l", "p " + "ü" * 100 + "€ end")
        self.until(r"\(ptodbg\) ü{60,}€ end *$")
        self.keys("Enter")
        self.until("s step", r"\nü+€ end *\nerror: text other than ASCII")

    def test_other_tiles_and_sub_cores(self):
        self.begin(*ADD)
        self.until("s step")
        self.keys("c")
        screen = self.until("ended", "The program ended")
        self.assertIn("ta[0]", screen)
        self.keys("t")
        self.until(r"- ta\[1\]: f32 1 x 64")
        self.keys("T")
        self.until(r"- ta\[0\]: f32 1 x 64")
        self.keys("Tab")
        self.until("aiv0.1")

    def test_sizes(self):
        self.begin(*ADD)
        self.until("s step")
        self.keys("s")
        self.until("event 3 ")
        self.terminal.ask("resize-window", "-x", "200", "-y", "60")
        screen = self.until("event 3 ", r"- pipes.*\n")
        self.until(r"\A(.*\n){59}s step")
        self.assertGreater(len(screen.splitlines()), 24)
        self.terminal.ask("resize-window", "-x", "30", "-y", "8")
        self.until("too small")
        self.terminal.ask("resize-window", "-x", "80", "-y", "24")
        self.until("event 3 ", "s step")

    def test_help_and_leaving(self):
        self.begin(*ADD, options=())
        self.until(r"\(ptodbg\)")
        self.keys("-l", "tui")
        self.keys("Enter")
        self.until("s step")
        self.keys("?")
        self.until("Keys: s step")
        self.keys("q")
        self.until(r"\(ptodbg\) *\n")
        self.keys("-l", "quit")
        self.keys("Enter")
        self.until("status 0")

    def test_interrupt(self):
        self.begin("forever.pto", "--cores", "1")
        self.until("s step")
        program = self.terminal.program()
        self.keys("c")
        pto.wait_until(lambda: pto.has_worked(program, 0.5))  # it runs, not only starts
        self.keys("C-c")
        self.until("Interrupted", "stopped")
        self.command("quit")
        self.until("status 0")

    def test_mouse_selects_a_lane(self):
        self.begin(*ADD)
        self.until("s step")
        self.keys("s")
        screen = self.until("event 3 ")
        row = next(i for i, line in enumerate(screen.splitlines()) if line.startswith("V "))
        self.keys("-l", "\033[M \"" + chr(33 + row))  # as terminals before xterm's 1006 tell it
        self.command("focus")
        self.until("pipe V")

    def test_without_a_terminal(self):
        done = pto.run("ptodbg", "--tui", "--profile", "toy", *ADD, cwd=FOLDER)
        self.assertEqual(done.code, 2)
        self.assertIn("the full screen needs a terminal", done.out)


if __name__ == "__main__":
    unittest.main()
