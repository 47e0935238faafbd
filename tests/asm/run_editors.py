#!/usr/bin/env python3
"""What docs/editors/make.py gives editors: the grammar against the words of all kernels, snippets
against the assembler."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402


class Editors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.out = cls.scratch.name
        subprocess.run([sys.executable, pto.source("docs", "editors", "make.py"),
                        pto.program("ptoas"), cls.out, "1.2.3"], check=True)
        with open(os.path.join(cls.out, "vscode", "syntaxes", "pto.tmLanguage.json")) as file:
            cls.patterns = json.load(file)["patterns"]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def read(self, *name):
        with open(os.path.join(self.out, *name)) as file:
            return file.read()

    def scopes(self, line):
        """[(text, scope)] of a line, as TextMate goes through it: of the patterns the one that
        matches first, of several the first one."""
        at, found = 0, []
        while at < len(line):
            best = None
            for rule in self.patterns:
                match = re.compile(rule.get("match") or r'"(?:\\.|[^"\\])*(?:"|$)').search(line, at)
                if match and match.group() and (not best or match.start() < best[0].start()):
                    best = match, rule
            if not best:
                break
            match, rule = best
            if "captures" in rule:
                found += [(match.group(int(i)), c["name"]) for i, c in rule["captures"].items()]
            else:
                found.append((match.group(), rule["name"]))
            at = match.end()
        return found

    def test_a_line(self):
        self.assertEqual(
            self.scopes('    .for %i = rank() to 0x10 ; "x"'),
            [(".for", "keyword.control.directive.pto"), ("%i", "variable.other.register.pto"),
             ("=", "keyword.operator.pto"), ("rank", "support.function.builtin.pto"),
             ("to", "keyword.other.pto"), ("0x10", "constant.numeric.pto"),
             ('; "x"', "comment.line.semicolon.pto")])
        self.assertEqual(self.scopes('.macro twice a')[1], ("twice", "entity.name.function.pto"))
        self.assertEqual(self.scopes('TADDS a, ub')[0],
                         ("TADDS", "keyword.operator.instruction.pto"))
        self.assertEqual([s for t, s in self.scopes('.tile t : ub f32[1, 8] nd')[1:]],
                         ["storage.modifier.pto", "storage.type.pto", "constant.numeric.pto",
                          "constant.numeric.pto", "storage.modifier.pto"])

    def test_all_instructions_and_directives(self):
        rows = json.loads(pto.ptoas("--list-ops", "--json").out)
        for mnemonic in {row["mnemonic"] for row in rows}:
            self.assertEqual(self.scopes("    " + mnemonic + " x")[0],
                             (mnemonic, "keyword.operator.instruction.pto"))
            self.assertIn(mnemonic, self.read("vim", "syntax", "pto.vim").split())

    def test_kernels(self):
        """Directives of kernels are known to the grammar, and nothing in a comment counts."""
        seen = 0
        for path in glob.glob(pto.kernel("**/*.pto"), recursive=True):
            with open(path) as file:
                for line in file:
                    directive = re.match(r"\s*(\.\w+)", line)
                    scopes = self.scopes(line.rstrip("\n"))
                    if directive:
                        seen += 1
                        self.assertEqual(scopes[0], (directive.group(1),
                                                     "keyword.control.directive.pto"), line)
        self.assertGreater(seen, 1000)

    def test_snippets(self):
        snippets = json.loads(self.read("vscode", "snippets", "pto.json"))
        self.assertEqual(snippets["TADD"]["body"], ["TADD ${1:dst}, ${2:src0}, ${3:src1}"])
        body = "\n".join(snippets[".kernel"]["body"] + ["    " + line for line in
                                                       snippets[".for"]["body"]])
        text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", body).replace("$0", "")
        done = pto.ptoas("-o", os.path.join(self.out, "k.ptob"), "-", stdin=text + "\n")
        self.assertEqual(done.code, 0, done.err)

    def test_package(self):
        package = json.loads(self.read("vscode", "package.json"))
        self.assertEqual(package["version"], "1.2.3")
        contributes = package["contributes"]
        for part in contributes["grammars"] + contributes["snippets"]:
            self.assertTrue(os.path.exists(os.path.join(self.out, "vscode", part["path"])))
        pattern = contributes["problemMatchers"][0]["pattern"]
        done = pto.ptoas("-o", "/dev/null", "-", stdin=".kernel k\n.core aiv\n    oops\n")
        match = re.match(pattern["regexp"], done.err.split("\n")[0])
        self.assertEqual(match.group(2, 3, 4, 5),
                         ("3", "5", "error", "there is no instruction 'oops'"))


@unittest.skipUnless(shutil.which("node"), "there is no node on this host")
class Extension(unittest.TestCase):
    """extension.js in a small host of its own (extension_host.js), with the real programs."""

    def host(self, programs):
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([sys.executable, pto.source("docs", "editors", "make.py"),
                            pto.program("ptoas"), out, "1.2.3"], check=True)
            done = subprocess.run(
                ["node", pto.source("tests", "asm", "extension_host.js"),
                 os.path.join(out, "vscode"), programs, pto.kernel("broken/vadd_missing_wait.pto")],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=pto.TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout)

    def test_everything(self):
        seen = self.host(os.path.abspath(pto.BIN))
        self.assertEqual(seen["errors"], [])
        self.assertEqual((seen["server"], seen["selector"]), ("ptoas", [{"language": "pto"}]))
        self.assertEqual(seen["registered"], ["pto", "ptovm"])
        self.assertEqual(len(seen["diagnostics"]), 1)
        self.assertIn("did you mean 'TADD'?", seen["diagnostics"][0])
        self.assertEqual((seen["afterwards"], seen["serverExit"]), (0, 0))
        self.assertTrue(seen["stepsBack"])
        self.assertTrue(seen["matcher"])
        self.assertEqual(seen["status"], 1)
        with open(pto.kernel("broken/vadd_missing_wait.pto")) as file:
            line = 1 + [i for i, text in enumerate(file) if "nobody waits for it" in text][0]
        self.assertIn(["vadd_missing_wait.pto", line, "fault"], seen["problems"])
        self.assertIn("finding", [severity for _, _, severity in seen["problems"]])
        self.assertEqual(seen["disposed"], 2)

    def test_no_programs(self):
        seen = self.host("/nowhere")
        self.assertEqual(len(seen["errors"]), 1)
        self.assertIn("ptoas --lsp did not start", seen["errors"][0])
        self.assertEqual(seen["registered"], ["pto", "ptovm"])


if __name__ == "__main__":
    unittest.main()
