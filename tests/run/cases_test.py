"""Runs the text cases of tests/run/cases; their format is described in tests/README.md.

    cases_test.py [NAME...]     only the cases whose file name contains one of the names
"""

import os
import re
import shlex
import sys
import tempfile

import numpy as np

from harness import SOURCE, ptovm

CASES = os.path.join(SOURCE, "tests", "run", "cases")
KEYS = ("run", "kernels", "expect-exit", "expect-stderr", "expect-stdout", "expect-out")


class BadCase(Exception):
    """The case itself is wrong."""


class Scenario:
    def __init__(self, options):
        self.options = options
        self.kernels = []
        self.exit = 0
        self.stderr, self.stdout, self.outputs = [], [], []


def parse_output(text):
    match = re.fullmatch(r"(\w+)(?:@(\d+))?: *(.*)", text)
    if not match:
        raise BadCase("expect-out wants NAME: VALUES or NAME@RANK: VALUES, not %r" % text)
    return match.group(1), int(match.group(2) or 0), match.group(3).split()


def add_key(scenarios, key, value):
    if key == "run":
        scenarios.append(Scenario(shlex.split(value)))
        return
    if not scenarios:
        raise BadCase("'%s' before the first 'run'" % key)
    scenario = scenarios[-1]
    if key == "kernels":
        scenario.kernels = value.split()
    elif key == "expect-exit":
        scenario.exit = int(value)
    elif key == "expect-out":
        scenario.outputs.append(parse_output(value))
    else:
        getattr(scenario, key[len("expect-"):]).append(value)


def parse(path):
    """Scenarios of a case, and the line numbers of its markers."""
    scenarios, markers, head = [], {}, True
    with open(path) as file:
        for number, line in enumerate(file, 1):
            marker = re.search(r"; @(\w+)", line)
            if marker:
                markers[marker.group(1)] = str(number)
            key = re.match(r"; ([a-z-]+):(?: +(.*))?$", line.rstrip()) if head else None
            head = head and line.startswith(";")
            if key and key.group(1) in KEYS:
                add_key(scenarios, key.group(1), key.group(2) or "")
    if not scenarios:
        raise BadCase("no 'run' line")
    return scenarios, markers


def matches(want, got):
    if want in ("nan", "inf", "-inf"):
        return str(float(got)) == want
    if isinstance(got, np.floating):
        return got == got.dtype.type(float(want)) and \
            np.signbit(got) == np.signbit(float(want))
    return int(got) == int(want, 0)


def check_values(name, rank, want, got):
    """Complaints about an object; a last '...' leaves the rest of the elements open."""
    got = got.ravel()
    open_end = bool(want) and want[-1] == "..."
    want = want[:-1] if open_end else want
    if len(got) < len(want) or (len(got) > len(want) and not open_end):
        yield "%s@%d has %d elements, not %d: %s" % (name, rank, len(got), len(want), got[:32])
        return
    for index, (text, value) in enumerate(zip(want, got)):
        if text != "_" and not matches(text, value):
            yield "%s@%d[%d] is %s, not %s; all: %s" % (name, rank, index, value, text, got[:32])
            return


def fill(pattern, path, markers):
    pattern = pattern.replace("{file}", re.escape(path))
    return re.sub(r"\{([a-z]\w*)\}", lambda m: markers[m.group(1)], pattern)


def run_scenario(path, scenario, markers, folder):
    """Complaints about one scenario."""
    arguments = list(scenario.options)
    for name in dict.fromkeys(name for name, _, _ in scenario.outputs):
        arguments += ["--out", "%s=%s" % (name, os.path.join(folder, name + "_{rank}.npy"))]
    arguments += ["run"] + ([path + ":" + k for k in scenario.kernels] or [path])
    result = ptovm(*arguments)
    if result.code != scenario.exit:
        yield "exit code %d, not %d\n%s%s" % (result.code, scenario.exit, result.out, result.err)
        return
    if not scenario.exit and not scenario.stderr and result.err:
        yield "unexpected message:\n" + result.err
    for stream, patterns in ((result.err, scenario.stderr), (result.out, scenario.stdout)):
        for pattern in patterns:
            if not re.search(fill(pattern, path, markers), stream, re.MULTILINE):
                yield "nothing matches %s in\n%s" % (fill(pattern, path, markers), stream)
    for name, rank, want in scenario.outputs:
        got = np.load(os.path.join(folder, "%s_%d.npy" % (name, rank)))
        yield from check_values(name, rank, want, got)


def run_case(path):
    failed, scenarios = 0, 0
    parsed, markers = parse(path)
    for scenario in parsed:
        scenarios += 1
        with tempfile.TemporaryDirectory(prefix="pto-case-") as folder:
            for complaint in run_scenario(path, scenario, markers, folder):
                print("FAILED %s: %s\n  %s" % (os.path.basename(path), " ".join(scenario.options),
                                               complaint.replace("\n", "\n  ")))
                failed += 1
    return scenarios, failed


def main():
    names = [n for n in sorted(os.listdir(CASES)) if n.endswith(".pto")]
    names = [n for n in names if not sys.argv[1:] or any(a in n for a in sys.argv[1:])]
    scenarios = failed = 0
    for name in names:
        try:
            ran, bad = run_case(os.path.join(CASES, name))
        except (BadCase, KeyError, ValueError) as error:
            print("FAILED %s: %s" % (name, error))
            ran, bad = 0, 1
        scenarios += ran
        failed += bad
    print("%d cases, %d runs, %d complaints" % (len(names), scenarios, failed))
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
