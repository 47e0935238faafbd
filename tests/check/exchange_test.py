"""Loops in which ranks exchange what they have, with synchronisation left out: whatever is wrong
shows in what a user sees - exit status, messages, JSON, SARIF - with any number of turns and ranks.

A line marked `; @NAME` can be left out; `NEEDED` says from how many turns and ranks it is needed.
Findings that hide others must not hide one another: where there is a finding, one is shown."""

import itertools
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import schema  # noqa: E402
from pto import ptovm, sample  # noqa: E402

HEAD = """.kernel exchange
.mix 1:1
.param turns : i64
.in  x : f32[turns, 64]
.sym box : f32[nranks(), 64]
.signal come[nranks()]
.signal done[nranks()]
.out y : f32[turns * nranks(), 64]
.core aiv
.tile mine : ub f32[1, 64]
.tile theirs : ub f32[1, 64]
"""

MESH = HEAD + """
    .for %turn = 0 to turns
        TLOAD mine, x[%turn, 0]
        set_flag  MTE2, MTE3, 0                     ; @in
        wait_flag MTE2, MTE3, 0                     ; @in
        .for %p = 0 to nranks()
            .if %p != rank()
                TSTORE box@%p[rank(), 0], mine
            .endif
        .endfor
        pipe_barrier ALL                            ; @stored
        dsb                                         ; @published
        .for %p = 0 to nranks()
            .if %p != rank()
                TNOTIFY come@%p[rank()], 1, add
            .endif
        .endfor
        .for %p = 0 to nranks()
            .if %p != rank()
                TWAIT come[%p], ge, %turn + 1       ; @come
                TLOAD theirs, box[%p, 0]
                set_flag  MTE2, MTE3, 1             ; @out
                wait_flag MTE2, MTE3, 1             ; @out
                TSTORE y[%turn * nranks() + %p, 0], theirs
                set_flag  MTE3, MTE2, 1             ; @back
                wait_flag MTE3, MTE2, 1             ; @back
            .endif
        .endfor
        pipe_barrier ALL                            ; @read
        .for %p = 0 to nranks()
            .if %p != rank()
                TNOTIFY done@%p[rank()], 1, add
            .endif
        .endfor
        .for %p = 0 to nranks()
            .if %p != rank()
                TWAIT done[%p], ge, %turn + 1       ; @done
            .endif
        .endfor
    .endfor
"""

RING = HEAD + """
    %left  = mod(rank() + nranks() - 1, nranks())
    %right = mod(rank() + 1, nranks())
    TLOAD mine, x[0, 0]
    pipe_barrier ALL                                ; @first
    .for %turn = 0 to turns
        .if %turn > 0
            TWAIT done[%right], ge, %turn           ; @done
        .endif
        TSTORE box@%right[rank(), 0], mine
        pipe_barrier ALL                            ; @stored
        dsb                                         ; @published
        TNOTIFY come@%right[rank()], 1, add
        TWAIT come[%left], ge, %turn + 1            ; @come
        TLOAD theirs, box[%left, 0]
        set_flag  MTE2, V, 0                        ; @in
        wait_flag MTE2, V, 0                        ; @in
        TADD mine, mine, theirs
        set_flag  V, MTE3, 0                        ; @sum
        wait_flag V, MTE3, 0                        ; @sum
        TSTORE y[%turn, 0], mine
        pipe_barrier ALL                            ; @read
        TNOTIFY done@%left[rank()], 1, add
    .endfor
"""

SUM = HEAD + """
    %left  = mod(rank() + nranks() - 1, nranks())
    %right = mod(rank() + 1, nranks())
    TLOAD mine, x[0, 0]
    pipe_barrier ALL                                ; @first
    .for %turn = 0 to turns
        TSTORE box@%right[rank(), 0], mine
        pipe_barrier ALL                            ; @stored
        dsb                                         ; @published
        TNOTIFY come@%right[rank()], 1, add
        TWAIT come[%left], ge, %turn + 1            ; @come
        TLOAD theirs, box[%left, 0]
        set_flag  MTE2, V, 1                        ; @in
        wait_flag MTE2, V, 1                        ; @in
        TADD mine, mine, theirs
        set_flag  V, MTE3, 1                        ; @sum
        wait_flag V, MTE3, 1                        ; @sum
        TSTORE y[%turn * nranks() + %left, 0], theirs
        set_flag  MTE3, MTE2, 1
        wait_flag MTE3, MTE2, 1
        pipe_barrier ALL                            ; @read
        .for %p = 0 to nranks()
            .if %p != rank()
                TNOTIFY done@%p[rank()], 1, add
            .endif
        .endfor
        .for %p = 0 to nranks()
            .if %p != rank()
                TWAIT done[%p], ge, %turn + 1       ; @done
            .endif
        .endfor
    .endfor
"""

# Name: (turns, ranks) from which it is needed, for every loop.
NEEDED = {
    "mesh": (MESH, {"in": (1, 2), "stored": (1, 2), "published": (1, 2), "come": (1, 2),
                    "out": (1, 2), "back": (1, 3), "read": (2, 2), "done": (2, 2)}),
    "ring": (RING, {"first": (1, 2), "stored": (1, 2), "published": (1, 2), "come": (1, 2),
                    "in": (1, 2), "sum": (1, 2), "read": (2, 2), "done": (2, 2)}),
    "sum": (SUM, {"first": (1, 2), "stored": (1, 2), "published": (1, 2), "come": (1, 2),
                  "in": (1, 2), "sum": (1, 2), "read": (2, 2), "done": (2, 2)}),
}
AT = sample(itertools.product(range(1, 9), (2, 3, 4)), 4)  # turns and ranks
PAIRS_AT = (3, 8)  # numbers of turns at which two things are left out, too


def without(text, names):
    return "\n".join(line for line in text.split("\n")
                     if not any(line.endswith("; @" + name) for name in names))


class Exchange(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pto-exchange-")
        self.addCleanup(self.folder.cleanup)

    def check(self, text, turns, ranks):
        """Exit status, messages, report and results in SARIF."""
        path = os.path.join(self.folder.name, "exchange.pto")
        sarif = os.path.join(self.folder.name, "exchange.sarif")
        with open(path, "w") as file:
            file.write(text)
        done = ptovm("check", "--json", "--sarif", sarif, "--ranks", ranks, "--cores", 1, "--set",
                     "turns=%d" % turns, "--in", "x=iota", path)
        self.assertTrue(done.out, done.err)
        report = schema.load(done.out, "report")
        with open(sarif) as file:
            run = json.load(file)["runs"][0]
        errors = [result for result in run["results"] if result["level"] == "error"]
        return done.code, done.err, report, errors

    def right(self, text, turns, ranks):
        code, said, report, errors = self.check(text, turns, ranks)
        self.assertEqual((code, said, report["findings"], errors), (0, "", [], []))

    def wrong(self, text, turns, ranks):
        code, said, report, errors = self.check(text, turns, ranks)
        findings = report["findings"]
        self.assertNotEqual(code, 0)
        leading = [f for f in findings if "follows" not in f]
        self.assertEqual(said.count("finding: "), len(leading))
        told = [e for e in errors if e["ruleId"] not in ("deadlock", "fault")]  # how the run ended
        self.assertEqual(len(told), len(findings))
        self.assertEqual(bool(findings), bool(leading))
        for finding in findings:
            if "follows" in finding:
                self.assertIn(findings[finding["follows"]], leading)
        if not findings:
            self.assertIn(report["status"], ("deadlock", "fault"))

    def loops(self, text, needed, turns, ranks):
        names = {name for name, least in needed.items() if turns >= least[0] and ranks >= least[1]}
        for count in range(3 if turns in PAIRS_AT else 2):
            for dropped in itertools.combinations(sorted(needed), count):
                with self.subTest(turns=turns, ranks=ranks, dropped=dropped):
                    judge = self.wrong if names & set(dropped) else self.right
                    judge(without(text, dropped), turns, ranks)

    def test_mesh(self):
        for turns, ranks in AT:
            self.loops(*NEEDED["mesh"], turns, ranks)

    def test_ring(self):
        for turns, ranks in AT:
            self.loops(*NEEDED["ring"], turns, ranks)

    def test_sum(self):
        for turns, ranks in AT:
            self.loops(*NEEDED["sum"], turns, ranks)


if __name__ == "__main__":
    unittest.main()
