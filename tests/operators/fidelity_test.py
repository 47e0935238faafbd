"""docs/fidelity.md says what fidelity.py finds: rows that take little time are run, and the page
has to have their very lines."""

import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pto import source  # noqa: E402

TOOL = source("tests", "operators", "fidelity.py")
QUICK = ("product: 1536", "busy pipes: 1536", "TGET: 4 KiB", "TGET_ASYNC: 64 KiB", "barrier",
         "attention: 1024")


def fidelity(*words, **environment):
    return subprocess.run([sys.executable, TOOL, *words], check=False, capture_output=True,
                          text=True, env={**os.environ, **environment})


class Fidelity(unittest.TestCase):
    def test_the_page_is_up_to_date(self):
        done = fidelity(*QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(source("docs", "fidelity.md")) as file:
            page = set(file.read().splitlines())
        rows = [line for line in done.stdout.splitlines()
                if line.endswith(("device |", "host |", "ratio |"))]
        self.assertGreaterEqual(len(rows), 10, done.stdout)
        for row in rows:
            self.assertIn(row, page, "run tests/operators/fidelity.py --write")

    def test_without_the_program_there_is_no_table(self):
        done = fidelity("barrier", PTO_BIN="/nowhere")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
