"""The checker looks on: a run with --check takes the same time, does the same and ends the same way
as without, also where it dies with work in flight."""

import glob
import json
import os
import re
import shlex
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pto import ptovm, source  # noqa: E402

# What only the checker says, and what findings make of the end of a run that went well.
ITS_OWN = ("check", "findings", "notes", "status", "exit_code")

# S divides by zero when replies of the other rank are there, on their way, or not yet asked for.
DYING = """
.kernel dying
.mix 1:1
.param late : i64
.param zero : i64
.sym far : f32[64, 256]
.sym near : f32[64, 256]
.core aiv
.tile t[2] : ub f32[16, 256]
    %other = 1 - rank()
    %i = 0
    .while %i < 4
        TLOAD t[0], far@%other[%i * 16, 0]{16, 256}
        TGET near[%i * 16, 0]{16, 256}, far@%other[%i * 16, 0]{16, 256}, t[1]
        TPUT near@%other[%i * 16, 0]{16, 256}, far[%i * 16, 0]{16, 256}, t[0]
        %i = %i + 1
    .endwhile
    TGET_ASYNC %event, near, far@%other
    %waited = 0
    .while %waited < %late
        %waited = %waited + 1
    .endwhile
    %wrong = 1 / %zero
"""


def report(*arguments):
    result = ptovm("--json", *arguments)
    data = json.loads(result.out)
    return {key: value for key, value in data.items() if key not in ITS_OWN}


def litmus_runs():
    """(file, options of its first run, on the first profile that it has a verdict for)"""
    for path in sorted(glob.glob(os.path.join(source("tests", "check", "litmus"), "*.pto"))):
        with open(path) as file:
            options, profile = re.search(r"^; run: *(.*)\n; (\w+):", file.read(), re.M).groups()
        yield path, ["-p", profile, *shlex.split(options)]


class Unchanged(unittest.TestCase):
    maxDiff = None

    def same(self, path, options):
        plain = report(*options, "run", path)
        self.assertEqual(plain, report("--check", *options, "run", path), path)
        return plain

    def test_litmus_programs(self):
        remote = 0
        for path, options in litmus_runs():
            with self.subTest(path):
                remote += bool(self.same(path, options)["links"])
        self.assertGreater(remote, 10)

    def test_dying_in_flight(self):
        ends = set()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "dying.pto")
            with open(path, "w") as file:
                file.write(DYING)
            for late in (0, 10, 100, 1000, 3000, 10000, 30000):
                for rank in ([], ["--slow-rank", "1=3"]):
                    plain = self.same(path, ["--ranks", "2", "--cores", "1", *rank, "--set",
                                             "late=%d" % late, "--set", "zero=0"])
                    self.assertIn("division by zero", json.dumps(plain))
                    ends.add(plain["time_ps"])
        self.assertGreater(len(ends), 5)


if __name__ == "__main__":
    unittest.main()
