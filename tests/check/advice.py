"""Advice that can be applied: synchronisation is taken out of correct texts, one piece at a time,
`ptovm check --fix=in-place` puts back what it proposes, and the next check has to be clean, with
the bytes of the correct text.

    advice.py [--first] [--sample N] [--seed S] [--cases FILE]... [--class C]... [--markdown] [-v]
              [NAME...]

NAME picks the cases that contain it, --class what is taken out (all of the table's first column),
--sample N takes one removal of N, chosen by --seed. --first applies the first advice without a
trial. -v lists what was not healed. Fails if of any class with
at least ten removals less than nine tenths are healed."""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pto import SOURCE, ptoas, ptovm  # noqa: E402

CASES = ["tests/check/advice/cases.txt", "tests/check/mutants/cases.txt"]
TREES = ["kernels", "tests/check/advice", "tests/check/mutants", "tests/run/kernels"]
SINGLE = {"set_flag": "set", "wait_flag": "wait", "handoff": "hand-over", ".take": "take",
          "pipe_barrier": "barrier", "dsb": "dsb", "dcci": "dcci", "sync_all": "sync_all",
          "TWAIT": "TWAIT", "TNOTIFY": "TNOTIFY", "set_flag_dev": "set_flag_dev",
          "wait_flag_dev": "wait_flag_dev", "async_wait": "async_wait"}
GOAL, ENOUGH = 0.9, 10
OUTCOMES = ("healed", "not healed", "other bytes", "not needed", "refused")
STATEMENT = re.compile(r"\s*([.\w]+)\s*([^;\\]*)")


def statements(lines):
    """[(index, word, operands)] of the lines that are whole statements."""
    found = []
    for i, line in enumerate(lines):
        match = STATEMENT.match(line)
        if match and not line.split(";")[0].rstrip().endswith("\\") and not (
                i and lines[i - 1].split(";")[0].rstrip().endswith("\\")):
            found.append((i, match.group(1),
                          tuple(word.strip() for word in match.group(2).split(","))))
    return found


def pairs(found):
    """Flags whose wait stands directly behind the set, and those that go round: for each pair of
    pipes all others."""
    adjacent = [(a[0], b[0]) for a, b in zip(found, found[1:])
                if (a[1], b[1]) == ("set_flag", "wait_flag") and a[2] == b[2]]
    used = {i for pair in adjacent for i in pair}
    round_a_loop = collections.OrderedDict()
    for i, word, operands in found:
        if word in ("set_flag", "wait_flag") and i not in used:
            round_a_loop.setdefault(operands[:2], []).append(i)
    return adjacent, [tuple(lines) for lines in round_a_loop.values() if len(lines) > 1]


def removals(lines):
    """[(class, indices of lines)]"""
    found = statements(lines)
    single = [(SINGLE[word], (i,)) for i, word, _ in found if word in SINGLE]
    adjacent, others = pairs(found)
    return (single + [("flag pair", pair) for pair in adjacent] +
            [("flag round a loop", group) for group in others])


class Case:
    """A command line of ptovm, run in a copy of the tree."""

    def __init__(self, words, tree):
        self.words, self.tree = words, tree
        self.outputs = self.find_outputs()
        self.right = self.results("check")
        self.files = self.find_files()

    def kernels(self):
        return [word.split(":")[0] for word in self.words if ".pto" in word]

    def defines(self):
        return [word for at, word in enumerate(self.words)
                if word == "-D" or self.words[at - 1] == "-D"]

    def find_outputs(self):
        names = []
        for kernel in sorted(set(self.kernels())):
            done = ptovm("info", "--json", kernel, cwd=self.tree)
            for block in json.loads(done.out)["kernels"]:
                names += [o["name"] for o in block["objects"] if o["kind"] in ("out", "inout")]
        return sorted(set(names))

    def find_files(self):
        files = []
        for kernel in self.kernels():
            made = ptoas("-M", *self.defines(), kernel, cwd=self.tree).out
            files += [os.path.normpath(name) for name in made.split() if not name.endswith(":")]
        return sorted(set(files))

    def run(self, *options):
        return ptovm("check", "-q", "--timeout", "100s", *self.words, *options, cwd=self.tree)

    def results(self, *_):
        """Bytes of all results of a clean run; None if it is not clean."""
        with tempfile.TemporaryDirectory() as folder:
            options = ["--out=%s=%s/%s.{rank}" % (name, folder, name) for name in self.outputs]
            if self.run(*options).code:
                return None
            sums = {}
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), "rb") as file:
                    sums[name] = file.read()
            return sums


def outcome_of(case, first):
    options = ["--fix=in-place"] + (["--fix-runs", "0"] if first else [])
    done = case.run(*options)
    if not done.code:
        return "not needed"
    if not re.search(r"finding:|deadlock:|fault:|limit:", done.err):
        return "refused"
    results = case.results()
    if results is None:
        return "not healed"
    return "healed" if results == case.right else "other bytes"


def write(path, lines):
    with open(path, "w") as file:
        file.writelines(lines)


def try_removal(case, path, lines, indices, first):
    """Outcome, and what was put in."""
    changed = ["\n" if i in indices else line for i, line in enumerate(lines)]
    write(path, changed)
    outcome = outcome_of(case, first)
    write(path, lines)
    return outcome


def is_chosen(options, *key):
    return zlib.crc32(repr((options.seed,) + key).encode()) % options.sample == 0


def try_case(case, options, done):
    """Rows (class, case, place, outcome) of the removals that no earlier case needed."""
    for name in case.files:
        path = os.path.join(case.tree, name)
        with open(path) as file:
            lines = file.readlines()
        for kind, indices in removals(lines):
            key = (name, kind, indices)
            if options.kinds and kind not in options.kinds:
                continue
            if key in done and done[key] != "not needed" or not is_chosen(options, *key):
                continue
            done[key] = try_removal(case, path, lines, indices, options.first)
            if options.v and done[key] not in ("healed", "not needed", "refused"):
                print("%s: %s:%s: %s: %s" % (done[key], name, "+".join(
                    str(i + 1) for i in indices), kind, lines[indices[0]].strip()), flush=True)


def read_cases(options, tree, inputs):
    for path in options.cases or CASES:
        with open(os.path.join(SOURCE, path)) as file:
            for line in file:
                words = line.split("#")[0].replace("$INPUTS", inputs).split()
                if words and (not options.name or any(n in line for n in options.name)):
                    yield words


def table(rows, markdown):
    counts = collections.OrderedDict()
    for kind, outcome in rows:
        counts.setdefault(kind, collections.Counter())[outcome] += 1
    lines = ["| removed | tried | " + " | ".join(OUTCOMES) + " | rate |"]
    if markdown:
        lines.append("|---" * (len(OUTCOMES) + 3) + "|")
    for kind, count in sorted(counts.items()):
        needed = sum(count[o] for o in OUTCOMES[:3])
        rate = "%d %%" % (100 * count["healed"] // needed) if needed else "-"
        lines.append("| %s | %d | %s | %s |" % (kind, sum(count.values()), " | ".join(
            str(count[o]) for o in OUTCOMES), rate))
    return "\n".join(lines)


def reaches_goal(rows):
    counts = collections.defaultdict(collections.Counter)
    for kind, outcome in rows:
        counts[kind][outcome] += 1
    needed = {kind: sum(count[o] for o in OUTCOMES[:3]) for kind, count in counts.items()}
    return all(count["healed"] >= GOAL * needed[kind] for kind, count in counts.items()
               if needed[kind] >= ENOUGH)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", action="append")
    parser.add_argument("--class", action="append", dest="kinds")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    done = collections.OrderedDict()
    with tempfile.TemporaryDirectory(prefix="pto-advice-") as tree:
        inputs = os.path.join(tree, "inputs")
        for folder in TREES:
            shutil.copytree(os.path.join(SOURCE, folder), os.path.join(tree, folder))
        os.mkdir(inputs)
        subprocess.run([sys.executable, os.path.join(tree, "tests/check/mutants/inputs.py"),
                        inputs], check=True)
        for words in read_cases(options, tree, inputs):
            case = Case(words, tree)
            if case.right is None:
                print("BROKEN: %s" % " ".join(words))
                return 1
            try_case(case, options, done)
    rows = [(kind, outcome) for (_, kind, _), outcome in done.items()]
    print(table(rows, options.markdown))
    return 0 if options.first or (rows and reaches_goal(rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
