"""What pages say of others: the tests that docs/trust.md names are there, and README.md has the
error of simulated times that docs/fidelity.md ends with.  trust_page.py CTEST BUILD"""

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


def read(*path):
    with open(os.path.join(pto.SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def figures():
    """The median error of all times, as README.md and docs/fidelity.md say it."""
    told = re.search(r"fidelity\.md\):\s+(\S+) % off in the\s+median", read("README.md"))
    found = re.search(r"^\| \*\*all times\*\* \| \d+ \| \d+ \| (\S+) % \|",
                      read("docs", "fidelity.md"), re.M)
    return told[1], found[1]


def main():
    listing = subprocess.run([sys.argv[1], "-N", "--test-dir", sys.argv[2]], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    tests = re.findall(r"^ *Test +#\d+: (\S+)", listing, re.M)
    names = list(named(read("docs", "trust.md")))
    assert len(tests) > 100 and len(names) > 20, (len(tests), names)
    missing = [name for name in names if not is_there(name, tests)]
    assert not missing, "docs/trust.md names tests that are not there: %s" % missing
    told, found = figures()
    assert told == found, "README.md says %s %%, docs/fidelity.md %s %%" % (told, found)


if __name__ == "__main__":
    main()
