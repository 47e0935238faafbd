"""Every command has an example in `help`, and the example works: help_test.py

They are carried out, each in a session of its own, where a sub-core is about to issue one of its
last additions: a breakpoint, a display, files and the work of the pipes are there to be shown.
"""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

KERNEL = pto.source("tests", "dbg", "help.pto")
BEFORE = ["break TADD", "break TADD if %off >= 640", "display %off", "run", "disable 1", "continue",
          "save ta[0]{1, 4} ta.npy"]
NEEDS_TERMINAL = {"tui": "the full screen needs a terminal"}


def session(folder, lines):
    words = [word for line in lines for word in ("-e", line)]
    return pto.run("ptodbg", KERNEL, "--profile", "toy", "--cores", "1", "--set", "n=1280", "--in",
                   "a=iota", "--in", "b=ones", "--batch", *words, cwd=folder)


def names():
    done = pto.run("ptodbg", KERNEL, "--set", "n=8", "--in", "a=iota", "--in", "b=ones", "--batch",
                   "-e", "help")
    usages = re.findall(r"^([a-z][a-z-]*)\b.*\n    \S", done.out, re.M)
    assert len(usages) > 40, usages
    return usages


def example(folder, name):
    lines = session(folder, ["help " + name]).out.splitlines()
    return [line[len("  > "):] for line in lines if line.startswith("  > ")]


def check(folder, name):
    lines = example(folder, name)
    if not lines:
        return "help %s has no example" % name
    if not any(line.split("/")[0].split()[0] == name for line in lines):
        return "the example of %s is of another command: %s" % (name, lines)
    done = session(folder, BEFORE + lines)
    if name in NEEDS_TERMINAL:
        good = done.code == 2 and NEEDS_TERMINAL[name] in done.out
    else:
        good = done.code == 0 and "error" not in done.out
    return None if good else "%s: exit status %d, %s" % (lines, done.code, done.out[-400:])


def main():
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "commands.gdb"), "w") as file:
        file.write("when\n")
    try:
        problems = [p for p in (check(folder, name) for name in names()) if p]
    finally:
        shutil.rmtree(folder)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
