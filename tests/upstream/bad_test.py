"""Malformed and refused upstream text: every file of bad/ says at its end what is told of it,
`// expect LINE:COLUMN: message`, in order, and nothing else is."""

import glob
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

FOLDER = pto.source("tests", "upstream", "bad")


class Bad(unittest.TestCase):
    def test_each(self):
        paths = sorted(glob.glob(os.path.join(FOLDER, "*.pto")))
        self.assertGreater(len(paths), 30)
        for path in paths:
            with self.subTest(os.path.basename(path)), open(path, encoding="utf-8") as file:
                expected = re.findall(r"(?m)^// expect (.*)$", file.read())
                done = pto.ptoas(path, "-o", "/dev/null")
                told = re.findall(r"(?m)^%s:(.*)$" % re.escape(path), done.err)
                self.assertEqual(done.code, 1)
                self.assertEqual([t.replace(" error:", "", 1).strip() for t in told], expected)
                self.assertTrue(expected)


if __name__ == "__main__":
    unittest.main()
