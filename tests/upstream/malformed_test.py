"""Malformed upstream text: what is told of every text of malformed.txt, all of it, in order."""

import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

TILE = "!pto.tile_buf<vec, 32x32xf32>"
WINDOW = "!pto.partition_tensor_view<32x32xf32>"
VIEW = "!pto.tensor_view<?x?xf32>"
HEAD = """module {
  func.func @k(%p: !pto.ptr<f32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %v = pto.make_tensor_view %p, shape = [%c32, %c32], strides = [%c32, %c1] : $V
    %w = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c32, %c32] : $V -> $W
    %a = pto.alloc_tile : $T
"""
TAIL = """    return
  }
}
"""
CASE = re.compile(r"(?ms)^## ([^\n]*)\n(.*?)^((?:=> [^\n]*\n|   hint: [^\n]*\n)+)")


def told(path, messages):
    """Messages without the path and the quoted lines, as malformed.txt has them."""
    lines = []
    for line in messages.splitlines():
        if line.startswith(path + ":"):
            lines.append("=> " + line[len(path) + 1:].replace(" error: ", " ", 1).rstrip())
        elif line.startswith("  hint: "):
            lines.append(" " + line)
    return lines


class Malformed(unittest.TestCase):
    def test_each(self):
        with open(pto.source("tests", "upstream", "malformed.txt"), encoding="utf-8") as file:
            text = file.read()
        cases = CASE.findall(text)
        self.assertEqual(len(cases), text.count("\n## "))
        self.assertGreater(len(cases), 200)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.pto")
            for name, body, expected in cases:
                whole = body if body.startswith("module") else HEAD + body + TAIL
                with self.subTest(name):
                    with open(path, "w", encoding="utf-8") as file:
                        for short, full in (("$T", TILE), ("$W", WINDOW), ("$V", VIEW)):
                            whole = whole.replace(short, full)
                        file.write(whole)
                    done = pto.ptoas(path, "-o", os.path.join(folder, "out"))
                    self.assertEqual(done.code, 1)
                    self.assertEqual(told(path, done.err), expected.splitlines())


if __name__ == "__main__":
    unittest.main()
