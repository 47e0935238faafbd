"""All tests of instructions once more at another CPU level, with a sample of their cases
(harness.py): levels.py LEVEL.

The tests themselves run at the best level that the host has.  Those of the cube alone run at a
level that differs from another one in nothing but how it multiplies int8.
Exit status 77: there is nothing to do at this one, and why."""

import glob
import multiprocessing
import os
import runpy
import sys

import harness  # noqa: F401 (loaded once, with numpy, for the children)
from table import ptovm, source

HERE = os.path.dirname(os.path.abspath(__file__))
# From the least to the best, and the one whose other instructions a level has.
LEVELS = {"base": "base", "v3": "v3", "v3vnni": "v3", "v4": "v4", "v4vnni": "v4", "amx": "v4"}
CUBE = "TMMAD", "TMATMUL", "TGEMV"
SKIPPED = 77


def available(level):
    os.environ["PTO_CPU_LEVEL"] = level
    done = ptovm("run", source("kernels", "basic", "vadd.pto"), "--set", "n=8", "--in", "a=iota",
                 "--in", "b=iota", "--expect", "c=iota", "--rtol", "2", "-q")
    return "CPU level" not in done.err


def run_file(path):
    sys.argv = [path]
    runpy.run_path(path, run_name="__main__")


def passes(path):
    child = multiprocessing.get_context("fork").Process(target=run_file, args=(path,))
    child.start()
    child.join()
    return child.exitcode == 0


def main(level):
    here = [name for name in LEVELS if available(name)]
    if level not in here:
        print("%s: not on this host, or not in this build" % level)
        return SKIPPED
    if level == here[-1]:
        print("%s: the best level here, at which all tests run anyway" % level)
        return SKIPPED
    os.environ["PTO_CPU_LEVEL"] = level
    tests = sorted(glob.glob(os.path.join(HERE, "[TM][A-Z]*.py")))
    if LEVELS[level] == LEVELS[here[-1]] or LEVELS[level] != level:
        tests = [t for t in tests if os.path.basename(t).startswith(CUBE)]
    failed = [t for t in tests if not passes(t)]
    print("%s: %d of %d test files passed" % (level, len(tests) - len(failed), len(tests)))
    return 1 if failed or not tests else 0


sys.exit(main(sys.argv[1]))
