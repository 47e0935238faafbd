#!/usr/bin/env python3
"""The command line of ptoas: options, exit codes, files that are written and those that are not."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

GOOD = ".kernel k\n.core aiv\n    %x = 1\n"
BAD = ".kernel k\n.core aiv\n    %x = %y\n"


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = self.scratch.name
        self.write("good.pto", GOOD)
        self.write("bad.pto", BAD)

    def tearDown(self):
        self.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_ptoas(self, *arguments, text=None, **environment):
        return pto.ptoas(*arguments, cwd=self.folder, stdin=text, env=environment)

    def check(self, status, *arguments, **keywords):
        done = self.run_ptoas(*arguments, **keywords)
        self.assertEqual(done.code, status, done.err)
        return done

    def test_default_output(self):
        self.check(0, "good.pto")
        self.assertTrue(os.path.exists(self.path("good.ptob")))

    def test_words_of_options(self):
        for word in ("foo", "", "AUTO", "auto "):
            done = self.check(2, "--sync", word, "good.pto", "-o", "x.ptob")
            self.assertIn("asis, none, inorder or auto", done.err)
            self.assertFalse(os.path.exists(self.path("x.ptob")))
        for word in ("asis", "none", "inorder", "auto"):
            self.check(0, "--sync", word, "good.pto", "-o", "x.ptob")

    def test_a_text_names_its_profile(self):
        widens = (".kernel k\n.core aiv\n.tile a : ub i16[1, 16]\n.tile b : ub i32[1, 16]\n"
                  "    TEXPANDS a, 3\n    pipe_barrier V\n    TCVT b, a\n")  # a5 alone has it
        for head, status in (("", 1), ('.assembled_for "a2"\n', 1), ('.assembled_for "a5"\n', 0),
                             ('; of\n\n  .assembled_for  "a5" ; the newest\n', 0),
                             ('.file 0 "x"\n.assembled_for "a5"\n', 1),
                             ('.assembled_for "a55"\n', 2)):
            with self.subTest(head=head):
                self.write("head.pto", head + widens)
                self.check(status, "head.pto", "-o", "head.ptob")
                done = pto.ptovm("run", "head.pto", cwd=self.folder)
                self.assertEqual(done.code, status, done.err)
        self.check(0, "head.pto", "-o", "head.ptob", "-p", "a5")

    def test_a_text_opens_no_profile(self):
        self.write("own", "name = own\n")
        for head in ('.assembled_for "own"\n', '.assembled_for "./own"\n'):
            self.write("head.pto", head + GOOD)
            done = self.check(2, "head.pto", "-o", "head.ptob")
            self.assertIn("own', which is not built in", done.err)
            self.check(0, "head.pto", "-o", "head.ptob", "-p", "a2")
            self.check(2, "head.ptob", "--lint")    # nor does an object
        for text in ('.assembled_for "a5', ".assembled_for", '.assembled_for a5\n', ";"):
            self.write("head.pto", text)
            self.check(1, "head.pto", "-o", "head.ptob")

    def test_output_lands_in_current_folder(self):
        os.mkdir(self.path("sub"))
        self.write("sub/kernel.pto", GOOD)
        self.check(0, "sub/kernel.pto")
        self.assertTrue(os.path.exists(self.path("kernel.ptob")))

    def test_standard_input_and_output(self):
        done = self.check(0, "-o", "-", "-", text=GOOD)
        self.assertEqual(done.raw[:4], b"PTOB")
        self.check(2, "-", text=GOOD)

    def test_outputs_replace_neither_input_nor_each_other(self):
        self.check(2, "-o", "good.pto", "good.pto")
        self.check(2, "-l", "./good.pto", "-o", "x.ptob", "good.pto")
        self.check(2, "-l", "x.ptob", "-o", "x.ptob", "good.pto")
        with open(self.path("good.pto")) as file:
            self.assertEqual(file.read(), GOOD)

    def test_no_object_after_errors(self):
        self.check(1, "-l", "bad.lst", "bad.pto")
        self.assertFalse(os.path.exists(self.path("bad.ptob")))
        with open(self.path("bad.lst"), encoding="utf-8") as file:
            self.assertIn("1 error; the listing holds what was understood", file.read())

    def test_old_object_survives_errors(self):
        self.write("bad.ptob", "precious")
        self.check(1, "bad.pto")
        with open(self.path("bad.ptob"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")

    def test_crlf_and_missing_final_newline(self):
        self.check(0, "-o", "a.ptob", "-", text=GOOD)
        self.check(0, "-o", "b.ptob", "-", text=GOOD.replace("\n", "\r\n").rstrip())
        with open(self.path("a.ptob"), "rb") as a, open(self.path("b.ptob"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_include_path_and_dependencies(self):
        os.mkdir(self.path("lib"))
        self.write("lib/x.inc", ".equ WIDTH = 3\n")
        self.write("main.pto", '.include "x.inc"\n.assert WIDTH == 3, "three"\n' + GOOD)
        self.check(1, "main.pto")
        self.check(0, "-I", "lib", "main.pto")
        done = self.check(0, "-M", "-I", "lib", "main.pto")
        self.assertEqual(done.out, "main.ptob: main.pto lib/x.inc\n")

    def test_defines(self):
        self.write("d.pto", '.define W = 3\n.assert W == 3, "three"\n' + GOOD)
        self.check(0, "d.pto")
        self.check(1, "-D", "W=4", "d.pto")
        self.check(2, "-D", "W", "d.pto")

    def test_profile(self):
        self.check(0, "--profile", "toy", "good.pto")
        done = self.check(2, "--profile", "a9", "good.pto")
        self.assertIn("a9", done.err)

    def test_disassembly(self):
        self.check(0, "good.pto")
        self.assertIn("mov %x, 1", self.check(0, "-d", "good.ptob").out)
        self.check(1, "-d", "good.pto")
        self.check(2, "-d", "missing.ptob")

    def test_list_ops(self):
        text = self.check(0, "--list-ops").out
        self.assertIn("TADD ", text)
        self.assertIn("dst:ub, src0:ub, src1:ub", text)

    def test_max_errors(self):
        self.write("many.pto", ".kernel k\n.core aiv\n" + "    oops\n" * 60)
        self.assertEqual(self.check(1, "many.pto").err.count("error:"), 50)
        self.assertEqual(self.check(1, "--max-errors", "2", "many.pto").err.count("error:"), 2)
        self.assertEqual(self.check(1, "--max-errors", "0", "many.pto").err.count("error:"), 60)
        for bad in ("-1", "x", "", "1e3", "99999999999999999999"):
            self.check(2, "--max-errors", bad, "many.pto")

    def test_colour(self):
        self.assertNotIn("\033", self.check(1, "bad.pto").err)
        self.assertIn("\033", self.check(1, "--color=always", "bad.pto").err)
        self.assertIn("\033", self.check(1, "--color=always", "bad.pto", NO_COLOR="1").err)
        self.check(2, "--color=sometimes", "bad.pto")

    def test_usage(self):
        for arguments in ((), ("a.pto", "b.pto"), ("--frobnicate",), ("-d", "x", "y"), ("-o",)):
            done = self.check(2, *arguments)
            self.assertIn("Try 'ptoas --help'", done.err)
        self.assertIn("usage: ptoas", self.check(0, "--help").out)
        self.assertRegex(self.check(0, "--version").out, r"^ptoas \d+\.\d+\.\d+\n$")

    def test_options_belong_to_jobs(self):
        self.check(0, "good.pto")
        for arguments, name, job in ((("--json", "good.pto"), "json", "ptoas KERNEL.pto"),
                                     (("-v", "good.pto"), "verbose", "ptoas KERNEL.pto"),
                                     (("--werror", "-M", "good.pto"), "werror",
                                      "ptoas --dependencies"),
                                     (("-I", "x", "-d", "good.ptob"), "include",
                                      "ptoas --disassemble"),
                                     (("--lint", "--list-ops"), "lint", "ptoas --list-ops")):
            done = self.check(2, *arguments)
            self.assertIn(f"option '--{name}' does not apply to '{job}'", done.err)
        self.assertIn("hint: it goes with 'ptoas --lint', 'ptoas --list-ops'\n",
                      self.check(2, "--json", "good.pto").err)
        for option, value in (("define", "X=1"), ("function", "f"), ("sync", "none"),
                              ("from", "pto")):
            done = self.check(2, "--lint", "good.ptob", f"--{option}", value)
            self.assertIn(f"--{option} is for texts, and 'good.ptob' is an object", done.err)
        done = self.check(1, "--function", "f", "good.pto")
        self.assertIn("this is no upstream text", done.err)
        self.assertIn("if this is a text, assemble it first", self.check(1, "-d", "good.pto").err)
        self.assertIn("unexpected argument 'y'", self.check(2, "-d", "x", "y").err)
        self.check(0, "--disassemble", "good.ptob", "--output", "good.text")
        self.assertIn("mov %x, 1", self.check(0, "-d", "good.ptob").out)

    def test_files_that_cannot_be(self):
        for name in ("missing.pto", "."):
            for job in ((), ("-d",), ("--lint",), ("--format",), ("-M",), ("--sync", "auto", "-S")):
                with self.subTest(name, job=job):
                    done = self.check(2, *job, name)
                    self.assertIn(f"cannot read '{name}'", done.err)
        self.check(0, "good.pto")
        self.write("wide.pto", GOOD + "      %y  =  2\n")
        for job in ((), ("-d", "good.ptob"), ("--lint", "--json"), ("--format",), ("--list-ops",),
                    ("--explain", "TADD"), ("--sync", "auto", "-S"), ("--to", "cpp")):
            with self.subTest(job=job):
                kernel = () if {"--list-ops", "--explain", "-d"} & set(job) else ("good.pto",)
                done = self.check(2, *job, "-o", "no/such/folder/x.ptob", *kernel)
                self.assertIn("cannot write", done.err)
        self.assertIn("cannot write", self.check(2, "-l", "no/such/folder/x", "good.pto").err)
        self.assertEqual(self.check(1, "--format", "--check", "wide.pto", "good.pto").out, "")
        self.assertIn("cannot read", self.check(2, "--format", "--check", "wide.pto", "no.pto").err)


if __name__ == "__main__":
    unittest.main()
