"""The mutation table: every synchronisation instruction of the kernels in mutants/cases.txt is
changed, one at a time, and the checker has to find it (see mutate.c and docs/check.md).

    mutants.py [--jobs N] [--sample N] [--seed S] [--profile P] [--markdown] [-v] [NAME...]

NAME picks the lines of cases.txt that contain it, --sample N takes one mutant of N, chosen by
--seed. -v lists what was redundant or never run. Fails if a mutant was missed or a
correct kernel has a finding."""

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
LISTED = ("missed", "BROKEN")


def run_parts(options, inputs):
    """[(kernel, place, instruction, change, outcome)] of all mutants, and whether all parts ran."""
    command = ["--sample", str(options.sample), "--seed", str(options.seed), "--profile",
               options.profile, "--inputs", inputs, os.path.join(MUTANTS, "cases.txt")]
    parts = [subprocess.Popen([helper("mutate"), "--part", "%d/%d" % (part, options.jobs)] +
                              command + options.name, stdout=subprocess.PIPE, cwd=SOURCE)
             for part in range(options.jobs)]
    rows, good = [], True
    for part in parts:
        text = part.communicate()[0].decode()
        good = good and part.returncode == 0
        rows += [tuple(line.split("\t")) for line in text.splitlines()]
    return rows, good


def table(rows, title, key, markdown):
    """One line for every value of a column, and one for all."""
    counts = collections.OrderedDict()
    for row in rows:
        for name in (row[key], "all"):
            counts.setdefault(name, collections.Counter())[row[4]] += 1
    if "all" in counts:
        counts.move_to_end("all")
    width = 0 if markdown else max([len(name) for name in counts] + [len(title)])
    lines = ["| " + " | ".join([title.ljust(width), "mutants"] + list(OUTCOMES)) + " |"]
    if markdown:
        lines.append("|---" * (len(OUTCOMES) + 2) + "|")
    for name, count in counts.items():
        cells = [name.ljust(width), "%7d" % sum(count.values())]
        cells += [str(count[o]).rjust(len(o)) for o in OUTCOMES]
        lines.append("| " + " | ".join(c.strip() if markdown else c for c in cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--profile", default="a2")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pto-mutants-") as inputs:
        subprocess.run([sys.executable, os.path.join(SOURCE, MUTANTS, "inputs.py"), inputs],
                       check=True)
        rows, good = run_parts(options, inputs)
    broken = [row for row in rows if row[4] == "BROKEN"]
    tried = [row for row in rows if row[4] != "BROKEN"]
    print(table(tried, "kernel", 0, options.markdown))
    print(table(tried, "change", 3, options.markdown))
    listed = LISTED + (("redundant", "not run") if options.v else ())
    alike = collections.Counter(row for row in rows if row[4] in listed)
    for (case, place, instruction, change, outcome), count in sorted(alike.items()):
        print("%s: %s: %s of %s at %s%s" % (case, outcome, change, instruction,
                                            os.path.normpath(place),
                                            " (%d times)" % count if count > 1 else ""))
    missed = any(row[4] == "missed" for row in tried)
    return 0 if good and tried and not missed and not broken else 1


if __name__ == "__main__":
    sys.exit(main())
