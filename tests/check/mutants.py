"""The mutation table: every synchronisation instruction of the kernels in mutants/cases.txt is
changed, one at a time, and the checker has to find it (see mutate.c and docs/check.md).

    mutants.py [--jobs N] [--sample N] [--seed S] [--profile P] [--lint] [--markdown] [-v]
               [NAME...]

NAME picks the lines of cases.txt that contain it, --sample N takes one mutant of N, chosen by
--seed. --lint adds how many of those that a run notices the lint sees, too, by change and by
instruction. -v lists what was redundant or never run. Fails if a mutant was missed or a correct
kernel has a finding."""

import argparse
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pto import SOURCE, helper  # noqa: E402

MUTANTS = os.path.join("tests", "check", "mutants")
OUTCOMES = ("race", "sync", "deadlock", "fault", "limit", "rejected", "redundant", "not run",
            "missed")
NOTICED = OUTCOMES[:5]  # by a run
LISTED = ("missed", "BROKEN")


def run_parts(options, inputs):
    """[(kernel, place, instruction, change, outcome, lint)] of all mutants, and whether all parts
    ran."""
    command = ["--sample", str(options.sample), "--seed", str(options.seed), "--profile",
               options.profile, "--lint", "yes" if options.lint else "no", "--inputs", inputs,
               os.path.join(MUTANTS, "cases.txt")]
    parts = [subprocess.Popen([helper("mutate"), "--part", "%d/%d" % (part, options.jobs)] +
                              command + options.name, stdout=subprocess.PIPE, cwd=SOURCE)
             for part in range(options.jobs)]
    rows, good = [], True
    for part in parts:
        text = part.communicate()[0].decode()
        good = good and part.returncode == 0
        rows += [tuple(line.split("\t")) for line in text.splitlines()]
    return rows, good


def table(rows, title, key, options):
    """One line for every value of a column, and one for all."""
    counts = collections.OrderedDict()
    for row in rows:
        for name in (row[key], "all"):
            count = counts.setdefault(name, collections.Counter())
            count[row[4]] += 1
            count["by lint"] += row[4] in NOTICED and row[5] == "lint"
    if "all" in counts:
        counts.move_to_end("all")
    markdown = options.markdown
    width = 0 if markdown else max([len(name) for name in counts] + [len(title)])
    heads = [title.ljust(width), "mutants"] + list(OUTCOMES) + ["by lint"] * options.lint
    lines = ["| " + " | ".join(heads) + " |"]
    if markdown:
        lines.append("|---" * len(heads) + "|")
    for name, count in counts.items():
        noticed = sum(count[o] for o in NOTICED)
        cells = [name.ljust(width), "%7d" % sum(count[o] for o in OUTCOMES)]
        cells += [str(count[o]).rjust(len(o)) for o in OUTCOMES]
        if options.lint:
            share = "%d %%" % (100 * count["by lint"] // noticed) if noticed else "-"
            cells.append(share.rjust(7))
        lines.append("| " + " | ".join(c.strip() if markdown else c for c in cells) + " |")
    return "\n".join(lines) + "\n"


def seen_by_lint(rows, title, key):
    """What a run notices, what of it the lint sees, and its share, by the values of a column."""
    counts = {}
    for row in rows:
        for name in (row[key], "all") if row[4] in NOTICED else ():
            noticed, seen = counts.get(name, (0, 0))
            counts[name] = noticed + 1, seen + (row[5] == "lint")
    counts["all"] = counts.pop("all", (0, 0))
    lines = ["| %s | noticed | seen | share |" % title, "|---|--:|--:|--:|"]
    for name, (noticed, seen) in counts.items():
        lines.append("| %s | %d | %d | %s |" % (name, noticed, seen, "%.1f %%" % (
            100 * seen / noticed) if noticed else "-"))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--profile", default="a2")
    parser.add_argument("--lint", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pto-mutants-") as inputs:
        subprocess.run([sys.executable, os.path.join(SOURCE, MUTANTS, "inputs.py"), inputs],
                       check=True)
        rows, good = run_parts(options, inputs)
    if options.v and options.lint:
        unseen = collections.Counter((row[1], row[2], row[3]) for row in rows
                                     if row[4] in NOTICED and row[5] != "lint")
        for (place, instruction, change), count in unseen.most_common():
            print("not seen by the lint: %s of %s at %s (%d times)" % (
                change, instruction, os.path.normpath(place), count))
    broken = [row for row in rows if row[4] == "BROKEN"]
    tried = [row for row in rows if row[4] != "BROKEN"]
    print(table(tried, "kernel", 0, options))
    print(table(tried, "change", 3, options))
    if options.lint:
        print(seen_by_lint(tried, "change", 3))
        print(seen_by_lint(tried, "instruction", 2))
    listed = LISTED + (("redundant", "not run") if options.v else ())
    alike = collections.Counter(row for row in rows if row[4] in listed)
    for (case, place, instruction, change, outcome, _), count in sorted(alike.items()):
        print("%s: %s: %s of %s at %s%s" % (case, outcome, change, instruction,
                                            os.path.normpath(place),
                                            " (%d times)" % count if count > 1 else ""))
    missed = any(row[4] == "missed" for row in tried)
    return 0 if good and tried and not missed and not broken else 1


if __name__ == "__main__":
    sys.exit(main())
