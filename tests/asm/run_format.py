#!/usr/bin/env python3
"""ptoas --format: what is laid out how, and that nothing else changes.

Every kernel, include and test text is laid out and laid out again; the objects of all shipped
kernels are the same before and after."""
import glob
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

LONG = "%" + "x" * 45 + " = 2"      # ends in column 54: two blanks to a multiple of four

# Text as it is written, and as it is laid out.
CASES = {
    "blanks": ("  .kernel   k\n.core aiv\n%x=min( 1,2 )+3*-%y\nTADD t [0]{ 1 , 2 } ,t,-t\n",
               ".kernel k\n.core aiv\n    %x = min(1, 2) + 3 * -%y\n"
               "    TADD t[0]{1, 2}, t, -t\n"),
    "signs": (".core aiv\n%x=!%y&&~ %z!=- 1?a:b\n.if -%x<1\n.endif\n.mix 1 : 2\n"
              "TWAIT r @ %p[0],ge,1\n.tile t:ub f32[1,8]@0x0\n",
              ".core aiv\n    %x = !%y && ~%z != -1 ? a : b\n    .if -%x < 1\n    .endif\n"
              ".mix 1:2\n    TWAIT r@%p[0], ge, 1\n.tile t : ub f32[1, 8] @ 0x0\n"),
    "keywords": (".core aiv\n.for %i=0 to -n+1 step (2)\n.endfor\nm (a), (b)+1\nprint (1)\n",
                 ".core aiv\n    .for %i = 0 to -n + 1 step (2)\n    .endfor\nm (a), (b) + 1\n"
                 "    print (1)\n"),
    "blocks": (".core aiv\n.if 1\n.for %i = 0 to 2\nx:%a = 1\n.else\n  m %a\n .endif\n",
               ".core aiv\n    .if 1\n        .for %i = 0 to 2\nx: %a = 1\n        .else\n"
               "            m %a\n        .endif\n"),
    "flat": (".if A\n.in x : f32[1]\n    .if B\n.in y : f32[1]\n.endif\n.endif\n.if A\n%x = 1\n"
             ".endif\n",
             ".if A\n.in x : f32[1]\n    .if B\n        .in y : f32[1]\n    .endif\n.endif\n"
             "    .if A\n        %x = 1\n    .endif\n"),
    "ordered": (".core aiv\n.ordered\n%x = 1\n.endordered\n.ordered\n %x = 1\n.endordered\n",
                ".core aiv\n    .ordered\n    %x = 1\n    .endordered\n    .ordered\n"
                "        %x = 1\n    .endordered\n"),
    "columns": (".core aiv\nTLOAD   a, b\nhandoff V -> S, 0\nTSTORE c, d\n\nTLOAD a, b\n"
                "TSTORE c, d\n",
                ".core aiv\n    TLOAD   a, b\n    handoff V -> S, 0\n    TSTORE  c, d\n\n"
                "    TLOAD a, b\n    TSTORE c, d\n"),
    "passed over": (".core aiv\nTEXP  a, b\nTMUL  a, b, c\nTROWSUM a, b\n",
                    ".core aiv\n    TEXP  a, b\n    TMUL  a, b, c\n    TROWSUM a, b\n"),
    "declarations": (".in  a  : f32[n ? 1:2]\n.out long : f32[1]\n.tile t  : l1  f32[1, 1]\n"
                     ".tile u : l0b f32[1, 1]\n.equ A  = 1\n.equ BC = 2\n",
                     ".in  a : f32[n ? 1 : 2]\n.out long : f32[1]\n.tile t  : l1  f32[1, 1]\n"
                     ".tile u  : l0b f32[1, 1]\n.equ A  = 1\n.equ BC = 2\n"),
    "comments": ("; a\n\n\n.core aiv ;b\n%x = 1 ; c\n       ; d\n; margin\n" + LONG +
                 "   ;  e\n.if 1\n; f\n%x = 1\n   ; g\n; h\n.endif\n ; end\n\n\n",
                 "; a\n\n.core aiv" + " " * 31 + ";b\n    %x = 1" + " " * 30 + "; c\n" +
                 " " * 40 + "; d\n; margin\n    " + LONG + "  ;  e\n    .if 1\n        ; f\n"
                 "        %x = 1\n        ; g\n    ; h\n    .endif\n    ; end\n"),
    "continuations": (".core aiv\n  TADD a,\\ ; one\n       b, \\\n   c\n\\\n\\ ; two\n"
                      "%x=1 \\\n\n",
                      ".core aiv\n    TADD a, \\" + " " * 27 + "; one\n"
                      "         b, \\\n        c\n"
                      "\n    ; two\n    %x = 1\n"),
    "ends": ("\n\n.core aiv\r\n\t%x = \"a;  b\"   \n\n\n\n%y = 1",
             ".core aiv\n    %x = \"a;  b\"\n\n    %y = 1\n"),
    "nothing": ("\n \n", ""),
}


def texts():
    """All texts of this language in the repository that have the right words and signs."""
    for folder in ("kernels", "tests"):
        for ending in (".pto", ".inc"):
            for path in sorted(glob.glob(pto.source(folder, "**", "*" + ending), recursive=True)):
                yield path


class Format(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def laid_out(self, text):
        done = pto.ptoas("--format", "-", stdin=text)
        self.assertEqual((done.code, done.err), (0, ""))
        return done.raw.decode()

    def test_cases(self):
        for name, (text, expected) in CASES.items():
            with self.subTest(name):
                self.assertEqual(self.laid_out(text), expected)
                self.assertEqual(self.laid_out(expected), expected)

    def test_kernels_are_laid_out(self):
        kernels = [path for path in texts() if path.startswith(pto.source("kernels"))]
        self.assertGreater(len(kernels), 60)
        done = pto.ptoas("--format", "--check", *kernels)
        self.assertEqual((done.code, done.out, done.err), (0, "", ""))

    def test_all_texts_twice(self):
        shutil.copytree(pto.source("tests"), self.path("tests"))
        names = [os.path.join(self.path("tests"), os.path.relpath(p, pto.source("tests")))
                 for p in texts() if p.startswith(pto.source("tests"))]
        first = pto.ptoas("--format", "--in-place", "--max-errors", 0, *names)
        refused = set(re.findall(r"^(/\S+?):\d*:?.*error: ", first.err, re.M))
        good = [name for name in names if name not in refused]
        self.assertGreater(len(good), 150)
        self.assertEqual(pto.ptoas("--format", "--check", *good).err, "")
        self.assertNotIn("another text", first.err)

    def test_objects_stay(self):
        """The kernels with all their indentation and columns gone: laid out, they make the objects
        that they made."""
        root = self.path("kernels")
        shutil.copytree(pto.source("kernels"), root)
        paths = sorted(glob.glob(root + "/**/*.*", recursive=True))
        for path in paths:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(re.sub(r"^ +(?![ ;])|(?<=[A-Z])  +(?=[a-z])", " ", text, flags=re.M))
        done = pto.ptoas("--format", "--in-place", *paths)
        self.assertEqual((done.code, done.err), (0, ""))
        compared = 0
        for path in paths:
            name = os.path.relpath(path, root)
            if not path.endswith(".pto"):
                continue
            for source in (path, pto.kernel(name)):
                out = self.path("a.txt" if source == path else "b.txt")
                done = pto.ptoas("-o", self.path("k.ptob"), source)
                self.assertEqual(done.code, 0, done.err)
                text = pto.ptoas("-d", self.path("k.ptob")).out
                with open(out, "w") as file:
                    file.write(re.sub(r"^\s*\.(pos|file|at) .*\n", "", text, flags=re.M))
            self.assertEqual(self.read("a.txt"), self.read("b.txt"), name)
            compared += 1
        self.assertGreater(compared, 50)

    def test_check_and_in_place(self):
        good, bad = self.write("good.pto", ".kernel k\n"), self.write("bad.pto", "\n.kernel  k\n")
        self.assertEqual(pto.ptoas("--format", "--check", good).code, 0)
        done = pto.ptoas("--format", "--check", good, bad)
        self.assertEqual((done.code, done.out), (1, ""))
        self.assertEqual(done.err.count("error:"), 1)
        self.assertIn(bad + ":1: error: this line is laid out differently\n", done.err)
        self.assertEqual(self.read("bad.pto"), "\n.kernel  k\n")
        before = os.stat(good).st_mtime_ns
        self.assertEqual(pto.ptoas("--format", "--in-place", good, bad).code, 0)
        self.assertEqual(self.read("bad.pto"), ".kernel k\n")
        self.assertEqual(os.stat(good).st_mtime_ns, before)

    def test_output(self):
        bad = self.write("bad.pto", ".kernel  k\n")
        self.assertEqual(pto.ptoas("--format", "-o", self.path("o.pto"), bad).code, 0)
        self.assertEqual(self.read("o.pto"), ".kernel k\n")
        self.assertEqual(pto.ptoas("--format", "-o", bad, bad).code, 2)
        self.assertEqual(self.read("bad.pto"), ".kernel  k\n")

    def test_refusals(self):
        wrong = self.write("wrong.pto", '.kernel  k\n    print "no end\n')
        done = pto.ptoas("--format", "--in-place", wrong)
        self.assertEqual(done.code, 1)
        self.assertIn("wrong.pto:2:11: error: this string has no closing '\"'", done.err)
        self.assertEqual(self.read("wrong.pto"), '.kernel  k\n    print "no end\n')
        done = pto.ptoas("--format", "-", stdin="module {\n}\n")
        self.assertEqual((done.code, done.out), (1, ""))
        self.assertIn("this is upstream text, which has a layout of its own", done.err)
        self.assertEqual(pto.ptoas("--format", "-", stdin=b"\x00").code, 1)
        for arguments in (("--check", "--in-place", wrong), ("--in-place", "-"),
                          ("--check", "-o", "x", wrong), (wrong, wrong), ()):
            self.assertEqual(pto.ptoas("--format", *arguments).code, 2, arguments)
        self.assertIn("--format", pto.ptoas("--check", wrong).err)


if __name__ == "__main__":
    unittest.main()
