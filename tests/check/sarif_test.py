"""`ptovm check --sarif`: findings, faults and changes in the form that other tools read."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import schema  # noqa: E402
from pto import ptovm  # noqa: E402


class Sarif(unittest.TestCase):
    """The structure of the file: what SARIF 2.1.0 demands of the parts that are written."""

    def check(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log.sarif")
            ptovm("check", "--sarif", log, *arguments)
            with open(log) as file:
                return schema.load(file.read(), "sarif")

    def test_findings_and_fixes(self):
        log = self.check(pto.kernel("broken/vadd_missing_sync.pto"), "--set", "n=5000", "--in",
                         "a=iota", "--in", "b=iota", "--cores", 1)
        self.assertTrue(all("fixes" in result for result in log["runs"][0]["results"]
                            if result["ruleId"].startswith("race")))

    def test_deadlock(self):
        log = self.check(pto.kernel("broken/vadd_missing_set.pto"), "--set", "n=5000", "--in",
                         "a=iota", "--in", "b=iota", "--cores", 1, "--fix")
        run = log["runs"][0]
        self.assertEqual([result["ruleId"] for result in run["results"]
                          if result["level"] == "error"], ["deadlock"])
        self.assertIn("partialFingerprints", run["results"][0])
        self.assertIn("fixes", run["results"][0])
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        self.assertEqual(run["invocations"][0]["exitCode"], 3)

    def test_uri(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a b%c#d\u00e9.pto")
            with open(path, "w") as file, open(pto.kernel("broken/vadd_missing_set.pto")) as text:
                file.write(text.read())
            log = self.check(path, "--set", "n=5000", "--in", "a=iota", "--in", "b=iota",
                             "--cores", 1)
        place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertTrue(place["artifactLocation"]["uri"].startswith("file:///"))
        self.assertTrue(place["artifactLocation"]["uri"].endswith("/a%20b%25c%23d%C3%A9.pto"))


if __name__ == "__main__":
    unittest.main()
