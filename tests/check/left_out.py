"""Synchronisation that the checker calls redundant is left out: every group of lines that a note
names, as a whole, each by itself. The kernels then have to be clean, with the bytes that they had.

    left_out.py [--cases FILE]... [--markdown] [-v] [NAME...]

NAME picks the cases that contain it. Fails if a group was needed, or the assembler does not take
the rest (refused)."""

import argparse
import json
import os
import shutil
import sys

from advice import made_tree, read_cases
from pto import SOURCE

OUTCOMES = ("not needed", "refused", "needed", "other bytes")


def groups(case):
    """Every set of (file, line) that a note names, once."""
    notes = json.loads(case.run("--json").out)["notes"]
    named = {tuple(sorted((os.path.normpath(line["file"]), line["line"]) for line in note["lines"]))
             for note in notes if note["kind"] == "redundant-sync"}
    return sorted(named)


def leave_out(case, group):
    for name in sorted({name for name, _ in group}):
        with open(os.path.join(SOURCE, name)) as file:
            lines = file.readlines()
        for other, number in group:
            if other == name:
                lines[number - 1] = "\n"
        with open(os.path.join(case.tree, name), "w") as file:
            file.writelines(lines)
    done = case.run()
    results = None if done.code else case.results()
    for name, _ in group:
        shutil.copyfile(os.path.join(SOURCE, name), os.path.join(case.tree, name))
    if done.code:
        return "refused" if ": error: " in done.err else "needed"
    return "not needed" if results == case.right else "other bytes"


def table(rows, markdown):
    lines = ["| kernel | groups | " + " | ".join(OUTCOMES) + " |"]
    if markdown:
        lines.append("|---" * (len(OUTCOMES) + 2) + "|")
    for name in sorted({row[0] for row in rows}) + ["all"]:
        outcomes = [row[1] for row in rows if name in (row[0], "all")]
        lines.append("| %s | %d | %s |" % (name, len(outcomes), " | ".join(
            str(outcomes.count(o)) for o in OUTCOMES)))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", action="append")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    rows = []
    with made_tree() as tree:
        for case in read_cases(options, tree):
            if not case.is_clean():
                print("BROKEN: %s" % case.name)
                return 1
            for group in groups(case):
                outcome = leave_out(case, group)
                rows.append((case.words[0], outcome))
                if options.v and outcome != "not needed":
                    print("%s: %s: %s" % (outcome, case.name[:60], " ".join(
                        "%s:%d" % line for line in group)), flush=True)
    print(table(rows, options.markdown))
    return 0 if rows and all(row[1] == "not needed" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
