"""The sessions of the manual and of the tutorial, as they stand there: manual_test.py [--update]

A block that begins with `$ ptodbg ...` is a session: what follows `(ptodbg) ` is a command, the
rest what has to be answered.  A line that ends in ` ...` may go on; times and numbers of events may
be others.
"""
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

PAGES = ("debugger.md", "debugging.md")
PROMPT = "(ptodbg) "
BLOCK = re.compile(r"^```\n(\$ ptodbg .*?\n)```$", re.M | re.S)


def answers(words, commands):
    """The session as the page would have it: each command with its answer, in one run."""
    mark = "print 1 + %d"
    script = [w for n, c in enumerate(commands) for w in ("-e", c, "-e", mark % (1000000 + n))]
    done = pto.run("ptodbg", *words, "--batch", *script, cwd=pto.SOURCE)
    text, shown = done.out + done.err, []
    for n, command in enumerate(commands):
        end = "1 + %d = %d\n" % (1000000 + n, 1000001 + n)
        answer, found, text = text.partition(end)
        assert found, "'%s' failed: %s" % (command, answer)
        shown += [PROMPT + command] + answer.splitlines()
    return shown


def session(block):
    """(what stands there, what there is)"""
    lines = block.splitlines()
    words = shlex.split(lines[0].split("<")[0])[2:]
    commands = [line[len(PROMPT):] for line in lines if line.startswith(PROMPT)]
    if commands:
        return lines[1:], answers(words, commands)
    done = pto.run("ptodbg", *words, cwd=pto.SOURCE)
    return lines[1:], done.out.splitlines()[:len(lines) - 1]


def timeless(line):
    """Costs change more often than what happens."""
    line = re.sub(r"\d+(\.\d+)? [munp]s\b", "T", line)
    return re.sub(r" +", " ", re.sub(r"event \d+", "N", line))


def same(wanted, got):
    wanted, got = timeless(wanted), timeless(got)
    return got == wanted or (wanted.endswith(" ...") and got.startswith(wanted[:-4]))


def check(page, update):
    path = pto.source("docs", page)
    with open(path) as file:
        text = file.read()
    blocks, wrong = BLOCK.findall(text), 0
    for block in blocks:
        wanted, got = session(block)
        if len(wanted) == len(got) and all(map(same, wanted, got)):
            continue
        wrong += 1
        if update:
            text = text.replace(block, "\n".join([block.splitlines()[0], *got]) + "\n")
            continue
        for w, g in zip(wanted + ["(end)"], got + ["(end)"]):
            if not same(w, g):
                print("%s: %s\n  wanted %s\n  got    %s" % (page, block.splitlines()[0], w, g))
                break
    if update and wrong:
        with open(path, "w") as file:
            file.write(text)
    assert blocks, page
    return wrong


def main():
    update = "--update" in sys.argv
    wrong = sum(check(page, update) for page in PAGES)
    sys.exit(1 if wrong and not update else 0)


if __name__ == "__main__":
    main()
