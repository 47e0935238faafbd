"""What the full screen says of pipes and signals, held against what commands answer."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import tmux  # noqa: E402

FOLDER = pto.source("tests", "dbg")
TOY = ["--profile", "toy", "--cores", "1"]
ADD = [*TOY, "--set", "n=500", "--in", "a=iota", "--in", "b=const:0.5", "add.pto"]
WALK = [*TOY, "--ranks", "3", "--set", "n=256", "--in", "x=iota", "walk.pto"]


def heads(text):
    """Of the answer of info queues: {pipe: line of its first entry}"""
    return {pipe: int(line)
            for pipe, line in re.findall(r"^(\w+)\n +0  .*\((?:\S+):(\d+)\)$", text, re.M)}


def edges(screen):
    """Of the source on the screen: {pipe: line at whose right edge it stands}"""
    rows = screen[1:next(i for i, row in enumerate(screen) if row.startswith("- pipes"))]
    return {pipe: int(row[2:7]) for row in rows if row[2:7].strip()
            for pipe in re.findall(r"\b(?:MTE\d|V|M|FIX)\b", row[70:])}


class Screen(unittest.TestCase):
    def begin(self, *words, **size):
        terminal = tmux.Terminal([pto.program("ptodbg"), "--tui", *words], FOLDER, **size)
        self.addCleanup(terminal.end)
        self.until(terminal, r"^s step")
        return terminal

    def until(self, terminal, *texts):
        def good(rows):
            return all(re.search(text, "\n".join(rows), re.M) for text in texts)
        rows = terminal.until(good)
        self.assertTrue(good(rows), "%r did not come:\n%s" % (texts, "\n".join(rows)))
        return rows

    def lane(self, screen, name):
        return next(row for row in screen if row.startswith(name + " "))[6:]

    def test_where_the_work_of_pipes_comes_from(self):
        """At every event of a while, in a screen that shows the whole text."""
        t = self.begin(*ADD, rows=100)
        for event in range(60, 90, 3):
            done = pto.run("ptodbg", *ADD, "--batch", "-e", "focus aiv0.0", "-e",
                           "goto %d" % event, "-e", "focus aiv0.0", "-e", "when", "-e",
                           "info queues", cwd=FOLDER)
            at = re.search(r"^\S+ us, event (\d+);", done.out, re.M)[1]
            t.keys(":goto %d" % event, ":focus aiv0.0")
            screen = self.until(t, r"aiv0\.0 .* event %s  stopped" % at, r"^\(ptodbg\) focus",
                                r"^s step")
            t.keys(":echo-%d" % event)  # an error that tells that all of that has been obeyed
            screen = self.until(t, r"there is no command 'echo-%d'" % event, r"^s step")
            self.assertTrue(heads(done.out), done.out)
            self.assertEqual(edges(screen), heads(done.out))

    def test_arrows_come_from_the_lane_that_set_the_token(self):
        t = self.begin(*ADD)
        t.keys(":break TSTORE core aiv0.0 if %off > 200", "r")
        screen = self.until(t, r"^Breakpoint 1, rank 0, aiv0\.0 at", r"^s step")
        size = 80 // 3
        down = {name: self.lane(screen, name)[:size].count("v") for name in ("V", "MTE3", "MTE2")}
        up = {name: self.lane(screen, name)[:size].count("^") for name in ("V", "MTE3", "MTE2")}
        # V waited for both pieces; MTE3 for the first alone, since it was still at work when the
        # second came; the load of the third had to wait for a slot
        self.assertEqual(down, {"V": 2, "MTE3": 1, "MTE2": 0})
        self.assertEqual(up, {"V": 0, "MTE3": 0, "MTE2": 1})

    def test_signals(self):
        t = self.begin(*WALK)
        self.until(t, r"^- signals: go\[1\] = 0$")
        t.keys("c")
        self.until(t, r"^- signals: go\[1\] = 1$", r"The program ended")
        plain = self.begin(*ADD)
        self.assertNotIn("- signals", "\n".join(plain.screen()))


if __name__ == "__main__":
    unittest.main()
