"""Runs the text cases of tests/run/cases; their format is described in tests/README.md.

    cases_test.py [NAME...]     only the cases whose file name contains one of the names
"""

import os
import re
import shlex
import sys
import tempfile

import numpy as np

from harness import ptovm, source, unbroken
from heads import BadCase, read

CASES = source("tests", "run", "cases")
KEYS = ("because", "run", "kernels", "expect-exit", "expect-stderr", "expect-stdout", "expect-out")


class Scenario:
    def __init__(self, options):
        self.options = options
        self.because = []
        self.kernels = []
        self.exit = 0
        self.stderr, self.stdout, self.outputs = [], [], []

    def judge(self):
        """A complaint about a scenario that would pass whatever happened, or None."""
        if self.exit and not self.stderr:
            return "a run that fails needs expect-stderr"
        if self.exit and self.outputs:
            return "a run that fails writes no results"
        if not (self.outputs or self.stdout or self.stderr):
            return "nothing is expected of a run"
        if not (self.outputs or self.because):
            return "what is expected is no result and has no because"
        return None


def parse_output(name, values):
    match = re.fullmatch(r"(\w+)(?:@(\d+))?", name)
    if not match or not values:
        raise BadCase("expect-out wants NAME: VALUES or NAME@RANK: VALUES, not %r" % name)
    return match.group(1), int(match.group(2) or 0), [] if values == "nothing" else values.split()


def reason(text):
    """A `because`: a page of the manual, a heading of it, and the fact in words."""
    match = re.fullmatch(r"([\w/]+\.md), ([^:]+): (.+)", text)
    if not match:
        raise BadCase("because wants PAGE.md, HEADING: FACT, not %r" % text)
    page, heading, _ = match.groups()
    with open(source("docs", page)) as file:
        if not re.search(r"^#+ (\d+\. )?%s$" % re.escape(heading), file.read(), re.M):
            raise BadCase("docs/%s has no heading %r" % (page, heading))
    return text


def add_key(scenario, key, name, value):
    if key == "because":
        scenario.because.append(reason(value))
    elif key == "kernels":
        scenario.kernels = value.split()
    elif key == "expect-exit":
        scenario.exit = int(value)
    elif key == "expect-out":
        scenario.outputs.append(parse_output(name, value))
    else:
        getattr(scenario, key[len("expect-"):]).append(value)


def scenarios_of(path):
    """A `because` before the first run is one of all runs."""
    scenarios, because = [], []
    for number, key, name, value in read(path, KEYS):
        if key == "run":
            scenarios.append(Scenario(shlex.split(value)))
            scenarios[-1].because += because
        elif scenarios:
            add_key(scenarios[-1], key, name, value)
        elif key == "because":
            because.append(reason(value))
        else:
            raise BadCase("line %d: '%s' before the first 'run'" % (number, key))
    if not scenarios:
        raise BadCase("no 'run' line")
    return scenarios


def markers_of(path):
    """Line numbers of the markers."""
    with open(path) as file:
        return {name: str(number) for number, line in enumerate(file, 1)
                for name in re.findall(r"; @(\w+)$", line.rstrip())}


def parse(path):
    """Scenarios of a case, and the line numbers of its markers."""
    scenarios, markers = scenarios_of(path), markers_of(path)
    for number, scenario in enumerate(scenarios, 1):
        complaint = scenario.judge()
        if complaint:
            raise BadCase("run %d: %s" % (number, complaint))
    patterns = "".join(p for s in scenarios for p in s.stderr + s.stdout)
    for name in markers:
        if "{%s}" % name not in patterns:
            raise BadCase("no run expects anything at the marker @%s" % name)
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
    for stream, patterns in ((unbroken(result.err), scenario.stderr),
                             (result.out, scenario.stdout)):
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
