#!/usr/bin/env python3
"""The lint: what it says, and that it is right.

lint/NAME.pto   is looked at by `ptoas --lint`; lint/NAME.diag is what it prints, summary first.
                A first line `; ptoas: OPTIONS` adds options.  --update rewrites the expectations.

Everything else is held against runs: nothing that runs clean may have an error; and of random
programs, no run may contradict what the lint is sure of.
"""
import argparse
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import schema  # noqa: E402
from pto import kernel, options_of, program, ptoas, ptovm, sample, share, source  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
UPDATE = False


def lint(*arguments):
    return ptoas("--lint", *arguments, cwd=HERE)


def report(path, *options):
    """The findings of a text, as JSON that fits its schema; None if it does not assemble."""
    done = lint("--json", *options, path)
    if not done.out:
        return None
    data = schema.load(done.out, "lint")
    found = [finding["severity"] for finding in data["findings"]]
    assert data["errors"] == found.count("error"), path
    assert data["warnings"] == found.count("warning"), path
    assert done.code == (1 if data["errors"] else 0), path
    return data


def errors(data):
    return ["%s:%d: %s" % (f["file"], f["line"], f["message"]) for f in data["findings"]
            if f["severity"] == "error"]


def cases():
    return sorted(glob.glob(os.path.join(HERE, "lint", "*.pto")))


class Messages(unittest.TestCase):
    def test_cases(self):
        self.assertGreater(len(cases()), 5)
        for path in cases():
            with self.subTest(os.path.basename(path)):
                done = lint(*options_of(path), os.path.relpath(path, HERE))
                self.assertEqual(done.code, 1 if " error: " in done.err else 0)
                self.compare(path[:-4] + ".diag", done.out + done.err)

    def compare(self, path, found):
        if UPDATE:
            with open(path, "w", encoding="utf-8") as file:
                file.write(found)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), found)

    def test_every_rule_has_a_case(self):
        with open(source("assembler", "lint", "lint.def"), encoding="utf-8") as file:
            rules = re.findall(r'^LINT\(\w+, "([\w-]+)"', file.read(), re.M)
        with open(source("docs", "lint.md"), encoding="utf-8") as file:
            manual = file.read()
        self.assertGreater(len(rules), 10)
        shown = ""
        for path in cases():
            with open(path[:-4] + ".diag", encoding="utf-8") as file:
                shown += file.read()
        for rule in rules:
            self.assertIn("[%s]" % rule, shown)
            self.assertIn("| `%s` |" % rule, manual)

    def test_json_and_text_agree(self):
        for path in cases():
            with self.subTest(os.path.basename(path)):
                data = report(path)
                text = lint("-v", path).err
                for finding in data["findings"]:
                    self.assertIn("%s:%d:%d: %s: %s [%s]" % (
                        finding["file"], finding["line"], finding["column"], finding["severity"],
                        finding["message"], finding["rule"]), text)
                self.assertEqual(len(re.findall(r" \[[a-z-]+\]$", text, re.M)),
                                 len(data["findings"]))

    def test_trail_through_macros(self):
        text = (".macro alone\n    set_flag V, MTE3, 0\n.endm\n.kernel k\n.core aiv\n"
                "    alone\n")
        with tempfile.TemporaryDirectory() as folder:
            path = write(folder, "k.pto", text)
            finding = report(path)["findings"][0]
            self.assertEqual((finding["line"], [p["line"] for p in finding["used_from"]]),
                             (2, [6]))
            self.assertIn("k.pto:6:", lint(path).err)

    def test_objects_are_judged_like_their_text(self):
        for path in cases():
            with self.subTest(os.path.basename(path)), tempfile.TemporaryDirectory() as folder:
                binary = os.path.join(folder, "a.ptob")
                self.assertEqual(ptoas("-o", binary, path).code, 0)
                for key in ("findings", "flags", "memories"):
                    self.assertEqual(report(path)[key], report(binary)[key])

    def test_objects_are_judged_for_the_machine_they_were_made_for(self):
        with tempfile.TemporaryDirectory() as folder:
            text = write(folder, "k.pto", ".kernel k\n.core aiv\n.tile t[2] : ub i8[2, 50000]\n")
            profile = write(folder, "mine.profile", "base = a5\n")
            binary = os.path.join(folder, "k.ptob")
            self.assertEqual(ptoas("-p", "a5", "-o", binary, text).code, 0)
            self.assertEqual(lint(binary).code, 0)
            self.assertIn("of profile a3 has", lint("-p", "a3", binary).err)
            self.assertEqual(ptoas("-p", profile, "-o", binary, text).code, 0)
            done = lint(binary)
            self.assertEqual(done.code, 2)
            self.assertIn("'mine', which is not built in", done.err)
            self.assertEqual(lint("-p", profile, binary).code, 0)

    def test_many_objects_and_kernels(self):
        """What is written is looked up, and a file's lines are found without reading it again."""
        many = "".join(".kernel k%d\n.signal s%d[1]\n.core aiv\n" % (k, k) +
                       "    TNOTIFY s%d, 1, add\n" % k * 40 + "    TWAIT s0, ge, 1\n" * (k == 0) +
                       "    TWAIT s%d, ge, 1\n    %%unread = 1\n" % k for k in range(4000))
        with tempfile.TemporaryDirectory() as folder:
            done = lint(write(folder, "k.pto", many))
        self.assertEqual((done.code, done.err.count("is assigned, but never read"),
                          done.err.count("nothing in this text writes")), (0, 4000, 0))

    def test_many_signals_in_a_kernel(self):
        """What is compared in pairs is limited; here it would take minutes."""
        head = (".kernel k\n.signal s[1]\n.sym turn : i32[vec_count()]\n.core aiv\n"
                "    %last = fetch_add turn[vec_id()], 1\n")
        many = "".join("    TNOTIFY s[0], %%last + %d, set\n    TWAIT s[0], ge, %%last + %d\n" %
                       (i, i + 1) for i in range(20000))
        few = "    TNOTIFY s[0], %last + 2, set\n    TWAIT s[0], ge, %last + 1\n"
        with tempfile.TemporaryDirectory() as folder:
            done = lint(write(folder, "many.pto", head + many))
            self.assertEqual((done.code, done.err.count("[signal-value]")), (0, 0))
            done = lint(write(folder, "few.pto", head + few))
            self.assertEqual((done.code, done.err.count("[signal-value]")), (0, 2))
            most = "\n".join(many.split("\n")[:512]) + "\n"
            done = lint(write(folder, "most.pto", head + most))
            self.assertGreater(done.err.count("[signal-value]"), 200)

    def test_files_that_objects_name(self):
        """Lines are shown of regular files only: a position of an object may name anything."""
        text = (".assembled_for \"a2\"\n.file 0 \"%s\"\n.pos 0 0 1 1 -1\n.at 0\n.kernel k\n"
                ".sym unused : i32[4]\n.core aiv\n    end\n")
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            for name in ("-", "/dev/zero", pipe, folder):
                binary = os.path.join(folder, "a.ptob")
                self.assertEqual(ptoas("-o", binary,
                                     write(folder, "k.pto", text % name)).code, 0)
                waits = subprocess.Popen([program("ptoas"), "--lint", binary], text=True,
                                         stdin=subprocess.PIPE, stderr=subprocess.PIPE)
                self.addCleanup(waits.kill)
                self.assertEqual(waits.wait(timeout=60), 0, name)
                self.assertIn("%s:1:1: warning: object 'unused'" % name, waits.stderr.read())
                waits.stdin.close()
                waits.stderr.close()

    def test_json_is_utf8(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(os.fsencode(folder), b"\xff.pto")
            with open(path, "w", encoding="ascii") as file:
                file.write(".kernel k\n.core aiv\n    %x = 1\n")
            done = lint("--json", path)
        self.assertIn("\ufffd.pto", json.loads(done.raw.decode("utf-8"))["file"])

    def test_too_many_states(self):
        """What is too large is said to be unknown, not guessed."""
        text = ".kernel k\n.param n : i64\n.core aiv\n" + "".join(
            ".if n > %d\n    set_flag MTE2, V, 0\n.endif\n" % i for i in range(20000))
        with tempfile.TemporaryDirectory() as folder:
            data = report(write(folder, "k.pto", text))
        self.assertEqual([f["message"] for f in data["findings"]],
                         ["the tokens MTE2, V are not judged: there are too many states"])
        self.assertEqual([flag["wrong"] for flag in data["flags"]], ["unknown"])

    def test_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            warning = write(folder, "w.pto", ".kernel k\n.core aiv\n    %x = 1\n")
            self.assertEqual(lint(warning).code, 0)
            self.assertEqual(lint("--werror", warning).code, 1)
            bad = write(folder, "b.pto", ".kernel k\n.core aiv\n    %x = %y\n")
            done = lint("--json", bad)
            self.assertEqual((done.code, done.out), (1, ""))
            self.assertIn("error", done.err)
            broken = write(folder, "broken.ptob", "PTOB" + "?" * 60)
            self.assertEqual(lint(broken).code, 1)
            result = os.path.join(folder, "out.json")
            self.assertEqual(lint("--json", "-o", result, warning).out, "")
            with open(result, encoding="utf-8") as file:
                self.assertEqual(len(json.load(file)["findings"]), 1)
        self.assertEqual(ptoas("--werror", "x.pto").code, 2)
        self.assertEqual(ptoas("-v", "x.pto").code, 2)
        self.assertEqual(lint("no_such_file.pto").code, 2)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class NoFalseErrors(unittest.TestCase):
    def clean(self, path, *options):
        data = report(path, *options)
        self.assertIsNotNone(data, path)
        self.assertEqual(errors(data), [], path)
        return data

    def test_kernels(self):
        found = 0
        for path in sorted(glob.glob(kernel("*/*.pto"))):
            if os.sep + "broken" + os.sep not in path:
                data = self.clean(path, "-I", kernel("lib"))
                self.assertEqual(data["warnings"], 0, path)
                found += 1
        self.assertGreater(found, 5)

    def test_litmus_programs_that_are_right(self):
        """No error where some run has no finding; where none has any, no warning about signals."""
        right = found = 0
        for path in sorted(glob.glob(source("tests", "check", "litmus", "*.pto"))):
            with open(path, encoding="utf-8") as file:
                verdicts = re.findall(r"^; (a\d\w*): (.*)$", file.read(), re.M)
            for profile in sorted({on for on, verdict in verdicts if verdict == "none"}):
                data = self.clean(path, "-I", kernel("lib"), "--profile", profile)
                rules = {f["rule"] for f in data["findings"] if f["severity"] == "warning"}
                right += 1
                if {verdict for on, verdict in verdicts if on == profile} == {"none"}:
                    self.assertFalse(rules & {"signal-unread", "signal-unwritten", "signal-value",
                                              "unpublished"}, path)
                    found += 1
        self.assertGreater(right, 60)
        self.assertGreater(found, 15)

    def test_flags_of_well_known_kernels_are_proven(self):
        for name in ("basic/vadd", "basic/softmax", "matmul/gemm", "collective/allreduce_ring"):
            data = self.clean(kernel(name + ".pto"))
            self.assertGreater(len(data["flags"]), 5)
            self.assertEqual({flag["wrong"] for flag in data["flags"]}, {"no"}, name)
            self.assertEqual(data["findings"], [], name)

    def test_every_dropped_flag_is_an_error(self):
        for name in ("basic/vadd", "basic/softmax", "matmul/gemm", "collective/allreduce_ring"):
            with tempfile.TemporaryDirectory() as folder:
                binary = os.path.join(folder, "a.ptob")
                ptoas("-o", binary, kernel(name + ".pto"))
                lines = ptoas("-d", binary).out.split("\n")
                flags = [i for i, line in enumerate(lines) if re.match(r" *(set|wait)_flag ", line)]
                self.assertGreater(len(flags), 8)
                for i in flags:
                    data = report(write(folder, "k.pto", "\n".join(lines[:i] + lines[i + 1:])))
                    self.assertTrue(errors(data), "%s without %s" % (name, lines[i].strip()))

    def test_broken_kernels(self):
        for name, rule in (("vadd_missing_wait", "token-left"),
                           ("vadd_missing_set", "token-missing")):
            data = report(kernel("broken/%s.pto" % name))
            self.assertEqual([(f["severity"], f["rule"]) for f in data["findings"]],
                             [("error", rule)] + 2 * [("warning", "race")])

    def test_cases_that_run_clean(self):
        found = 0
        for path in sorted(glob.glob(source("tests", "run", "cases", "*.pto"))):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if os.path.basename(path) == "asynchronous.pto":  # its run is right, its order is not
                self.assertEqual([f["rule"] for f in report(path)["findings"]], ["race"])
            elif "; expect-exit: " not in text:
                self.clean(path, "-I", kernel("lib"))
                found += 1
        self.assertGreater(found, 20)

    def test_pages_of_the_manual(self):
        found = 0
        with tempfile.TemporaryDirectory() as folder:
            pages = sample(sorted(glob.glob(source("docs", "isa", "*.md"))), 4)
            for page in pages:
                with open(page, encoding="utf-8") as file:
                    blocks = re.findall(r"^```pto\n(.*?)^```", file.read(), re.M | re.S)
                for text in blocks:
                    path = write(folder, os.path.basename(page)[:-3] + ".pto", text)
                    for profile in ("a2", "a5"):
                        data = report(path, "--profile", profile)
                        if data is not None:
                            self.assertEqual(errors(data), [], page)
                            found += 1
        self.assertGreater(found, share(50, 4))


# ---- random programs ---------------------------------------------------------------------------

PIPES = ("S", "MTE2", "V", "MTE3")
CONDITIONS = ("a > 0", "b > 0", "a == b", "a + b > 1", "%i0 > 1")


class Program:
    """Flags between loops and conditions; before every one, its line is printed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pairs = [self.random.sample(PIPES, 2) for _ in range(self.random.randint(1, 2))]
        self.lines = [".kernel k", ".param a : i64", ".param b : i64", ".core aiv", "%s = 0",
                      "%i0 = 0"]
        self.loops = 0
        self.block(2)
        self.mutate()

    def flag(self, kind, pair, event):
        self.lines.append("%s %s, %s, %s" % (kind, *pair, event))

    def couple(self, depth):
        """A set and its wait, perhaps with something in between."""
        pair = self.random.choice(self.pairs)
        event = self.random.choice(("0", "0", "1", "%s", "%s", "a & 1"))
        order = ["set_flag", "wait_flag"]
        if self.random.random() < 0.15:
            order.reverse()
        self.flag(order[0], pair, event)
        if depth and event != "%s" and self.random.random() < 0.5:
            self.block(depth - 1)
        self.flag(order[1], pair, event)

    def block(self, depth):
        for _ in range(self.random.randint(1, 3)):
            what = self.random.random()
            if what < 0.5 or not depth:
                self.couple(depth)
            elif what < 0.6:
                self.lines.append("%s = 1 - %s")
            elif what < 0.7:
                self.lines.append(self.random.choice(("pipe_barrier ALL", "pipe_barrier V")))
            elif what < 0.85:
                self.loops += 1
                self.lines.append(".for %%i%d = 0 to %s" % (
                    self.loops, self.random.choice(("a", "b", "2", "3"))))
                self.block(depth - 1)
                if self.random.random() < 0.3:
                    self.lines.append("%s = 1 - %s")
                self.lines.append(".endfor")
            else:
                self.lines.append(".if " + self.random.choice(CONDITIONS))
                self.block(depth - 1)
                self.lines.append(".endif")

    def mutate(self):
        """Take one flag away, or give it another id, in two of three programs."""
        flags = [i for i, line in enumerate(self.lines) if "_flag" in line]
        what = self.random.random() if flags else 1
        if what < 0.4:
            del self.lines[self.random.choice(flags)]
        elif what < 0.65:
            at = self.random.choice(flags)
            self.lines[at] = self.lines[at].rsplit(",", 1)[0] + ", 1"

    def text(self):
        lines = []
        for line in self.lines:
            if "_flag" in line:
                lines.append('print "L%d"' % (len(lines) + 2))
            lines.append(line)
        return "\n".join(lines) + "\n"


class Soundness(unittest.TestCase):
    PROGRAMS = sample(range(150), 5)

    def outcome(self, path, a, b):
        done = ptovm("run", "--cores", "1", "--set", "a=%d" % a, "--set", "b=%d" % b, path)
        self.assertIn(done.code, (0, 1, 3), done.err)
        return done, {int(line) for line in re.findall(r"\bL(\d+)", done.out + done.err)}

    def test_random_programs(self):
        certain = proven = 0
        with tempfile.TemporaryDirectory() as folder:
            for seed in self.PROGRAMS:
                path = write(folder, "k%d.pto" % seed, Program(seed).text())
                data = report(path)
                lines = {f["line"] for f in data["findings"] if f["severity"] == "error"}
                safe = all(flag["wrong"] == "no" for flag in data["flags"])
                certain += bool(lines)
                proven += safe
                if not lines and not safe:
                    continue
                for a, b in ((0, 0), (1, 0), (2, 1), (1, 3)):
                    done, printed = self.outcome(path, a, b)
                    where = "%s, a=%d, b=%d\n%s" % (Program(seed).text(), a, b, done.err)
                    if lines & printed:
                        self.assertNotEqual(done.code, 0, where)
                    if safe and done.code: # how fast pipes are is not the lint's affair
                        self.assertIn("on a pending token", done.err, where)
        self.assertGreater(certain, len(self.PROGRAMS) // 10)
        self.assertGreater(proven, len(self.PROGRAMS) // 10)


def main():
    global UPDATE
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    arguments, rest = parser.parse_known_args()
    UPDATE = arguments.update
    unittest.main(argv=sys.argv[:1] + rest)


if __name__ == "__main__":
    main()
