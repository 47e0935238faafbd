#!/usr/bin/env python3
"""Golden cases of the assembler.

good/NAME.pto   assembles without a word; good/NAME.lst is its listing, and the disassembly of its
                object assembles to the same bytes.
bad/NAME.pto    is rejected; bad/NAME.diag is what standard error says.
A first line `; ptoas: OPTIONS` adds options.  --update rewrites the expectations.

The kernels and the fragments of the language reference survive the round trip, too.
"""
import argparse
import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


class Cases:
    def __init__(self, update):
        self.update = update
        self.failures = 0
        self.count = 0

    def run(self, *arguments):
        return pto.ptoas(*arguments, cwd=HERE)

    def fail(self, name, text):
        self.failures += 1
        print(f"FAIL {name}: {text}")

    def check(self, name, condition, text):
        if not condition:
            self.fail(name, text)
        return condition

    def compare(self, name, path, actual):
        if self.update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(actual)
            return
        try:
            with open(path, encoding="utf-8") as file:
                expected = file.read()
        except FileNotFoundError:
            self.fail(name, f"{os.path.basename(path)} is missing")
            return
        if expected == actual:
            return
        for number, (a, b) in enumerate(zip(expected.split("\n"), actual.split("\n")), 1):
            if a != b:
                self.fail(name, f"line {number} of {os.path.basename(path)}\n"
                                f"  expected {a!r}\n  found    {b!r}")
                return
        self.fail(name, f"{os.path.basename(path)} has another length")

    def good(self, relative, folder):
        options = pto.options_of(os.path.join(HERE, relative))
        object_path = os.path.join(folder, "a.ptob")
        listing = os.path.join(folder, "a.lst")
        done = self.run(*options, "-o", object_path, "-l", listing, relative)
        if not self.check(relative, done.code == 0 and not done.err, done.err):
            return
        with open(listing, encoding="utf-8") as file:
            self.compare(relative, os.path.join(HERE, relative[:-4] + ".lst"), file.read())
        self.round_trip(relative, options, object_path, folder)

    def round_trip(self, name, options, object_path, folder):
        text, again = os.path.join(folder, "a.pto"), os.path.join(folder, "b.ptob")
        done = self.run("-d", object_path, "-o", text)
        if not self.check(name, done.code == 0, "-d: " + done.err):
            return
        options = [o for i, o in enumerate(options) if not is_define(options, i)]
        done = self.run(*options, "-o", again, text)
        if not self.check(name, done.code == 0, "disassembly: " + done.err):
            return
        with open(object_path, "rb") as a, open(again, "rb") as b:
            self.check(name, a.read() == b.read(), "the disassembly assembles to other bytes")

    def bad(self, relative, folder):
        object_path = os.path.join(folder, "bad.ptob")
        done = self.run(*pto.options_of(os.path.join(HERE, relative)), "-o", object_path, relative)
        self.check(relative, done.code == 1, f"exit status {done.code}, not 1")
        self.check(relative, not os.path.exists(object_path), "an object was written")
        self.compare(relative, os.path.join(HERE, relative[:-4] + ".diag"), done.err)

    def cases(self, kind):
        folder = os.path.join(HERE, kind)
        for file in sorted(os.listdir(folder)):
            if file.endswith(".pto"):
                self.count += 1
                with tempfile.TemporaryDirectory() as scratch:
                    getattr(self, kind)(f"{kind}/{file}", scratch)

    def kernels(self, root):
        library = os.path.join(root, "lib")
        for folder, _, files in sorted(os.walk(root)):
            for file in sorted(files):
                path = os.path.join(folder, file)
                if not file.endswith(".pto") or not has_kernel(path):
                    continue
                self.count += 1
                with tempfile.TemporaryDirectory() as scratch:
                    object_path = os.path.join(scratch, "a.ptob")
                    options = pto.options_of(path) + ["-I", library]
                    done = self.run(*options, "-o", object_path, path)
                    if self.check(path, done.code == 0, done.err):
                        self.round_trip(path, options, object_path, scratch)

    def manual(self, path):
        """Code blocks of the language reference: whole texts, or parts of a core."""
        with open(path, encoding="utf-8") as file:
            blocks = re.findall(r"^```pto( core)?\n(.*?)^```", file.read(), re.M | re.S)
        self.check(path, len(blocks) > 5, "no code blocks found")
        for number, (core, text) in enumerate(blocks, 1):
            self.count += 1
            with tempfile.TemporaryDirectory() as scratch:
                source = os.path.join(scratch, f"block{number}.pto")
                with open(source, "w", encoding="utf-8") as file:
                    file.write(PRELUDE + text if core else text)
                object_path = os.path.join(scratch, "a.ptob")
                done = self.run("-o", object_path, source)
                if self.check(path, done.code == 0, done.err):
                    self.round_trip(path, [], object_path, scratch)

    def coverage(self):
        """Every message that the sources can produce stands in some expectation."""
        expected = ""
        for file in os.listdir(os.path.join(HERE, "bad")):
            if file.endswith(".diag"):
                with open(os.path.join(HERE, "bad", file), encoding="utf-8") as text:
                    expected += text.read()
        found = list(messages(pto.source("assembler"), "**/*.[cly]", SAID, 1))
        self.check("coverage", len(found) > 150, f"only {len(found)} messages in the sources")
        for where, message in found:
            self.count += 1
            self.check("coverage", re.search("(error|note): " + pattern(message), expected, re.M),
                       f"{where}: no bad case shows '{message}'")
        self.coverage_of_misfits(expected)

    def coverage_of_misfits(self, expected):
        """What the assembler and the verifier both say: shown by a case of one of them."""
        with open(pto.source("tests", "unit", "isa_verify_cases.def"), encoding="utf-8") as file:
            expected += re.sub(r'"\s*\n\s*"', "", file.read()).replace('",', "\n")
        found = [m for m in messages(pto.source("isa"), "fit*.c", MISFIT, 3) if " " in m[1].strip()]
        self.check("coverage", len(found) > 30, f"only {len(found)} messages of isa/fit*.c")
        for where, message in found:
            self.count += 1
            self.check("coverage", re.search(r"(\w|:) " + pattern(message), expected, re.M),
                       f"{where}: no case shows '{message}'")


# What the fragments of the language reference take for granted.
PRELUDE = """
.kernel fragment
.param n : i64
.inout ids : i32[n, 4]
.out c : f32[n]
.sym acc : f32[n]
.signal ready[2]
.core aiv
.tile wide : ub f32[1, 128]
.tile wide2 : ub f32[1, 128]
.tile half : ub f16[1, 128]
.tile slots[2] : ub f32[1, 64]
.tile part : f32[1, 8] of slots
.local counts : i64[8]
    %s = 1
    %t = 2
    %off = 3
    %len = 4
    %left = 0
    %round = 5
"""

# Limits that only texts of many megabytes reach, or very many errors (tests/trust/bombs_test.py).
UNREACHED = ("too many words and signs", "too many errors", "too many statements behind",
             "is larger than", "more than %d instructions", "at most %d tiles",
             "at most %d local arrays", "at most %d labels",
             "at most %d kernels", "at most %d global objects", "%s needs the pipe",
             # Of --format: run_format.py, and what only a bug of its own would reach.
             "has a layout of its own", "this would be another text")


# Functions that say something.
SAID = r"(?:asm|text)_(?:error|error_expr|note)|lex_error|pto_diag_add"
MISFIT = r"misfit_in|misfit_about|wrong"


def pattern(message):
    """A message to the end of its line, whatever is filled in."""
    return re.escape(re.sub(r"%[0-9.]*l*[a-z]", "\0", message)).replace("\0", ".*?") + "$"


def messages(folder, files, functions, most):
    """(file, text) of the first `most` texts of each call of the functions."""
    call = re.compile(r"\b(?:" + functions + r")\(((?:[^;]|\n)*?);")
    for path in sorted(glob.glob(os.path.join(folder, files), recursive=True)):
        file = os.path.relpath(path, folder)
        if not file.startswith("cli" + os.sep):
            with open(path, encoding="utf-8") as text:
                source = text.read()
            for match in call.finditer(source):
                body = match.group(1).replace("PRIu64", '"llu"').replace("PRId64", '"lld"')
                body = body.replace("PRIx64", '"llx"')
                found = re.findall(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*', body)
                for group in found[:most]:
                    literal = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', group))
                    literal = literal.replace("\\\"", "\"").replace("\\\\", "\\")
                    literal = literal.replace("%%", "\1")
                    if literal not in ("%s", "") and not any(u in literal for u in UNREACHED):
                        yield file, literal.replace("\1", "%")


def is_define(options, i):
    return options[i] == "-D" or (i > 0 and options[i - 1] == "-D")


def has_kernel(path):
    with open(path, encoding="utf-8") as file:
        return re.search(r"^\s*\.kernel\b", file.read(), re.M) is not None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    cases = Cases(parser.parse_args().update)
    cases.cases("good")
    cases.cases("bad")
    cases.coverage()
    cases.kernels(pto.source("kernels"))
    cases.manual(pto.source("docs", "language.md"))
    print(f"{cases.count} cases, {cases.failures} failures")
    return 1 if cases.failures else 0


if __name__ == "__main__":
    sys.exit(main())
