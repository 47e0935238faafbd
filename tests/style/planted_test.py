"""The style rules notice what they forbid: violations are planted in a copy of the sources."""

import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import pto  # noqa: E402
import rooms  # noqa: E402
import rules  # noqa: E402

LONG = "int pto_long(void);\n\nint pto_long(void)\n{\n    int x = 0;\n\n%s    return x;\n}\n"


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="pto-style-")
        cls.root = cls.folder.name
        for name in ("isa", "assembler", "vm"):
            shutil.copytree(pto.source(name), os.path.join(cls.root, name))
        shutil.copy(pto.source("CMakeLists.txt"), cls.root)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def write(self, path, text, mode="w"):
        """Write or append to a file; the test puts back what was there."""
        full = os.path.join(self.root, path)
        before = None
        if os.path.exists(full):
            with open(full) as file:
                before = file.read()
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, mode) as file:
            file.write(text)
        self.addCleanup(self.put_back, full, before)

    def put_back(self, full, before):
        if before is None:
            os.remove(full)
        else:
            with open(full, "w") as file:
                file.write(before)

    def include(self, path, name):
        self.write(path, '#include "%s"\n' % name, "a")

    def found(self, rule, words, violations):
        self.assertTrue(any(r == rule and words in text for r, text in violations),
                        "no %r with %r" % (rule, words))

    def graph(self):
        return rooms.load(self.root)

    def headers(self):
        return rules.wrong_headers(self.root, os.environ.get("CC", "cc"),
                                   os.path.join(pto.BIN, "..", "assembler", "generated"))

    def test_arrows(self):
        for path, name, arrow in (("isa/dtype.c", "../vm/vm.h", "isa -> vm/vm.h"),
                                  ("vm/ops/arith.c", "machine/machine.h", "vm/ops -> vm/machine"),
                                  ("assembler/lint/lint.c", "text/lexer.h",
                                   "assembler/lint -> assembler/text"),
                                  ("vm/cli/json.c", "machine/machine.h", "vm/cli -> vm/machine")):
            with self.subTest(arrow):
                self.write("assembler/text/lexer.h", "\n")
                self.include(path, name)
                self.found("arrow " + arrow, path, rooms.wrong_arrows(self.graph()))

    def test_map(self):
        before = rooms.drawn(self.graph())
        self.include("isa/dtype.c", "../vm/ops/op.h")
        after = rooms.drawn(self.graph())
        self.assertNotIn("isa  ", before)
        self.assertRegex(after, r"(?m)^    isa +->  vm/ops$")

    def test_unknown_room(self):
        self.write("vm/attic/old.c", '#include "vm.h"\n')
        self.found("room", "vm/attic/old.c", rooms.wrong_arrows(self.graph()))

    def test_circle_of_files(self):
        self.write("vm/ops/one.c", '#include "two.h"\n')
        self.write("vm/ops/one.h", "\n")
        self.write("vm/ops/two.h", '#include "three.h"\n')
        self.write("vm/ops/three.c", '#include "one.h"\n')
        self.write("vm/ops/three.h", "\n")
        self.found("circle in vm", "vm/ops/two is in a circle of vm/ops/one, vm/ops/three, ",
                   rooms.wrong_circles(self.graph()))

    def test_circle_of_rooms(self):
        self.include("assembler/text/ast.h", "program/symbols.h")
        self.found("circle of rooms", "assembler/program, assembler/text",
                   rooms.wrong_circles(self.graph()))

    def test_header_alone(self):
        self.write("isa/lone.h", "#pragma once\nsize_t pto_lone(void);\n")
        self.found("header alone", "isa/lone.h: unknown type name", self.headers())

    def test_unused_exports(self):
        self.write("isa/spare.h", "/* For tests: gives 1. */\nint pto_tested(void);\n"
                                  "/* Gives 2. */\nint pto_spare(void);\n"
                                  "int pto_used(void);\n"
                                  "const struct pto_op_info *pto_far(void);\n")
        self.write("isa/spare.c", "int pto_spare(void)\n{\n    return pto_spare();\n}\n")
        self.write("vm/ops/arith.c", "/* pto_spare */ int x = pto_used();\n", "a")
        violations = list(rules.wrong_exports(self.root))
        self.found("unused export", "isa/spare.h: pto_spare", violations)
        self.found("unused export", "isa/spare.h: pto_far", violations)
        for name in ("pto_tested", "pto_used"):
            self.assertNotIn(("unused export", "isa/spare.h: " + name), violations)

    def test_sizes(self):
        self.write("isa/wide.def", "X(%s)\n" % ("y" * 98))
        self.write("isa/fits.def", "X(%s)\n" % ("y" * 97))
        self.write("isa/long.c", LONG % ("    x++;\n" * 55))
        self.write("isa/short.c", LONG % ("    x++;\n" * 54))
        self.write("vm/high.c", "\n" * 501)
        self.write("vm/low.c", "\n" * 500)
        self.write("tests/long.py", "def long():\n" + "    pass\n" * 60)
        violations = list(rules.wrong_sizes(self.root))
        self.found("wide line", "isa/wide.def:1 has 101 columns", violations)
        self.found("long function", "isa/long.c:3: int pto_long(void) has 61 lines", violations)
        self.found("long function", "tests/long.py:1: long has 61 lines", violations)
        self.found("long file", "vm/high.c has 501 lines", violations)
        for path in ("isa/fits.def", "isa/short.c", "vm/low.c"):
            self.assertFalse([text for _, text in violations if text.startswith(path)])


if __name__ == "__main__":
    unittest.main()
