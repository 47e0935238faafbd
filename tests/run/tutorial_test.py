"""Runs docs/tutorial, and what other pages show of commands: files are written, every command is
run, and its output is the one shown.

A block `pto` whose first line is `; file: NAME` is that file without the line; in a block
`console` a line `$ COMMAND` is run by a shell, `# exit N` behind it is its exit status, and the
lines below are its output, where `...` stands for any lines.  --update writes the output; where
lines are left out, times alone."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

TUTORIAL = sorted(glob.glob(pto.source("docs", "tutorial", "*.md")))
PAGES = [*TUTORIAL, *(pto.source("docs", name + ".md")
                      for name in ("ptovm", "explore", "check", "lint", "tune"))]
BLOCK = re.compile(r"^```(pto|console)\n(.*?)^```$", re.M | re.S)


def commands(block):
    """[(command, exit status, expected output)] of a console."""
    found = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            command, _, code = line[2:].rstrip("\n").partition("  # exit ")
            found.append([command, int(code or 0), ""])
        else:
            found[-1][2] += line
    return found


# What a better estimate of times changes, a ratio at a line's end with it; only its form is
# compared.
TIMES = ((r"\d+\.\d{3}$", r"\d+\.\d{3}"),
         (r"\d+(?:\.\d+)? (?:ps|ns|us|ms)\b", r"\d+(?:\.\d+)? (?:ps|ns|us|ms)"),
         (r"\d+\.\d%", r"\d+\.\d%"), (r"\d+ steps", r"\d+ steps"))


def line_pattern(line):
    """Everything literally but times."""
    result, at = "", 0
    for match in re.finditer("|".join("(%s)" % shown for shown, _ in TIMES), line):
        result += re.escape(line[at:match.start()]) + TIMES[match.lastindex - 1][1]
        at = match.end()
    return result + re.escape(line[at:])


def pattern(expected):
    """Lines that are shown are groups."""
    return "".join("(?:.*\n)*" if line == "...\n" else "(%s)" % line_pattern(line)
                   for line in expected.splitlines(keepends=True))


def shown_again(expected, found):
    """What is to stand there instead of what is expected."""
    if "...\n" not in expected:
        return found
    lines = re.fullmatch(pattern(expected), found)
    if not lines:  # more than times is another: by hand
        return expected
    lines = iter(lines.groups())
    return "".join(line if line == "...\n" else next(lines)
                   for line in expected.splitlines(keepends=True))


def run(command, folder):
    path = pto.BIN + os.pathsep + os.environ["PATH"]
    done = subprocess.run(["sh", "-c", command], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=pto.TIMEOUT,
                          env={**os.environ, "PATH": path, "NO_COLOR": "1",
                               "PTO_TUNED": ""})
    return done.returncode, done.stdout.decode()


def write_file(text, folder):
    name = re.match(r"; file: (\S+)\n", text)
    with open(os.path.join(folder, name.group(1)), "w") as file:
        file.write(text[name.end():])


def enter(folder):
    """What commands of the project's folder name is there."""
    for name in ("docs", "kernels", "tests"):
        os.symlink(pto.source(name), os.path.join(folder, name))


class Tutorial(unittest.TestCase):
    def test_pages(self):
        self.assertGreaterEqual(len(TUTORIAL), 4)
        for page in PAGES:
            with open(page) as file, tempfile.TemporaryDirectory() as folder:
                enter(folder)
                blocks = BLOCK.findall(file.read())
                self.assertTrue(blocks)
                for kind, text in blocks:
                    if kind == "pto":
                        write_file(text, folder)
                    else:
                        self.console(page, text, folder)

    def console(self, page, text, folder):
        for command, code, expected in commands(text):
            with self.subTest(os.path.basename(page) + ": " + command):
                found = run(command, folder)
                self.assertEqual(found[0], code, found[1])
                self.assertTrue(re.fullmatch(pattern(expected), found[1]),
                                "shown:\n%s\nfound:\n%s" % (expected, found[1]))

    def test_kernels_are_laid_out(self):
        for page in PAGES:
            with open(page) as file:
                for kind, text in BLOCK.findall(file.read()):
                    if kind == "pto":
                        text = text.split("\n", 1)[1]
                        self.assertEqual(pto.ptoas("--format", "-", stdin=text).out, text, page)


def update(page):
    with open(page) as file, tempfile.TemporaryDirectory() as folder:
        enter(folder)
        text = file.read()

        def again(match):
            kind, block = match.groups()
            if kind == "pto":
                write_file(block, folder)
                return match.group()
            lines = []
            for command, code, expected in commands(block):
                found = run(command, folder)
                mark = "  # exit %d" % found[0] if found[0] else ""
                lines.append("$ %s%s\n%s" % (command, mark, shown_again(expected, found[1])))
            return "```console\n%s```" % "".join(lines)
        text = BLOCK.sub(again, text)
    with open(page, "w") as file:
        file.write(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        for path in PAGES:
            update(path)
    else:
        unittest.main()
