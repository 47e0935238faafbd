"""`ptovm check --fix`: what it prints and writes; reports, SARIF and files say the same."""

import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
import schema  # noqa: E402
from pto import ptoas, ptovm, source, unbroken  # noqa: E402

PIECES = """.include "piece.inc"
.kernel pieces
.param n : i64
.in  x : f32[n]
.out y : f32[n]
.mix 1:1
.core aiv
.tile t : ub f32[1, 64]
    .for %at = 0 to n step 64
        piece t, y[%at], \\
              x[%at], min(64, n - %at)
        handoff MTE3 -> MTE2, 0
    .endfor
"""
PIECE = """.macro piece tile, to, from, length
    TLOAD tile{1, length}, \\
          from
    handoff MTE2 -> MTE3, 0     ; loaded
    TSTORE to, tile{1, length}
.endm
"""
RUN = ["--cores", 1, "--set", "n=200", "--in", "x=iota"]


# Every rank sends to all others, in blocks of which each has one statement.
EXCHANGE = """.kernel exchange
.mix 1:1
.sym box : f32[nranks(), 32]
.out y : f32[nranks(), 32]
.signal come[nranks()]
.macro tell who
    TNOTIFY come@who[rank()], 1, add
.endm
.core aiv
.tile t : ub f32[1, 32]
    TEXPANDS t, 1.0
    handoff V -> MTE3, 0
    .for %p = 0 to nranks()
        TSTORE box@%p[rank(), 0], t
    .endfor
    pipe_barrier ALL
    dsb
    .for %p = 0 to nranks()
        .if %p != rank()
            tell %p
        .endif
    .endfor
    .for %p = 0 to nranks()
        .if %p != rank()
            TWAIT come[%p], ge, launch() + 1
        .endif
    .endfor
    .for %p = 0 to nranks()
        TLOAD t, box[%p, 0]
        handoff MTE2 -> MTE3, 0
        TSTORE y[%p, 0], t
        handoff MTE3 -> MTE2, 0
    .endfor
"""
ASKING = """.kernel asking
.mix 1:1
.signal come[1]
.core aiv
    %other = 1 - rank()
    TNOTIFY come@%other[0], 1, add
ask:
    %there = TTEST come[0], ge, launch() + 1
    bf %there, ask
"""
# The last one out reads what all have written: its fetch_add proves that they are done.
LAST = """.kernel last
.mix 1:1
.gm part : f32[vec_count(), 8]
.sym count : i32[1]
.out y : f32[vec_count(), 8]
.core aiv
.tile t : ub f32[1, 8]
    TEXPANDS t, 2.0
    handoff V -> MTE3, 0
    TSTORE part[vec_id(), 0], t
    pipe_barrier ALL
    dsb
    %n = fetch_add count[0], 1
    .if %n == vec_count() - 1
        .for %i = 0 to vec_count()
            TLOAD t, part[%i, 0]
            handoff MTE2 -> MTE3, 0
            TSTORE y[%i, 0], t
            handoff MTE3 -> MTE2, 0
        .endfor
    .endif
"""
# What the next one stores beside it has to find in memory: written back, and completely.
FLUSHED = """.kernel flushed
.mix 1:1
.gm word : i32[32]
.core aiv
    .if block_id() == 0
        st word[0], 7
        dcci
        dsb
    .endif
    sync_all aiv
    .if block_id() == 1
        dcci
        st word[1], 8
    .endif
"""
# The number of the signal stands behind the rank, which has brackets of its own.
NUMBERED = """.kernel numbered
.mix 1:1
.signal come[4]
.sym box : f32[1, 8]
.out y : f32[1, 8]
.core aiv
.tile t : ub f32[1, 8]
    TEXPANDS t, 1.0
    handoff V -> MTE3, 0
    TSTORE box@(1 - rank()), t
    pipe_barrier ALL
    dsb
    TNOTIFY come@(1 - rank())[2], 1, add
    TWAIT come[2], ge, launch() + 1
    TLOAD t, box
    handoff MTE2 -> MTE3, 0
    TSTORE y, t
"""
# One wait for a row of signals: one for each of them would take three.
ROW = """.kernel rows
.mix 1:1
.sym box : f32[3, 32]
.out y : f32[3, 32]
.signal spare[2]
.signal come[2, 3]
.core aiv
.tile t : ub f32[1, 32]
.tile all : ub f32[3, 32]
    TEXPANDS t, 1.0
    handoff V -> MTE3, 0
    TSTORE box@0[rank(), 0], t
    TSTORE box@1[rank(), 0], t
    TSTORE box@2[rank(), 0], t
    pipe_barrier ALL
    dsb
    TNOTIFY come@0[1, rank()], 1, add
    TNOTIFY come@1[1, rank()], 1, add
    TNOTIFY come@2[1, rank()], 1, add
    TWAIT come[1, 0]{1, 3}, ge, launch() + 1
    TLOAD all, box[0, 0]
    handoff MTE2 -> MTE3, 0
    TSTORE y[0, 0], all
"""
# What is told carries a stamp; how much comes with it only the sender knows.
STAMPED = """.kernel stamped
.mix 1:1
.signal count[2, nranks()]
.out y : i64[2]
.core aiv
    %other = 1 - rank()
    %epoch = 1 + launch()
    TNOTIFY count@%other[1, rank()], %epoch * (9 + 1) + 3 * rank(), set
    TWAIT count[1, %other], ge, %epoch * (9 + 1)
    %n = ld count[1, %other]
    st y[0], %n - %epoch * (9 + 1)
"""
SEMAPHORE = """.kernel semaphore
.mix 1:1
.signal free[1]
.signal full[1]
.sym box : i32[1, 8]
.out y : i32[4, 8]
.core aiv
.tile t : ub i32[1, 8]
    .if rank() == 0
        TEXPANDS t, 5
        handoff V -> MTE3, 0
        .for %i = 0 to 4
            TSTORE box@1[0, 0], t
            pipe_barrier ALL
            dsb
            TNOTIFY full@1[0], 1, add
            TWAIT free[0], ge, launch() * 4 + %i + 1
        .endfor
    .else
        .for %i = 0 to 4
            TWAIT full[0], ge, 1
            TLOAD t, box[0, 0]
            handoff MTE2 -> MTE3, 0
            TSTORE y[%i, 0], t
            handoff MTE3 -> MTE2, 0
            pipe_barrier ALL
            TNOTIFY full[0], -1, add
            TNOTIFY free@0[0], 1, add
        .endfor
    .endif
"""


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
