"""--check-coverage: which synchronisation a run executed, and which of it ordered anything."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import schema  # noqa: E402
from pto import ptovm  # noqa: E402

# A flag that is needed, one that nobody needs, a barrier of idle pipes, a branch not taken, and
# signals, cross-core flags and a barrier of all, whose first round tells each other what S knows.
TEXT = """.kernel one
.mix 1:1
.param more : i64
.in  a : f32[64]
.out y : f32[64]
.signal word[1]
.core aiv
.tile t : ub f32[1, 64]
    .if block_id() == 0
        TLOAD t, a
        set_flag  MTE2, V, 0
        wait_flag MTE2, V, 0
        set_flag  MTE2, V, 1
        wait_flag MTE2, V, 1
        TADDS t, t, 1.0
        .if more
            pipe_barrier V
        .endif
        set_flag  V, MTE3, 0
        wait_flag V, MTE3, 0
        TSTORE y, t
        pipe_barrier ALL
        pipe_barrier ALL
        dsb
        TNOTIFY word[0], 1, set
    .else
        TWAIT word[0], ge, 1
        TWAIT word[0], ge, 1
    .endif
    set_flag_dev MTE3, 0, 3
    wait_flag_dev 3
    sync_all aiv
"""
NEVER, NO, YES = "never reached", "no order", "ordered"
WANTED = [
    ("set_flag", 11, 1, YES), ("wait_flag", 12, 1, YES),
    ("set_flag", 13, 1, NO), ("wait_flag", 14, 1, NO),
    ("pipe_barrier", 17, 0, NEVER),
    ("set_flag", 19, 1, YES), ("wait_flag", 20, 1, YES),
    ("pipe_barrier", 22, 1, YES), ("pipe_barrier", 23, 1, NO), ("dsb", 24, 1, YES),
    ("TNOTIFY", 25, 1, YES), ("TWAIT", 27, 1, YES), ("TWAIT", 28, 1, NO),
    ("set_flag_dev", 30, 2, YES), ("wait_flag_dev", 31, 2, YES), ("sync_all", 32, 2, NO),
]


class Coverage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pto-coverage-")
        self.addCleanup(folder.cleanup)
        self.kernel = os.path.join(folder.name, "one.pto")
        with open(self.kernel, "w") as file:
            file.write(TEXT)

    def run_it(self, *options):
        done = ptovm("check", "--cores", 2, "--in", "a=iota", "--set", "more=0", *options,
                     self.kernel)
        self.assertEqual((done.code, done.err), (0, ""))
        return done.out

    def test_json(self):
        report = schema.load(self.run_it("--json", "--check-coverage"), "report")
        rows = [(row["instruction"], row["line"], row["times"],
                 NEVER if not row["times"] else YES if row["ordered"] else NO)
                for row in report["coverage"]]
        self.assertEqual(rows, WANTED)

    def test_it_has_to_be_asked_for(self):
        self.assertNotIn("coverage", schema.load(self.run_it("--json"), "report"))
        self.assertNotIn("coverage", self.run_it())

    def test_text(self):
        head, *lines = self.run_it("-q", "--check-coverage").splitlines()
        self.assertEqual(head, "coverage      15 of 16 places of synchronisation reached, "
                               "10 ordered something")
        rows = []
        for line in lines:
            use, rest = line[2:15].strip(), line[15:].split()
            rows.append((rest[1], int(rest[2].split(":")[-2]), int(rest[0]), use))
        self.assertEqual(rows, WANTED)

    def test_other_inputs_reach_more(self):
        done = ptovm("check", "-q", "--check-coverage", "--cores", 2, "--in", "a=iota", "--set",
                     "more=1", self.kernel)
        self.assertEqual(done.code, 0)
        self.assertIn("16 of 16 places", done.out)

    def test_unknown_flag_key(self):
        done = ptovm("check", "--flag-key", "id", self.kernel)
        self.assertEqual(done.code, 2)
        self.assertIn("write set-pipe,wait-pipe,id or set-pipe,id", done.err)


if __name__ == "__main__":
    unittest.main()
