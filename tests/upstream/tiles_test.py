"""Tiles of upstream's text: what two names of the same bytes see of each other."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402,F401
from writing import Case, Function, acc, left, mat, module, right, tile, vec  # noqa: E402


class Tiles(Case):
    def test_each_name_of_a_tile_has_its_own_valid_region(self):
        f = Function()
        x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
        kind = vec(16, 16, "f32", valid="?x?")
        a = f.load(f.whole(x, 16, 16), f.tile(kind, 0, f.number(16), f.number(16)))
        f.set_valid(a, 4, 16)
        b = f.tile(kind, 0, f.number(16), f.number(16))
        f.set_valid(b, 12, 16)
        f.op("tadds", [a, f.number(1.0, "f32")], [a])
        f.store(b, f.whole(y, 16, 16))
        given = self.floats(16, 16)
        want = np.where(np.arange(16)[:, None] < 4, given + np.float32(1), given)
        want[12:] = 0
        self.check(module("a5", f), {"x": given, "y": np.zeros_like(given)}, {"y": want})

    def test_a_factor_is_read_across(self):
        """Fractals by columns, seen as fractals by rows, are the transposed matrix."""
        for arch in ("a3", "a5"):
            for element, kind, result in (("i8", np.int8, "i32"), ("f16", np.float16, "f32")):
                with self.subTest(arch=arch, element=element):
                    f = Function()
                    a, b, c = (f.pointer(name, of) for name, of in zip(
                        "abc", (element, element, result)))
                    am = f.load(f.whole(a, 16, 64), f.tile(mat(16, 64, element), 0))
                    f.load(f.whole(b, 32, 64), f.tile(mat(32, 64, element), 8192))
                    across = f.tile(tile("mat", 64, 32, element, blayout="row_major",
                                         slayout="col_major"), 8192)
                    factors = [f.tile(left(16, 32, element), 0), f.tile(right(32, 32, element), 0)]
                    total = f.tile(acc(16, 32, result), 0)
                    for k in (0, 32):
                        f.op("textract", [am, f.number(0), f.number(k)], factors[:1])
                        f.op("textract", [across, f.number(k), f.number(0)], factors[1:])
                        f.op("tmatmul" + (".acc" if k else ""), ([total] if k else []) + factors,
                             [total])
                    f.store(total, f.whole(c, 16, 32))
                    given = [self.random.integers(-5, 6, shape).astype(kind)
                             for shape in ((16, 64), (32, 64))]
                    want = (given[0].astype(np.float64) @ given[1].astype(np.float64).T).astype(
                        np.int32 if result == "i32" else np.float32)
                    self.check(module(arch, f), {"a": given[0], "b": given[1],
                                                 "c": np.zeros_like(want)}, {"c": want})


if __name__ == "__main__":
    unittest.main()
