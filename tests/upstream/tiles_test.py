"""Tiles of upstream's text: what two names of the same bytes see of each other."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
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

    def test_rows_are_taken_apart_and_put_together(self):
        """In upstream's order: even elements first, the first half first."""
        for sources in (1, 2):
            f = Function()
            names = [f.pointer(name, "f32") for name in "abcdef"]
            ins = [f.loaded(name, 4, 128 // sources) for name in names[:sources]]
            halves = [f.tile(vec(4, 64, "f32")) for _ in range(2)]
            whole = [f.tile(vec(4, 64, "f32")) for _ in range(2)]
            f.op("tdeinterleave", ins, halves)
            f.op("tinterleave", halves, whole)
            for name, result in zip(names[2:], halves + whole):
                f.store(result, f.whole(name, 4, 64))
            row = self.floats(4, 128)
            given = {"a": row} if sources == 1 else {"a": row[:, :64], "b": row[:, 64:]}
            want = {"c": row[:, ::2], "d": row[:, 1::2], "e": row[:, :64], "f": row[:, 64:]}
            given.update({name: np.zeros((4, 64), np.float32) for name in want})
            self.check(module("a5", f), given, want, "--cores", "1")

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

    def test_a_function_changes_the_valid_region_of_a_tile_it_is_given(self):
        kind = vec(8, 64, "f32", valid="?x?")
        cut, f = Function("cut"), Function()
        cut.set_valid(cut.argument("t", kind), cut.argument("rows", "index"), 32)
        x, y, n = f.pointer("x", "f32"), f.pointer("y", "f32"), f.argument("n", "index")
        t = f.load(f.whole(x, 8, 64), f.tile(kind, rows=f.number(8), cols=f.number(64)))
        f.line("call @cut(%s, %s) : (%s, index) -> ()" % (t, n, kind))
        f.store(t, f.whole(y, 8, 64))
        given = self.floats(8, 64)
        for rows in (0, 3, 8):
            want = np.zeros_like(given)
            want[:rows, :32] = given[:rows, :32]
            self.check(module("a3", cut, f), {"x": given, "y": np.zeros_like(given)}, {"y": want},
                       "--set", "n=%d" % rows)

    def test_elements_that_a_pattern_or_an_index_chooses(self):
        patterns = {"P0101": slice(0, None, 2), "P1010": slice(1, None, 2), "P1111": slice(None),
                    "P0001": slice(0, None, 4), "P0100": slice(2, None, 4)}
        given = self.floats(4, 64)
        for name, chosen in patterns.items():
            f = Function()
            x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
            want = given[:, chosen]
            t = f.tile(vec(4, want.shape[1], "f32"))
            f.op("tgather", [f.loaded(x, 4, 64)], [t],
                 inside="{maskPattern = #pto.mask_pattern<%s>}" % name)
            f.store(t, f.whole(y, *want.shape))
            self.check(module("a3", f), {"x": given, "y": np.zeros_like(want)}, {"y": want})
        f = Function()
        x, i, y = f.pointer("x", "f32"), f.pointer("i", "i32"), f.pointer("y", "f32")
        t = f.tile(vec(1, 64, "f32"))
        f.op("texpands", [f.number(0.0, "f32")], [t])
        f.op("tscatter", [f.loaded(x, 1, 64), f.loaded(i, 1, 64)], [t])
        f.store(t, f.whole(y, 1, 64))
        place = self.random.permutation(64).astype(np.int32)
        want = np.zeros(64, np.float32)
        want[place] = given[0]
        self.check(module("a5", f), {"x": given[0], "i": place, "y": np.zeros_like(want)},
                   {"y": want})

    def test_blocks_that_pypto_appends_to_the_arguments(self):
        f = Function()
        x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
        for name, short in (("idx", "%first"), ("num", "%step")):
            f.line("%s = arith.index_cast %s : i32 to index" % (
                short, f.argument("__pypto_spmd_block_" + name, "i32")))
        t = f.tile(vec(1, 64, "f32"))
        f.line("scf.for %%i = %%first to %s step %%step {" % f.number(7))
        f.load(f.part(f.view(x, [7, 64]), ["%i", 0], [1, 64]), t)
        f.op("tadds", [t, f.number(1.0, "f32")], [t])
        f.store(t, f.part(f.view(y, [7, 64]), ["%i", 0], [1, 64]))
        f.line("}")
        given = self.floats(7, 64)
        for cores in "13":
            self.check(module("a3", f), {"x": given, "y": np.zeros_like(given)},
                       {"y": given + np.float32(1)}, "--cores", cores)

    def test_windows_end_with_their_view_or_with_the_buffer(self):
        f = Function()
        x, y, row = f.pointer("x", "f32"), f.pointer("y", "f32"), f.argument("row", "index")
        t = f.load(f.part(f.view(x, [4, 64]), [row, 0], [1, 64]), f.tile(vec(1, 64, "f32")))
        f.store(t, f.whole(y, 1, 64))
        given, text = self.floats(8, 64), module("a3", f)
        for options in (("--set", "row=3"), ("--set", "row=6", "--views", "buffer")):
            self.check(text, {"x": given, "y": np.zeros((1, 64), np.float32)},
                       {"y": given[int(options[1][4:])][None]}, *options)
        line = pto.line_of(self.path("k.pto"), "pto.tload")
        for options, told in (((6,), "index 6 in dimension 0 of 'x_view', which has 4 elements"),
                              ((8, "--views", "buffer"), "window {1, 64} of 'x_view' is bytes 2048 "
                               "to 2303 of an object of 2048")):
            done = pto.ptovm("run", self.path("k.pto"), "--in", "x=%s.npy" % self.path("x"), "--in",
                             "y=zeros", "--set", "row=%d" % options[0], *options[1:])
            self.assertEqual(done.code, 1)
            self.assertIn("k.pto:%d:5: fault: %s" % (line, told), done.err)

    def test_sides_of_a_diagonal(self):
        for behind, side in (("", 0), (" {upperOrLower = 0 : i32}", 0),
                             (" {upperOrLower = 1 : i32}", 1)):
            f = Function()
            y, n = f.pointer("y", "i32"), f.argument("n", "i32")
            t = f.tile(vec(8, 16, "i32"))
            f.op("ttri", [n], [t], behind=behind)
            f.store(t, f.whole(y, 8, 16))
            for at in (-3, 0, 5):
                want = 1 - np.tri(8, 16, at - 1) if side else np.tri(8, 16, at)
                for arch in ("a3", "a5"):
                    self.check(module(arch, f), {"y": np.zeros((8, 16), np.int32)},
                               {"y": want.astype(np.int32)}, "--set", "n=%d" % at)


if __name__ == "__main__":
    unittest.main()
