"""An expression means the same wherever it may be written.

Every operator on pairs of awkward numbers, and random expressions, go through constant folding, the
scalar unit, branches, -D, the print and the conditions of ptodbg, and back from the text that
`ptovm info` makes of them.  The reference is golden/scalar.py."""

import re
import struct
import subprocess
import unittest

from harness import KernelTest
from pto import TIMEOUT, program
import scalar

PRINTED = re.compile(r"^rank 0, aiv0\.0, at \S+ us: (\d+) (\S+)$", re.M)
NAME = {}  # of the parameter or register that holds a number
for _i, _number in enumerate(scalar.INTS):
    NAME[repr(_number)] = "n%d" % _i
for _i, _number in enumerate(scalar.FLOATS):
    NAME[repr(_number)] = "x%d" % _i


def bare(number):
    return NAME[repr(number)]


def register(number):
    return "%" + bare(number)


def result(tree):
    """The value, or the pattern of the message that takes its place."""
    try:
        return scalar.value(tree), None
    except scalar.NoResult as why:
        return None, str(why)


TREES = scalar.pairs() + scalar.random_trees(seed=1, count=600, depth=4)
GOOD = [tree for tree in TREES if result(tree)[1] is None]
# Where the condition is known, nobody looks at the arm that is not chosen.
FAULTY = [tree for tree in TREES if result(tree)[1] and not scalar.chooses(tree)]
SOME_FAULTY = FAULTY[::max(1, len(FAULTY) // 60)]


def same(text, want):
    """Does a printed number stand for this value?  Zeros have signs, NaN has none."""
    if isinstance(want, int):
        return text == str(want)
    if want != want:
        return text == "nan"
    try:
        return struct.pack("d", float(text)) == struct.pack("d", want)
    except ValueError:
        return False


def kernel(lines, declarations=()):
    return "\n".join([".kernel k", ".mix 1:1", *declarations, ".core aiv", *lines, ""])


def in_registers():
    """Lines that put every number into the register of its name."""
    return ["    %%%s = %s" % (name, number) for number, name in NAME.items()]


def prints(expressions):
    return ['    print "%d", %s' % (i, text) for i, text in enumerate(expressions)]


class ScalarTest(KernelTest):
    def printed(self, *arguments):
        """Number of the expression -> what was printed for it."""
        out = self.run_ok("--cores", 1, "-q", "run", *arguments).out
        return {int(number): value for number, value in PRINTED.findall(out)}

    def compare(self, got, trees, text=scalar.text):
        wrong = ["%s: %s, not %r" % (text(tree), got.get(i), scalar.value(tree))
                 for i, tree in enumerate(trees) if not same(got.get(i, "nothing"),
                                                             scalar.value(tree))]
        if wrong:
            self.fail("%d of %d differ:\n%s" % (len(wrong), len(trees), "\n".join(wrong[:20])))

    def compare_messages(self, messages, trees):
        wrong = ["%s: %r, not %r" % (scalar.text(tree), got, result(tree)[1])
                 for tree, got in zip(trees, messages) if not re.search(result(tree)[1], got)]
        if wrong:
            self.fail("%d of %d differ:\n%s" % (len(wrong), len(trees), "\n".join(wrong[:20])))

    # ---- the assembler ----

    def test_folding(self):
        lines = [".equ e%d = %s" % (i, scalar.text(tree)) for i, tree in enumerate(GOOD)]
        lines += prints("e%d" % i for i in range(len(GOOD)))
        self.compare(self.printed(self.write("k.pto", kernel(lines))), GOOD)

    def test_folding_without_result(self):
        lines = [".equ e%d = %s" % (i, scalar.text(tree)) for i, tree in enumerate(FAULTY)]
        path = self.write("k.pto", kernel(lines))
        done = subprocess.run([program("ptoas"), "--max-errors", "0", "-o", "/dev/null",
                               path], capture_output=True, text=True, timeout=TIMEOUT)
        messages = [""] * len(FAULTY)
        for line, message in re.findall(r"k\.pto:(\d+):\d+: error: (.*)", done.stderr):
            messages[int(line) - 4] += message + "\n"
        self.compare_messages(messages, FAULTY)

    def test_command_line(self):
        trees = GOOD[::40]
        defines = ["-De%d=%s" % (i, scalar.text(tree)) for i, tree in enumerate(trees)]
        lines = [".define e%d = 0" % i for i in range(len(trees))]
        lines += prints("e%d" % i for i in range(len(trees)))
        self.compare(self.printed(self.write("k.pto", kernel(lines)), *defines), trees)

    # ---- the machine ----

    def test_machine(self):
        lines = in_registers() + prints(scalar.text(tree, register) for tree in GOOD)
        self.compare(self.printed(self.write("k.pto", kernel(lines))), GOOD)

    def test_machine_without_result(self):
        messages = []
        for tree in SOME_FAULTY:
            lines = in_registers() + prints([scalar.text(tree, register)])
            messages.append(self.run_bad(1, "--cores", 1, "run",
                                         self.write("k.pto", kernel(lines))))
        self.compare_messages(messages, SOME_FAULTY)

    def test_branches(self):
        lines = in_registers()
        for i, tree in enumerate(GOOD):
            lines += ["    .if %s" % scalar.text(tree, register), '    print "%d", 1' % i,
                      "    .endif"]
        got = self.printed(self.write("k.pto", kernel(lines)))
        wrong = [scalar.text(tree) for i, tree in enumerate(GOOD)
                 if (i in got) != bool(scalar.value(tree))]
        self.assertEqual(wrong[:20], [])

    # ---- and back from what `info` shows ----

    def test_info(self):
        trees = GOOD[::5]
        numbers = ["%s = %s" % (name, number) for number, name in NAME.items()]
        texts = []
        for first in range(0, len(trees), 200):
            part = trees[first:first + 200]
            declarations = [".param %s : %s = %s" % (name, "i64" if name[0] == "n" else "f64",
                                                     number) for number, name in NAME.items()]
            declarations += [".param r%d : f64 = %s" % (i, scalar.text(tree, bare))
                             for i, tree in enumerate(part)]
            info = self.run_ok("info", self.write("k.pto", kernel([], declarations))).out
            texts += re.findall(r"^  param   r\d+ : f64 = (.*)$", info, re.M)
        self.assertEqual(len(texts), len(trees))
        lines = [".equ " + number for number in numbers]
        lines += [".equ e%d = %s" % (i, text) for i, text in enumerate(texts)]
        lines += prints("e%d" % i for i in range(len(trees)))
        got = self.printed(self.write("k.pto", kernel(lines)))
        self.compare(got, [("float", tree) for tree in trees])

    # ---- the debugger ----

    def ptodbg(self, commands):
        kernel_path = self.write("d.pto", kernel(in_registers() + ["ready:", "    end"]))
        script = self.write("d.cmd", "\n".join(["break ready", "run", *commands, ""]))
        done = subprocess.run([program("ptodbg"), "--batch", "--cores", "1", kernel_path,
                               "-x", script], capture_output=True, text=True, timeout=TIMEOUT)
        return done.returncode, done.stdout, done.stderr

    def compare_debugger(self, trees, leaf):
        texts = [scalar.text(tree, leaf) for tree in trees]
        code, out, err = self.ptodbg("print " + text for text in texts)
        self.assertEqual((code, err), (0, ""), out[-500:])
        values = dict(line.rsplit(" = ", 1) for line in out.splitlines() if " = " in line)
        got = {i: values.get(text) for i, text in enumerate(texts)}
        self.compare(got, trees)

    def test_debugger_literals(self):
        self.compare_debugger(GOOD, repr)

    def test_debugger_registers(self):
        self.compare_debugger(GOOD, register)

    def test_debugger_bare_registers(self):
        self.compare_debugger(GOOD, bare)

    def test_debugger_without_result(self):
        messages = []
        for tree in SOME_FAULTY:
            code, out, _ = self.ptodbg(["print " + scalar.text(tree, register)])
            self.assertEqual(code, 2)
            messages.append(re.search("^error: (.*)$", out, re.M).group(1))
        self.compare_messages(messages, SOME_FAULTY)

    def test_debugger_conditions(self):
        for tree in GOOD[::400]:
            want = bool(scalar.value(tree))
            code, out, _ = self.ptodbg(["delete", "break ready if " + scalar.text(tree, bare),
                                        "run"])
            self.assertEqual(code, 0, out)
            self.assertEqual("Breakpoint 2, " in out, want, scalar.text(tree))


if __name__ == "__main__":
    unittest.main()
