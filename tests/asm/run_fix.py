#!/usr/bin/env python3
"""ptoas --fix: what messages suggest, as a patch or in the files."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

# Two words of one line, a register, a directive, a type; at both ends of the text.
WRONG = """.kernle k
.core aiv
.tile tile : ub f33[1, 8]
    %count = 1
    %x = 1
    %x = 2
    %x = 3
    %x = 4
    %x = 5
    %x = 6
    %x = 7
    TADD tlie, tile, tiel
    %y = %cuont"""
RIGHT = WRONG.replace("kernle", "kernel").replace("f33", "f32").replace("tlie", "tile").replace(
    "tiel", "tile").replace("cuont", "count")


class Fix(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = self.scratch.name

    def tearDown(self):
        self.scratch.cleanup()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()

    def run_ptoas(self, *arguments):
        return pto.ptoas("-o", "k.ptob", *arguments, cwd=self.folder)

    def test_in_place_until_nothing_is_suggested(self):
        """An error may hide others; what is left out in one turn comes in the next."""
        self.write("k.pto", WRONG)
        for _ in range(4):
            if self.run_ptoas("--fix=in-place", "k.pto").code == 0:
                break
        self.assertEqual(self.read("k.pto"), RIGHT)
        self.assertEqual(self.run_ptoas("k.pto").code, 0)

    def test_patch(self):
        self.write("k.pto", RIGHT.replace("tile, tile, tile", "tlie, tile, tiel").replace(
            "f32", "f33"))
        done = self.run_ptoas("--fix", "k.pto")
        self.assertEqual(done.code, 1)
        self.assertEqual(done.out, """--- k.pto
+++ k.pto
@@ -1,6 +1,6 @@
 .kernel k
 .core aiv
-.tile tile : ub f33[1, 8]
+.tile tile : ub f32[1, 8]
     %count = 1
     %x = 1
     %x = 2
@@ -9,5 +9,5 @@
     %x = 5
     %x = 6
     %x = 7
-    TADD tlie, tile, tiel
+    TADD tile, tile, tile
     %y = %count
\\ No newline at end of file
""")
        self.assertIn("f33", self.read("k.pto"))

    def test_a_macro_used_twice_in_another_file(self):
        self.write("lib.inc", ".macro m\n    set_flga V, S, 0\n.endm\n")
        self.write("k.pto", '.include "lib.inc"\n.kernel k\n.core aiv\n    m\n    m\n')
        self.assertEqual(self.run_ptoas("--fix=in-place", "k.pto").code, 1)
        self.assertEqual(self.read("lib.inc"), ".macro m\n    set_flag V, S, 0\n.endm\n")

    def test_nothing_to_do(self):
        self.write("k.pto", RIGHT)
        done = self.run_ptoas("--fix", "k.pto")
        self.assertEqual((done.code, done.out, done.err), (0, "", ""))
        self.write("k.pto", ".kernel k\n.core aiv\n    %x = zzzzzz\n")
        done = self.run_ptoas("--fix", "k.pto")
        self.assertEqual((done.code, done.out), (1, ""))
        self.assertEqual(self.run_ptoas("--fix=gently", "k.pto").code, 2)


if __name__ == "__main__":
    unittest.main()
