"""`ptovm check --fix`: what it prints and writes; reports, SARIF and files say the same."""

import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import schema  # noqa: E402
from fix_texts import (PIECES, PIECE, EXCHANGE, ASKING, LAST, FLUSHED, NUMBERED, ROW,
                       STAMPED, SEMAPHORE, MEETINGS, GIVEN_BACK,
                       COLLECTED)  # noqa: E402
from pto import ptoas, ptovm, source, unbroken  # noqa: E402

RUN = ["--cores", 1, "--set", "n=200", "--in", "x=iota"]


class Fix(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def read(self, path):
        with open(path) as file:
            return file.read()

    def pieces(self, text=PIECES, piece=PIECE):
        self.write("piece.inc", piece)
        return self.write("pieces.pto", text)

    def broken_macro(self):
        return self.pieces(piece="".join(line + "\n" for line in PIECE.splitlines()
                                         if "handoff" not in line))

    def test_clean(self):
        path = self.pieces()
        done = ptovm("check", "--fix=in-place", *RUN, path)
        self.assertEqual((done.code, done.out, done.err), (0, "", ""))
        self.assertEqual(self.read(path), PIECES)

    def test_in_a_macro(self):
        path = self.broken_macro()
        done = ptovm("check", "--fix", *RUN, path)
        macro = os.path.join(self.folder.name, "piece.inc")
        self.assertEqual(done.code, 4)
        self.assertEqual(done.out, "--- {0}\n+++ {0}\n@@ -1,5 +1,7 @@\n"
                         " .macro piece tile, to, from, length\n"
                         "     TLOAD tile{{1, length}}, \\\n           from\n"
                         "+    set_flag MTE2, MTE3, 0\n+    wait_flag MTE2, MTE3, 0\n"
                         "     TSTORE to, tile{{1, length}}\n .endm\n".format(macro))
        self.assertIn("advice: set_flag MTE2, MTE3, 0 behind %s:3 and "
                      "wait_flag MTE2, MTE3, 0 behind %s:3 (a run with this is clean)"
                      % (macro, macro), unbroken(done.err))
        self.assertEqual(self.read(path), PIECES)

    def test_in_place(self):
        path = self.broken_macro()
        self.assertEqual(ptovm("check", "--fix=in-place", *RUN, path).code, 4)
        self.assertEqual(self.read(os.path.join(self.folder.name, "piece.inc")),
                         PIECE.replace("handoff MTE2 -> MTE3, 0     ; loaded",
                                       "set_flag MTE2, MTE3, 0\n    wait_flag MTE2, MTE3, 0"))
        self.assertEqual(ptovm("check", *RUN, path).code, 0)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["piece.inc", "pieces.pto"])

    def test_behind_the_use_of_a_macro(self):
        path = self.pieces(PIECES.replace("        handoff MTE3 -> MTE2, 0\n", ""))
        self.assertEqual(ptovm("check", "--fix=in-place", *RUN, path).code, 4)
        self.assertEqual(ptovm("check", *RUN, path).code, 0)

    def test_deadlock(self):
        text = PIECES.replace("handoff MTE3 -> MTE2, 0", "wait_flag MTE3, MTE2, 0")
        path = self.pieces(text)
        report = os.path.join(self.folder.name, "report.json")
        done = ptovm("check", "--fix=in-place", "--json=" + report, *RUN, path)
        self.assertEqual(done.code, 3)
        fixed = text.replace("        wait_flag",
                             "        set_flag MTE3, MTE2, 0\n        wait_flag")
        self.assertEqual(self.read(path), fixed)
        remedy = schema.load(self.read(report), "report")["remedy"]
        self.assertTrue(remedy["proved"])
        self.assertEqual(remedy["edits"], [{"file": path, "line": 11, "column": 9,
                                            "place": "after", "text": "set_flag MTE3, MTE2, 0"}])

    def test_two_things_missing(self):
        path = self.pieces(PIECES.replace("        handoff MTE3 -> MTE2, 0\n", ""),
                           "".join(line + "\n" for line in PIECE.splitlines()
                                   if "handoff" not in line))
        done = ptovm("check", "--fix=in-place", *RUN, path)
        self.assertEqual(done.code, 4)
        self.assertEqual(ptovm("check", *RUN, path).code, 0)

    def test_two_things_missing_of_many(self):
        """More single changes can be tried than there are runs: some are left for the second."""
        with open(source("tests", "check", "advice", "cores_ranks.pto")) as file:
            lines = file.read().splitlines(keepends=True)
        gone = ("TWAIT come", "set_flag  MTE2, MTE3, 1", "wait_flag MTE2, MTE3, 1")
        path = self.write("many.pto", "".join(line for line in lines
                                              if not line.strip().startswith(gone)))
        run = ["--ranks", 2, "--cores", 2, "--in", "a=random", "--repeat", 2]
        self.assertEqual(ptovm("check", *run, path).code, 4)
        self.assertEqual(ptovm("check", "--fix=in-place", *run, path).code, 4)
        self.assertEqual(ptovm("check", *run, path).code, 0)

    def test_results_count(self):
        """A change without findings is not proved where the results are not as expected."""
        path = self.broken_macro()
        done = ptovm("check", "--fix", "--expect", "y=zeros", *RUN, path)
        self.assertIn("note: --fix: no run was clean, this is the best so far", done.err)
        self.assertNotIn("a run with this is clean", done.err)
        before = self.read(path)
        done = ptovm("check", "--fix=in-place", "--expect", "y=zeros", *RUN, path)
        self.assertIn("best so far, and the files stay as they are", done.err)
        self.assertIn("\n+", done.out)
        self.assertEqual(self.read(path), before)

    def restore(self, text, line, *run, code):
        """Without the line, --fix puts the very line there again."""
        path = self.write("restored.pto", text.replace(line + "\n", ""))
        done = ptovm("check", "--fix=in-place", *run, path)
        self.assertEqual(done.code, code, done.err)
        self.assertEqual(self.read(path), text)

    def test_empty_blocks(self):
        for line, code in (("            TWAIT come[%p], ge, launch() + 1", 4),
                           ("    TNOTIFY come@who[rank()], 1, add", 3)):
            with self.subTest(line=line):
                self.restore(EXCHANGE, line, "--ranks", 3, "--cores", 1, code=code)

    def test_one_wait_of_several(self):
        """Another one for the same signal or flag is there: what is missing differs by a count, or
        not at all."""
        run = "--ranks", 3, "--cores", 1, "--repeat", 2
        for line in ("        TWAIT at[%p], ge, %base + 1", "        TWAIT at[%p], ge, %base + 2"):
            self.restore(MEETINGS, line, *run, code=4)
        path = self.write("given.pto", GIVEN_BACK.replace("    wait_flag_dev 1\n.core",
                                                          ".core"))
        self.assertEqual(ptovm("check", "--fix=in-place", "--cores", 2, path).code, 1)
        self.assertEqual(self.read(path), GIVEN_BACK)

    def test_inside_a_block(self):
        """The cube counts the flags of the second vector sub-core from 16; each half of one."""
        text = "".join(line.split(";")[0].rstrip() + "\n"
                       for line in self.read(source("tests/check/advice/inside_block.pto"))
                       .splitlines())
        for line, code in (("        set_intra_block  FIX, 16", 3),
                           ("        wait_intra_block FIX, 17", 1)):
            with self.subTest(line=line):
                self.assertIn(line + "\n", text)
                path = self.write("restored.pto", text.replace(line + "\n", ""))
                run = ("--cores", 2, "--in", "a=random", path)
                self.assertEqual(ptovm("check", "--fix=in-place", *run).code, code)
                self.assertIn(" ".join(line.split()), self.read(path))
                self.assertEqual(ptovm("check", *run).code, 0)

    def test_fetch_add(self):
        """What is tried is judged by all that a fetch_add proves."""
        path = self.write("last.pto", LAST.replace("    pipe_barrier ALL\n    dsb\n", ""))
        done = ptovm("check", "--fix=in-place", "--cores", 3, path)
        self.assertEqual(done.code, 4)
        self.assertIn("between %s:10 and the fetch_add that tells of it" % path,
                      ptovm("check", "--cores", 3, self.write(
                          "bare.pto", LAST.replace("    pipe_barrier ALL\n    dsb\n", ""))
                      ).err.replace("bare.pto", "last.pto"))
        self.assertEqual(self.read(path), LAST)

    def test_semaphore(self):
        """What a wait has used up is taken back."""
        line = "            TNOTIFY full[0], -1, add"
        path = self.write("semaphore.pto", SEMAPHORE.replace(line + "\n", ""))
        run = ["--ranks", 2, "--cores", 1]
        self.assertEqual(ptovm("check", *run, self.write("right.pto", SEMAPHORE)).code, 0)
        self.assertEqual(ptovm("check", "--fix=in-place", *run, path).code, 4)
        self.assertIn(line, self.read(path))
        self.assertEqual(ptovm("check", *run, path).code, 0)

    def test_written_back(self):
        self.restore(FLUSHED, "        dcci\n        dsb", "--cores", 2, code=4)

    def test_the_number_of_a_signal(self):
        self.restore(NUMBERED, "    TWAIT come[2], ge, launch() + 1", "--ranks", 2, "--cores", 1,
                     code=4)

    def test_a_row_of_signals(self):
        self.restore(ROW, "    TWAIT come[1, 0]{1, 3}, ge, launch() + 1", "--ranks", 3, "--cores",
                     1, code=4)

    def test_a_stamp(self):
        self.restore(STAMPED, "    TWAIT count[1, %other], ge, %epoch * (9 + 1)", "--ranks", 2,
                     "--cores", 1, code=4)

    def test_the_value_of_a_wait(self):
        text = ".kernel told\n.mix 1:1\n.signal done[1]\n.core aiv\n" \
               "    TNOTIFY done@(1 - rank())[0], 7, set\n    TWAIT done[0], eq, 7\n"
        self.restore(text, "    TNOTIFY done@(1 - rank())[0], 7, set", "--ranks", 2, "--cores", 1,
                     code=3)

    def test_behind_the_last_line(self):
        text = """.kernel left
.mix 1:1
.sym box : f32[8]
.sym mine : f32[8]
.core aiv
    TPUT_ASYNC %event, box@(1 - rank()), mine
    async_wait %event
"""
        self.restore(text, "    async_wait %event", "--ranks", 2, "--cores", 1, code=1)

    def test_who_asks_for_ever(self):
        """The run ends at its limit; so do those that are tried, which go on asking."""
        self.restore(ASKING, "    TNOTIFY come@%other[0], 1, add", "--ranks", 2, "--cores", 1,
                     "--max-insns", 20000, code=5)

    def test_copies_of_the_engine(self):
        """What is missing is a wait for the event that the text has, on one core or from two."""
        for name, *words in (("async_reuse", "--set", "wait=0"), ("async_put", "--set", "how=0")):
            path = pto.source("tests", "check", "litmus", name + ".pto")
            done = ptovm("check", "--fix", path, "--ranks", 2, "--cores", 1, "--in", "own=iota",
                         *words)
            added = [line[1:].strip() for line in done.out.splitlines()
                     if line.startswith("+ ")]
            self.assertEqual((done.code, added), (4, ["async_wait %event"]))

    def test_refusals(self):
        path = self.broken_macro()
        binary = os.path.join(self.folder.name, "pieces.ptob")
        self.assertEqual(ptoas(path, "-o", binary).code, 0)
        done = ptovm("check", "--fix", *RUN, binary)
        self.assertEqual((done.code, done.out), (4, ""))
        self.assertIn("error: --fix: an object has no text that could be changed", done.err)
        done = ptovm("check", "--fix", "-I", self.folder.name, *RUN, "-",
                     stdin=self.read(path))
        self.assertIn("error: --fix: a text from standard input cannot be read again", done.err)
        done = ptovm("check", "--fix=later", *RUN, path)
        self.assertEqual(done.code, 2)

    def test_without_a_trial(self):
        """--fix-runs 0 takes the first advice as it is, and says nothing about it."""
        path = self.broken_macro()
        done = ptovm("check", "--fix", "--fix-runs", 0, *RUN, path)
        self.assertIn("+    set_flag MTE2, MTE3, 0\n+    wait_flag MTE2, MTE3, 0\n", done.out)
        self.assertNotIn("a run with this is clean", done.err)

    def test_without_a_trial_it_assembles(self):
        """The likeliest place is before a loop whose register the likeliest text needs."""
        path = self.write("collected.pto", COLLECTED)
        run = "--ranks", 3, "--cores", 1, "--in", "x=iota", "--fix=in-place", "--fix-runs", 0, path
        self.assertEqual(ptovm("check", *run).code, 4)
        self.assertIn("    TWAIT ready[%p]", self.read(path))
        self.assertEqual(ptoas(path, "-o", path + "b").code, 0)

    def test_sarif_fixes(self):
        """What stands in the SARIF file, carried out, heals the program."""
        path = self.broken_macro()
        log = os.path.join(self.folder.name, "log.sarif")
        self.assertEqual(ptovm("check", "--fix", "--sarif", log, *RUN, path).code, 4)
        result = json.loads(self.read(log))["runs"][0]["results"][0]
        self.assertEqual(len(result["fixes"]), 1)
        for change in result["fixes"][0]["artifactChanges"]:
            name = change["artifactLocation"]["uri"].replace("file://", "")
            lines = self.read(name).splitlines(True)
            for replacement in reversed(change["replacements"]):
                region = replacement["deletedRegion"]
                self.assertEqual((region["startLine"], region["startColumn"]),
                                 (region["endLine"], region["endColumn"]))
                lines.insert(region["startLine"] - 1, replacement["insertedContent"]["text"])
            self.write(os.path.basename(name), "".join(lines))
        self.assertEqual(ptovm("check", *RUN, path).code, 0)


if __name__ == "__main__":
    unittest.main()
