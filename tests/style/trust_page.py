"""The tests that docs/trust.md names are there.  trust_page.py CTEST BUILD"""

import fnmatch
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

PROMISE = re.compile(r"\| [^|]+ \| (`[^|]+) \|$")


def named(page):
    """The tests in the second column of the promises."""
    for line in page.splitlines():
        promise = PROMISE.match(line)
        if promise:
            yield from re.findall(r"`([^`]+)`", promise[1])


def is_there(name, tests):
    """A test of ctest, or a file: of tests/trust, below tests, or with its whole path."""
    return (fnmatch.filter(tests, name) or
            any(os.path.isfile(os.path.join(pto.SOURCE, *folder, name))
                for folder in (("tests", "trust"), ("tests",), ())))


def main():
    listing = subprocess.run([sys.argv[1], "-N", "--test-dir", sys.argv[2]], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    tests = re.findall(r"^ *Test +#\d+: (\S+)", listing, re.M)
    with open(os.path.join(pto.SOURCE, "docs", "trust.md"), encoding="utf-8") as file:
        names = list(named(file.read()))
    assert len(tests) > 100 and len(names) > 20, (len(tests), names)
    missing = [name for name in names if not is_there(name, tests)]
    assert not missing, "docs/trust.md names tests that are not there: %s" % missing


if __name__ == "__main__":
    main()
