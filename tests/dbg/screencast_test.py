"""The full screen as the tutorial shows it, frame by frame: screencast_test.py [--update]

A block `screen COLSxROWS` of docs/tutorial/on-the-screen.md begins a session with its command; what
lines `keys: ...`, there or in a block `screen`, name is pressed next; the rest is the screen then.
"""
import difflib
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import tmux  # noqa: E402

PAGE = pto.source("docs", "tutorial", "on-the-screen.md")
BLOCK = re.compile(r"^```screen(?: (\d+)x(\d+))?\n(.*?)^```$", re.M | re.S)
KEYS = "keys: "


def split(text):
    """(what is typed, the screen that is shown)"""
    lines = text.splitlines()
    typed = [line for line in lines if line.startswith((KEYS, "$ "))]
    return typed, lines[len(typed):]


def keys_of(line):
    line = line[len(KEYS):]
    return [line] if line.startswith(":") else line.split()


class Cast:
    def __init__(self, update):
        self.update, self.wrong, self.frames, self.terminal = update, 0, 0, None

    def begin(self, command, cols, rows):
        self.end()
        program, *words = shlex.split(command[2:])
        self.terminal = tmux.Terminal([pto.program(program), *words], pto.SOURCE, cols, rows)
        self.terminal.until(lambda screen: screen and screen[-1].startswith("s step"))

    def end(self):
        if self.terminal:
            self.terminal.end()
        self.terminal = None

    def frame(self, match):
        """The block as it would have to be."""
        cols, rows, text = match.groups()
        typed, wanted = split(text)
        self.frames += 1
        if cols:
            self.begin(typed[0], int(cols), int(rows))
        for line in typed[1 if cols else 0:]:
            self.terminal.keys(*keys_of(line))
        if self.update:
            got = self.terminal.settled()
        else:
            got = self.terminal.until(lambda screen: screen == wanted)
            if got != wanted:
                self.wrong += 1
                print("\n".join(["after %s:" % typed, *difflib.unified_diff(
                    wanted, got, "on the page", "on the screen", lineterm="")]))
        head = "```screen" + (" %sx%s" % (cols, rows) if cols else "")
        return "\n".join([head, *typed, *got, "```"])


def main():
    cast = Cast("--update" in sys.argv)
    with open(PAGE) as file:
        text = file.read()
    try:
        result = BLOCK.sub(cast.frame, text)
    finally:
        cast.end()
    assert cast.frames > 0
    if cast.update:
        with open(PAGE, "w") as file:
            file.write(result)
    sys.exit(1 if cast.wrong else 0)


if __name__ == "__main__":
    main()
