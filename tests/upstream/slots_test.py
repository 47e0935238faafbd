"""Tiles of several slots (multi_tile_buf), arrays of the scalar unit, rows of tables, in upstream
text."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
from writing import Case  # noqa: E402


class Slots(Case):
    def text(self, name="slots"):
        path = pto.source("tests", "upstream", "kernels", name + ".pto")
        with open(path, encoding="utf-8") as file:
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

    def test_arrays(self):
        x = self.random.integers(0, 7, 30).astype(np.int32)
        y, z = np.zeros((8, 2), np.int32), np.full(8, 0.5, np.float32)
        for k in range(8):
            at = np.flatnonzero(x == k)
            y[k] = len(at), at[-1] if len(at) else -1
            z[k] *= 2 ** len(at)
        self.check(self.text("counts"), {"x": x, "y": 0 * y, "z": 0 * z}, {"y": y, "z": z},
                   "--set", "n=30")

    def test_an_element_that_there_is_not(self):
        path = self.write(self.text("counts"))
        done = pto.ptovm("run", path, "--set", "n=4", "--set", "x_size=4", "--in", "x=const:9",
                         "--set", "y_size=16", "--set", "z_size=8", "--in", "y=zeros", "--in",
                         "z=zeros")
        line = pto.line_of(path, "%before = pto.local_array_get")
        self.assertEqual(done.code, 1)
        self.assertIn("k.pto:%d:17: fault: assertion failed: index 1 of 'seen' is 0 to 7" % line,
                      done.err)

    def test_rows_of_tables(self):
        x = self.floats(10, 16)
        which = np.array([3, 9, 0, 3, 12, 1, 1, 8], np.int32) # there is no row 12
        y, z = self.floats(10, 16), self.floats(160)
        after, line, found = y.copy(), z.copy(), np.zeros((8, 16), np.float32)
        for i, row in enumerate(which):
            if row < 10:
                found[i] = x[row]
                after[row] += x[row] + np.float32(1)
        line[which] = x.reshape(-1)[which]
        self.check(self.text("rows"), {"x": x, "which": which, "y": y, "z": z, "w": 0 * found},
                   {"y": after, "z": line, "w": found})


if __name__ == "__main__":
    unittest.main()
