"""Advice that can be applied: synchronisation is taken out of correct texts, one piece at a time,
`ptovm check --fix=in-place` puts back what it proposes, and the next check has to be clean, with
the bytes of the correct text.

    advice.py [--first] [--sample N] [--seed S] [--cases FILE]... [--class C]... [--keep FILE]
              [--part I/N] [--markdown] [-v] [NAME...]

NAME picks the cases that contain it, --class what is taken out (all of the table's first column),
--sample N takes one removal of N, chosen by --seed. --first applies the first advice without a
trial. --keep FILE adds every outcome to FILE as soon as it is known, and takes what is there
already from it, so that a run can be broken off; several runs, each with a --part of its own, can
share it. -v lists what was not healed. Fails if of any class with at least ten removals less than
nine tenths are healed."""

import argparse
import collections
import contextlib
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
SINGLE = {"set_flag": "set", "wait_flag": "wait", "handoff": "handoff", ".slots": ".slots",
          ".take": ".take", ".give": ".give", "pipe_barrier": "barrier", "dsb": "dsb",
          "dcci": "dcci", "sync_all": "sync_all", "TWAIT": "TWAIT", "TWAIT_ANY": "TWAIT_ANY",
          "TNOTIFY": "TNOTIFY", "set_flag_dev": "set_flag_dev", "wait_flag_dev": "wait_flag_dev",
          "set_intra_block": "set_intra_block", "wait_intra_block": "wait_intra_block",
          "async_wait": "async_wait"}
GOAL, ENOUGH = 0.9, 10
OUTCOMES = ("healed", "not healed", "other bytes", "not needed", "refused")
FINAL = OUTCOMES[:3] + ("refused",)  # no other case of the same text has anything to add
STATEMENT = re.compile(r"\s*(?:%\w+\s*=\s*)?([.\w]+)\s*(.*)")


def statements(lines):
    """[(indices of its lines, word, operands)] of all statements."""
    found, begun, text = [], [], ""
    for i, line in enumerate(lines):
        begun.append(i)
        text += line.split(";")[0].strip()
        if text.endswith("\\"):
            text = text[:-1]
            continue
        match = STATEMENT.match(text)
        if match:
            found.append((tuple(begun), match.group(1),
                          tuple(word.strip() for word in match.group(2).split(","))))
        begun, text = [], ""
    return found


def pairs(found):
    """Flags whose wait stands directly behind the set, and those that go round: for each pair of
    pipes all others."""
    adjacent = [a[0] + b[0] for a, b in zip(found, found[1:])
                if (a[1], b[1]) == ("set_flag", "wait_flag") and a[2] == b[2]]
    used = {i for pair in adjacent for i in pair}
    round_a_loop = collections.OrderedDict()
    for lines, word, operands in found:
        if word in ("set_flag", "wait_flag") and lines[0] not in used:
            round_a_loop.setdefault(operands[:2], []).append(lines)
    return adjacent, [sum(group, ()) for group in round_a_loop.values() if len(group) > 1]


def takes(found):
    """Each .take with the .give behind it: the slot is not taken at all."""
    pair, taken = [], {}
    for lines, word, operands in found:
        if word == ".take":
            taken[operands] = lines
        elif word == ".give" and operands in taken:
            pair.append(taken.pop(operands) + lines)
    return pair


def removals(lines):
    """[(class, indices of lines)]"""
    found = statements(lines)
    single = [(SINGLE[word], where) for where, word, _ in found if word in SINGLE]
    adjacent, others = pairs(found)
    return (single + [("flag pair", pair) for pair in adjacent] +
            [("flag round a loop", group) for group in others] +
            [(".take with .give", pair) for pair in takes(found)])


class Case:
    """A command line of ptovm, run in a copy of the tree."""

    def __init__(self, words, name, tree):
        self.words, self.name, self.tree = words, name, tree
        self.files = self.find_files()
        self.outputs = self.right = None
        self.limit = []  # a loop that waits for what never comes is to end

    def is_clean(self):
        """Asked before its first removal, which needs the right results."""
        if self.right is None:
            self.outputs = self.find_outputs()
            self.right = self.results()
            self.limit = ["--max-insns", 20 * self.instructions() + 100000]
        return self.right is not None

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

    def instructions(self):
        report = json.loads(self.run("--json").out)
        return sum(rank["scalar_instructions"] for rank in report["per_rank"])

    def run(self, *options):
        return ptovm("check", "-q", "--timeout", "100s", *self.limit, *self.words, *options,
                     cwd=self.tree)

    def results(self):
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


def try_removal(case, name, lines, indices, first):
    """What is put in may stand in other texts of the case, too: all are made good again."""
    with open(os.path.join(case.tree, name), "w") as file:
        file.writelines("\n" if i in indices else line for i, line in enumerate(lines))
    outcome = outcome_of(case, first)
    for text in case.files:
        shutil.copyfile(os.path.join(SOURCE, text), os.path.join(case.tree, text))
    return outcome


def number(options, key):
    return zlib.crc32(repr((options.seed,) + key).encode())


def is_chosen(options, key):
    part, parts = options.part
    return number(options, key) % options.sample == 0 and (
        number(options, key) // options.sample % parts == part)


class Ledger:
    """What became of which removal, in memory and, if asked for, in a file: a line for each case
    in which it was tried."""

    def __init__(self, path):
        self.path, self.outcome, self.tried = path, collections.OrderedDict(), set()
        if path and os.path.exists(path):
            with open(path) as file:
                for line in file:
                    row = json.loads(line)
                    self.note((row["file"], row["class"], tuple(row["lines"])), row["case"],
                              row["outcome"])

    def note(self, key, case, outcome):
        self.tried.add((key, case))
        if self.outcome.get(key) not in FINAL:
            self.outcome[key] = outcome

    def add(self, key, case, outcome):
        self.note(key, case, outcome)
        if self.path:
            with open(self.path, "a") as file:
                file.write(json.dumps({"file": key[0], "class": key[1], "lines": key[2],
                                       "case": case, "outcome": outcome}) + "\n")

    def is_done(self, key, case):
        return self.outcome.get(key) in FINAL or (key, case) in self.tried


def try_case(case, options, ledger):
    """The removals that no earlier case needed; false: the case itself is not clean."""
    for name in case.files:
        with open(os.path.join(SOURCE, name)) as file:
            lines = file.readlines()
        for kind, indices in removals(lines):
            key = (name, kind, indices)
            if (options.kinds and kind not in options.kinds or not is_chosen(options, key) or
                    ledger.is_done(key, case.name)):
                continue
            if not case.is_clean():
                print("BROKEN: %s" % case.name)
                return False
            ledger.add(key, case.name, try_removal(case, name, lines, indices, options.first))
            if options.v and ledger.outcome[key] in ("not healed", "other bytes"):
                print("%s: %s:%s: %s: %s" % (ledger.outcome[key], name, "+".join(
                    str(i + 1) for i in indices), kind, lines[indices[0]].strip()), flush=True)
    return True


@contextlib.contextmanager
def made_tree():
    """A copy of the texts, and the inputs."""
    with tempfile.TemporaryDirectory(prefix="pto-advice-") as tree:
        inputs = os.path.join(tree, "inputs")
        for folder in TREES:
            shutil.copytree(os.path.join(SOURCE, folder), os.path.join(tree, folder))
        os.mkdir(inputs)
        subprocess.run([sys.executable, os.path.join(tree, "tests/check/mutants/inputs.py"),
                        inputs], check=True)
        yield tree


def read_cases(options, tree):
    for path in options.cases or CASES:
        with open(os.path.join(SOURCE, path)) as file:
            for line in file:
                text = line.split("#")[0].strip()
                if text and (not options.name or any(n in text for n in options.name)):
                    yield Case(text.replace("$INPUTS", "inputs").split(), text, tree)


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


def part(text):
    """I/N, the first is 0."""
    one, _, all_parts = text.partition("/")
    if not 0 <= int(one) < int(all_parts):
        raise ValueError
    return int(one), int(all_parts)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", action="append")
    parser.add_argument("--class", action="append", dest="kinds")
    parser.add_argument("--keep")
    parser.add_argument("--part", type=part, default=(0, 1))
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("name", nargs="*")
    return parser.parse_args()


def main():
    options = read_options()
    ledger = Ledger(options.keep)
    with made_tree() as tree:
        for case in read_cases(options, tree):
            if not try_case(case, options, ledger):
                return 1
    rows = [(key[1], outcome) for key, outcome in ledger.outcome.items()]
    print(table(rows, options.markdown))
    return 0 if options.first or (rows and reaches_goal(rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
