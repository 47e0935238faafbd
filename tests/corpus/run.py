#!/usr/bin/env python3
"""Upstream's text below a checkout that you have: what is taken, runs, and is clean.

    run.py PATH [--set NAME=VALUE]...

Every .pto file that begins like one is assembled; each of its kernels is run checked on random
inputs, in order and, if the file has flags, as it is.  Numbers that a kernel wants are 1 unless
--set says otherwise.  No part of the tests: the files belong to others."""

import argparse
import collections
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

FIRST = re.compile(r"(\s|//[^\n]*\n)*(module|func\.func|builtin\.module|#|!)")


def texts(path):
    for folder, _, names in sorted(os.walk(path)):
        for name in sorted(names):
            if not name.endswith(".pto"):
                continue
            full = os.path.join(folder, name)
            with open(full, encoding="utf-8", errors="replace") as file:
                if FIRST.match(file.read(100000)):
                    yield full


def reason(message):
    """The first error without its place; names and numbers do not make another reason."""
    found = re.search(r"(?:error|fault|finding): (.*)", message)
    return re.sub(r"'[^']*'|\d+", "_", found.group(1)) if found else message.strip()[:80]


def arguments(kernel, chosen):
    """Inputs and parameters of a kernel as `ptovm info --json` lists it."""
    for item in kernel["objects"]:
        if item["kind"] in ("in", "inout"):
            yield from ("--in", "%s=random" % item["name"])
    for param in kernel["params"]:
        name = param["name"]
        if name in chosen:
            yield from ("--set", "%s=%s" % (name, chosen[name]))
        elif "default" not in param:
            yield from ("--set", "%s=%d" % (name, 4096 if name.endswith("_size") else 1))


def run_kernels(path, kernels, mode, chosen):
    """What became of the runs: "clean", or the first thing that was wrong."""
    for kernel in kernels:
        done = pto.ptovm("run", "%s:%s" % (path, kernel["name"]), "--check", "--sync", mode, "-q",
                         "--max-time", "1s", *arguments(kernel, chosen))
        if done.code:
            return reason(done.err)
    return "clean"


def judge(path, chosen):
    with tempfile.TemporaryDirectory() as folder:
        done = pto.ptoas(path, "-o", os.path.join(folder, "k.ptob"))
    if done.code:
        return "refused: " + reason(done.err), "", ""
    kernels = json.loads(pto.ptovm("info", "--json", path).out)["kernels"]
    with open(path, encoding="utf-8", errors="replace") as file:
        has_flags = re.search(r"pto\.(set_flag|record_event)", file.read())
    return ("taken", run_kernels(path, kernels, "inorder", chosen),
            run_kernels(path, kernels, "asis", chosen) if has_flags else "no flags")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    chosen = dict(pair.split("=", 1) for pair in options.set)
    totals = collections.Counter()
    for path in texts(options.path):
        result = judge(path, chosen)
        print("%-60s  %s" % (os.path.relpath(path, options.path), "  |  ".join(result)))
        totals.update("%s: %s" % pair for pair in zip(("text", "in order", "as it is"), result)
                      if pair[1])
    print()
    for what, count in totals.most_common():
        print("%6d  %s" % (count, what))
    return 0


if __name__ == "__main__":
    sys.exit(main())
