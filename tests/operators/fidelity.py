"""Hold the simulated times against every published one: docs/fidelity.md.

    python3 tests/operators/fidelity.py [--write] [--jobs N] [--known FILE] [PATTERN]...

Runs the rows of published.py whose names begin with a PATTERN (all without one) for their times
alone, and prints a table in Markdown and the median error of every family; --write puts both into
docs/fidelity.md. --known: a JSON file of times that earlier runs found, which are not looked for
again; what this run finds is added. PTO_BIN is the folder of ptovm, by default build/bin."""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pto import program, source  # noqa: E402
from published import HOST_US, LADDER, ROWS, geometric_mean  # noqa: E402

PAGE = source("docs", "fidelity.md")
BEGIN, END = "<!-- table -->\n", "<!-- /table -->\n"
OUTPUTS = {"time": ("time",), "barrier": ("enter", "leave")}
PIPES = ("M", "MTE2", "MTE1", "FIX")


def given(row, folder):
    """Words for the inputs: zeros, and arrays for each rank in files."""
    words = ["--in=%s=zeros" % name for name in row.inputs]
    for name, arrays in (row.made() if row.made else {}).items():
        if isinstance(arrays, np.ndarray):      # one value for each rank
            np.save("%s/%s.npy" % (folder, name), arrays)
            words.append("--set=%s=@%s/%s.npy" % (name, folder, name))
            continue
        for rank, array in enumerate(arrays):
            np.save("%s/%s_%d.npy" % (folder, name, rank), array)
        words.append("--in=%s=%s/%s_{rank}.npy" % (name, folder, name))
    return words


def measured(row, folder, report):
    """Microseconds; of a pipe, the percentage of the run that it is busy."""
    if row.measure in PIPES:
        rank = report["per_rank"][0]
        busy = next(p["busy_ps"] for p in rank["pipes"] if p["pipe"] == row.measure)
        return 100 * busy / rank["aic"] / report["time_ps"]
    out = {name: np.stack([np.load("%s/%s_%d.npy" % (folder, name, rank))[..., 0]
                           for rank in range(row.ranks)]) for name in OUTPUTS.get(row.measure, ())}
    if row.measure == "time":
        return out["time"].max() / 1e6
    if row.measure == "barrier":                # from the last one's coming to its leaving
        enter, leave = (out[name].max(axis=(0, 2)) for name in OUTPUTS["barrier"])
        return float((leave - enter).mean()) / 1e6
    return report["time_ps"] / 1e6


def run(row, choice, launches=1):
    """Microseconds of one run."""
    with tempfile.TemporaryDirectory(prefix="pto-fidelity-") as folder:
        words = [program("ptovm"), "--profile", row.profile, "--ranks", row.ranks, "--threads", 1,
                 *row.options, "--repeat", launches, "--join", "--json=%s/report.json" % folder,
                 "-q", "run", *map(source, row.kernels), *given(row, folder)]
        for name, value in {**row.settings, **choice}.items():
            words.append("%s=%s=%s" % ("--define" if name.isupper() else "--set", name, value))
        if row.measure not in OUTPUTS:
            words.append("--timing-only")
        for name in OUTPUTS.get(row.measure, ()):
            words.append("--out=%s=%s/%s_{rank}.npy" % (name, folder, name))
        done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            sys.exit("%s: %s" % (row.name, done.stdout.decode()))
        with open(folder + "/report.json") as file:
            return measured(row, folder, json.load(file))


def fastest(row):
    us, choice = min(((run(row, choice), choice) for choice in row.choices),
                     key=lambda tried: tried[0])
    if row.warm:
        us = run(row, choice, launches=2) - us
    print("%s: %.6g" % (row.name, us), file=sys.stderr, flush=True)
    return us


def number(value):
    return "%.4g" % value if value < 1e5 else "%.0f" % value


def line(row, us):
    return "| %s | %s | %s | %s | %+.1f %s | %s | %s |" % (
        row.family, row.what, number(row.published), number(us), 100 * error(row, us), unit(row),
        row.kind, "ratio" if row.published < 3 and row.derived else row.method)


def error(row, us):
    """Relative; of busy shares, which are percentages themselves, the difference."""
    return (us - row.published) / (100 if row.measure in PIPES else row.published)


def unit(row):
    return "points" if row.measure in PIPES else "%"


def as_measured(row, us):
    """With what the host of the published time adds."""
    return us + (HOST_US[row.profile] if row.method == "host" else 0)


def summary(done):
    """Lines: median and worst error of every family and of all, busy shares apart."""
    lines = ["| rows | fit | check | median error | worst |", "|---|---|---|---|---|"]
    families = dict.fromkeys(row.family for row, _ in done)
    times = [d for d in done if unit(d[0]) == "%"]
    for name, rows in [(family, [d for d in done if d[0].family == family])
                       for family in families] + [
            ("**fit**", [d for d in times if d[0].kind == "fit"]),
            ("**check**", [d for d in times if d[0].kind == "check"]), ("**all times**", times)]:
        errors = [100 * abs(error(row, us)) for row, us in rows]
        if errors:
            lines.append("| %s | %d | %d | %.1f %s | %.1f %s |" % (
                name, sum(row.kind == "fit" for row, _ in rows),
                sum(row.kind == "check" for row, _ in rows), statistics.median(errors),
                unit(rows[0][0]), max(errors), unit(rows[0][0])))
    return lines


def find(rows, jobs, known):
    """{name: simulated microseconds} of the rows that are run, earlier ones included."""
    runs = [row for row in rows if not row.why_not and not row.derived and row.name not in known]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return {**known, **dict(zip((row.name for row in runs), pool.map(fastest, runs)))}


def ladder(us):
    """Lines: the versions of the all-to-all, what the device and what the host takes."""
    lines = ["", "The all-to-all, geometric means of five shapes, us:", "",
             "| version | device, simulated | host | both | published |", "|---|---|---|---|---|"]
    for version, parts, published in LADDER:
        if all(part in us for part in parts):
            times = [us[part] for part in parts]
            whole = geometric_mean([t + HOST_US["mi300x"] for t in times])
            lines.append("| %s | %s | %s | %s | %s |" % (
                version, *map(number, (geometric_mean(times), HOST_US["mi300x"], whole,
                                       published))))
    return lines if len(lines) > 5 else []


def table(rows, found):
    """All lines of the page's generated part."""
    lines = ["| operator | what | published | simulated | error | row | timing |",
             "|---|---|---|---|---|---|---|"]
    us, done, missing = {}, [], []
    for row in rows:
        reason = row.why_not
        try:
            us[row.name] = row.derived(us) if row.derived else as_measured(row, found[row.name])
        except KeyError:
            reason = reason or "not run for this page"
        if reason and row.published:
            missing.append("| %s | %s | %s | %s |" % (row.family, row.what, number(row.published),
                                                      reason))
        elif row.published:
            lines.append(line(row, us[row.name]))
            done.append((row, us[row.name]))
    return (summary(done) + [""] + lines + ladder(us) + ["", "Not reproduced:", "",
            "| operator | what | published | reason |", "|---|---|---|---|"] + missing)


def write(lines):
    with open(PAGE) as file:
        text = file.read()
    head, rest = text.split(BEGIN)
    with open(PAGE, "w") as file:
        file.write(head + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description="Simulated against published times.")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    parser.add_argument("--write", action="store_true", help="refresh docs/fidelity.md")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--known", metavar="FILE", help="times found earlier")
    arguments = parser.parse_args()
    rows = [row for row in ROWS if not arguments.patterns or
            any(fnmatch.fnmatch(row.name, pattern + "*") for pattern in arguments.patterns)]
    known = {}
    if arguments.known and os.path.exists(arguments.known):
        with open(arguments.known) as file:
            known = json.load(file)
    found = find(rows, arguments.jobs, known)
    if arguments.known:
        with open(arguments.known, "w") as file:
            json.dump(found, file, indent=1)
    lines = table(ROWS if arguments.write else rows, found)
    if arguments.write:
        write(lines)
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
