"""Run the cases of shapes.py and print a table; full.sh starts this."""

import argparse
import fnmatch
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pto import program, source  # noqa: E402

sys.path.insert(0, source("tests", "golden"))
from shapes import CASES  # noqa: E402 (needs the path to the references)

HEAD = ("operator", "profile", "ranks", "shape", "simulated us", "published us", "host s",
        "memory MiB", "worst error", "verdict")


class Failure(Exception):
    """A run that did not end as it should, or results that cannot be read."""


def save(folder, name, value):
    """Files for an input; the source to name on the command line. Anything but an array is a
    list with an array for every rank."""
    if isinstance(value, np.ndarray):
        np.save("%s/%s.npy" % (folder, name), value)
        return "%s/%s.npy" % (folder, name)
    for rank, array in enumerate(value):
        np.save("%s/%s_%d.npy" % (folder, name, rank), array)
    return "%s/%s_{rank}.npy" % (folder, name)


def command(case, problem, folder):
    words = [program("ptovm"), "--ranks", case.ranks, "--profile", case.profile,
             *case.options, "--json=%s/report.json" % folder, "-q", "run"]
    words += [source(file) for file in case.files]
    for name, value in problem.settings.items():
        if isinstance(value, np.ndarray):       # one value for each rank
            np.save("%s/%s.npy" % (folder, name), value)
            value = "@%s/%s.npy" % (folder, name)
        words += ["--set", "%s=%s" % (name, value)]
    for name, value in problem.inputs.items():
        words += ["--in", "%s=%s" % (name, save(folder, name, value))]
    for name in problem.outputs:
        words += ["--out", "%s=%s/out_%s_{rank}.npy" % (name, folder, name)]
    return [str(word) for word in words]


def execute(words):
    """Processor seconds and peak MiB of one run of ptovm."""
    done = subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "measure.py"),
                           *words], stdout=subprocess.PIPE, check=True)
    *messages, numbers = done.stdout.decode().splitlines()
    status, seconds, mebibytes = numbers.split()
    if status != "0":
        raise Failure("exit status %s: %s" % (status, "\n".join(messages[:5])))
    return float(seconds), float(mebibytes)


def run(case):
    """One case: the cells of its row from `simulated` on, and whether it passed."""
    problem = case.problem(case.ranks)
    with tempfile.TemporaryDirectory(prefix="pto-operators-") as folder:
        seconds, mebibytes = execute(command(case, problem, folder))
        with open(folder + "/report.json") as file:
            report = json.load(file)
        out = {name: [np.load("%s/out_%s_%d.npy" % (folder, name, rank), mmap_mode="r")
                      for rank in range(case.ranks)] for name in problem.outputs}
        verdict = problem.judge(out)
        picoseconds = problem.time(out) if problem.time else report["time_ps"]
    cells = ["%.4g" % (picoseconds / 1e6) if picoseconds < 1e9 else "%.0f" % (picoseconds / 1e6),
             case.published or "-", "%.1f" % seconds, "%.0f" % mebibytes, verdict.error,
             verdict.text]
    return cells, verdict.good


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def chosen(arguments):
    """The cases asked for; a pattern fits the beginning of a name."""
    cases = [case for case in CASES if case.quick or not arguments.quick]
    if not arguments.patterns:
        return cases
    fits = {pattern: [case for case in cases if fnmatch.fnmatch(case.name, pattern + "*")]
            for pattern in arguments.patterns}
    for pattern, found in fits.items():
        if not found:
            sys.exit("no case has a name like %r; --list shows all" % pattern)
    return [case for case in cases if any(case in found for found in fits.values())]


def main():
    parser = argparse.ArgumentParser(prog="full.sh", description="The operators at the shapes of "
                                     "the real repositories, checked against numpy.")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    parser.add_argument("--list", action="store_true", help="name the cases and end")
    parser.add_argument("--quick", action="store_true", help="small cases only")
    parser.add_argument("--heavy", action="store_true", help="also what takes very long")
    arguments = parser.parse_args()
    cases = chosen(arguments)
    if arguments.list:
        for case in cases:
            print(case.name + (" (heavy: %s)" % case.heavy if case.heavy else ""))
        return 0

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))     # leave no files behind
    row(HEAD)
    row(["---"] * len(HEAD))
    failed, begin = [], time.monotonic()
    for case in cases:
        if case.heavy and not arguments.heavy:
            cells = ["-", case.published or "-", "-", "-", "-", "not run: " + case.heavy]
            good = True
        else:
            try:
                cells, good = run(case)
            except Failure as failure:
                cells, good = ["-", case.published or "-", "-", "-", "-", "FAILED"], False
                print("%s: %s" % (case.name, failure), file=sys.stderr)
        row([case.operator, case.profile, case.ranks, case.shape, *cells])
        if not good:
            failed.append(case.name)
    print("%d cases in %.0f s, %d failed %s" % (len(cases), time.monotonic() - begin, len(failed),
                                                " ".join(failed)), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
