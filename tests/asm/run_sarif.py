#!/usr/bin/env python3
"""ptoas --sarif: errors and findings of the lint with places, fixes and fingerprints."""
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import schema  # noqa: E402

WRONG = """.kernel k
.core aiv
.tile tile : ub f32[1, 8]
    TADD tile, tile, tlie
    %x = nothing
"""
LEFT = """.macro leave
    set_flag V, S, 0
.endm
.kernel k
.core aiv
    leave
"""


class Sarif(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.log = self.path("log.sarif")

    def tearDown(self):
        self.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def sarif(self, code, *arguments):
        done = pto.ptoas("--sarif", self.log, "-o", self.path("k.ptob"), *arguments)
        self.assertEqual(done.code, code, done.err)
        with open(self.log, encoding="utf-8") as file:
            run, = schema.load(file.read(), "sarif")["runs"]
        self.assertEqual(run["invocations"][0]["exitCode"], code)
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
        return run

    def test_errors(self):
        path = self.write("wrong.pto", WRONG)
        run = self.sarif(1, path)
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        self.assertEqual([r["ruleId"] for r in run["results"]], ["text", "text"])
        place = run["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place, {"artifactLocation": {"uri": "file://" + path},
                                 "region": {"startLine": 4, "startColumn": 22, "endColumn": 26}})
        self.assertNotIn("fixes", run["results"][1])

    def test_fix_makes_it_right(self):
        path = self.write("wrong.pto", WRONG.replace("    %x = nothing\n", ""))
        change, = self.sarif(1, path)["results"][0]["fixes"][0]["artifactChanges"]
        self.assertEqual(change["artifactLocation"]["uri"], "file://" + path)
        replacement, = change["replacements"]
        region = replacement["deletedRegion"]
        lines = WRONG.replace("    %x = nothing\n", "").split("\n")
        line = lines[region["startLine"] - 1]
        lines[region["startLine"] - 1] = (line[:region["startColumn"] - 1] +
                                          replacement["insertedContent"]["text"] +
                                          line[region["endColumn"] - 1:])
        run = self.sarif(0, self.write("right.pto", "\n".join(lines)))
        self.assertEqual(run["results"], [])
        self.assertTrue(run["invocations"][0]["executionSuccessful"])

    def test_lint(self):
        run = self.sarif(1, "--lint", self.write("left.pto", LEFT))
        errors = [r for r in run["results"] if r["level"] == "error"]
        self.assertEqual([r["ruleId"] for r in errors], ["token-left"])
        self.assertTrue(run["invocations"][0]["executionSuccessful"])

        def lines(locations):
            return [w["physicalLocation"]["region"]["startLine"] for w in errors[0][locations]]
        self.assertEqual((lines("locations"), lines("relatedLocations")), ([2], [6]))

    def test_rules(self):
        """Every rule says what it is about, in full, and where the manual has more."""
        run = self.sarif(1, "--lint", self.write("left.pto", LEFT))
        rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
        self.assertEqual(rules["text"]["defaultConfiguration"], {"level": "error"})
        self.assertIn("docs/language.md", rules["text"]["help"]["text"])
        with open(pto.source("docs", "lint.md"), encoding="utf-8") as file:
            rows = dict(re.findall(r"^\| `([a-z-]+)` \| [a-z, ]+ \| (.*) \|$", file.read(), re.M))
        self.assertEqual(set(rows), set(rules) - {"text"})
        for name, what in rows.items():
            full = rules[name]["fullDescription"]["text"]
            said = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", what.replace("`", ""))
            self.assertEqual(full.lower(), said.lower() + ".")
            self.assertTrue(full[0].isupper())

    def test_ends_of_places(self):
        """Without a length of its own a place goes to the end of its word."""
        run = self.sarif(1, "--lint", self.write("left.pto", LEFT))
        region = [r for r in run["results"] if r["ruleId"] == "token-left"][0]["locations"][0][
            "physicalLocation"]["region"]
        self.assertEqual(region, {"startLine": 2, "startColumn": 5, "endColumn": 13})

    def test_ends_of_what_is_no_word(self):
        path = self.write("signs.pto", '.kernel k\n.core aiv\n.tile t : ub f32[1, 8] ]\n'
                                       '    TADDS t, "a b", 1.0\n')
        regions = [r["locations"][0]["physicalLocation"]["region"]
                   for r in self.sarif(1, path)["results"]]
        self.assertEqual([(r["startLine"], r["startColumn"], r["endColumn"]) for r in regions],
                         [(3, 24, 25), (4, 14, 19)])

    def test_lint_of_a_wrong_text(self):
        run = self.sarif(1, "--lint", self.write("wrong.pto", WRONG))
        self.assertEqual([r["ruleId"] for r in run["results"]], ["text", "text"])

    def test_fingerprints(self):
        """Lines in front change none, and two alike are told apart."""
        def prints(text):
            run = self.sarif(1, self.write("wrong.pto", text))
            return [r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"]]
        twice = WRONG + 2 * "    TADD tile, tile\n"
        self.assertEqual(prints(twice), prints("; more\n\n" + twice))
        self.assertEqual(len(set(prints(twice))), 4)

    def test_repository_paths(self):
        path = self.write("repo/sub folder/wrong.pto", WRONG)
        os.mkdir(self.path("repo/.git"))
        run = self.sarif(1, path)
        root = os.path.realpath(self.path("repo"))
        self.assertEqual(run["originalUriBaseIds"], {"SRCROOT": {"uri": "file://%s/" % root}})
        place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        self.assertEqual(place, {"uri": "sub%20folder/wrong.pto", "uriBaseId": "SRCROOT"})

    def test_no_text_at_all(self):
        run = self.sarif(2, self.path("missing.pto"))
        note, = run["invocations"][0]["toolConfigurationNotifications"]
        self.assertIn("cannot read", note["message"]["text"])

    def test_options(self):
        path = self.write("right.pto", ".kernel k\n.core aiv\n")
        self.assertEqual(pto.ptoas("--sarif", path, path).code, 2)
        self.assertEqual(pto.ptoas("--sarif", self.log, "--list-ops").code, 2)
        self.assertEqual(pto.ptoas("--sarif", self.path("no/log"), "-o", self.path("o"),
                                   path).code, 2)


if __name__ == "__main__":
    unittest.main()
