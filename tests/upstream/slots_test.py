"""Tiles of several slots (multi_tile_buf) and arrays of the scalar unit, in upstream text."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
from writing import Case  # noqa: E402

SLOTS = pto.source("tests", "upstream", "kernels", "slots.pto")


class Slots(Case):
    def text(self):
        with open(SLOTS, encoding="utf-8") as file:
            return file.read()

    def test_slots_in_turn(self):
        for n in (0, 1, 2, 7):
            x = self.floats(n + 1, 4, 64)
            y, z = np.zeros_like(x), np.zeros_like(x)
            y[:n, :3] = x[:n, :3] * x[:n, :3]
            z[:n] = x[:n] + x[1:]
            self.check(self.text(), {"x": x, "y": 0 * y, "z": 0 * z}, {"y": y, "z": z},
                       "--set", "n=%d" % n)

    def test_a_slot_that_there_is_not(self):
        path = self.write(self.text().replace("%k1 = arith.remui %next, %c2", "%k1 = arith.addi "
                                              "%i, %c1"))
        done = pto.ptovm("run", path, "--set", "n=3", "--in", "x=zeros", "--in", "y=zeros", "--in",
                         "z=zeros")
        line = pto.line_of(path, "outs(%b :")
        self.assertEqual(done.code, 1)
        self.assertIn("k.pto:%d:7: fault: slot 2 of tile 'in' with 2 slots" % line, done.err)


if __name__ == "__main__":
    unittest.main()
