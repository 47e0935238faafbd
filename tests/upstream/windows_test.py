"""Windows of more than two dimensions: the tile has their matrices below each other, in dn beside
each other."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
from writing import Case, Function, mat, module, vec  # noqa: E402


def cut(array, at, sizes):
    return array[tuple(slice(a, a + n) for a, n in zip(at, sizes))]


class Windows(Case):
    def copied(self, shape, at, sizes, to_shape, to_at, arch="a3", behind="", **keys):
        """A window of x as a tile, its elements plus one, as a window of y."""
        f = Function()
        x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
        rows, cols = int(np.prod(sizes[:-1])), sizes[-1]
        if keys:
            rows, cols = sizes[-2], int(np.prod(sizes)) // sizes[-2]
        t = f.load(f.part(f.view(x, shape), at, sizes), f.tile(vec(rows, cols, "f32", **keys)))
        f.op("tadds", [t, f.number(1.0, "f32")], [t])
        f.store(t, f.part(f.view(y, to_shape), to_at, sizes), behind)
        given, before = self.floats(*shape), self.floats(*to_shape)
        want, moved = before.copy(), cut(given, at, sizes) + np.float32(1)
        cut(want, to_at, sizes)[...] = cut(before, to_at, sizes) + moved if behind else moved
        self.check(module(arch, f), {"x": given, "y": before}, {"y": want})

    def test_three_to_five_dimensions(self):
        self.copied((3, 8, 64), (1, 2, 16), (2, 4, 32), (2, 4, 32), (0, 0, 0))
        self.copied((2, 3, 4, 16), (0, 1, 2, 8), (2, 2, 2, 8), (3, 4, 2, 24), (1, 2, 0, 16), "a5")
        self.copied((2, 2, 3, 4, 8), (0, 1, 0, 1, 0), (2, 1, 3, 2, 8), (2, 1, 3, 2, 8), (0,) * 5)
        self.copied((4, 3, 1, 8), (1, 0, 0, 0), (3, 3, 1, 8), (3, 3, 2, 8), (0, 0, 1, 0))

    def test_columns_beside_each_other(self):
        """In dn a matrix is as many columns as it has, and their bytes lie behind each other."""
        for arch in ("a3", "a5"):
            self.copied((3, 16, 4), (1, 4, 1), (2, 8, 3), (2, 8, 3), (0, 0, 0), arch,
                        blayout="col_major")

    def test_what_is_stored_is_added(self):
        self.copied((2, 4, 16), (0, 1, 8), (2, 2, 8), (2, 4, 16), (0, 2, 0),
                    behind=" {atomicType = #pto<atomic_type atomic_add>}")

    def kernel(self, lines, kind):
        """Sizes that the run knows: %n matrices of %m rows, from the one at %at."""
        f = Function()
        x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
        n, m, at = (f.argument(name, "index") for name in ("n", "m", "at"))
        f.lines += ["    " + line for line in lines]
        rows = "%rows" if lines else n
        t = f.tile(kind, rows=rows)
        f.load(f.part(f.view(x, (6, 4, 16)), (at, 1, 8), (n, m, 8)), t)
        f.store(t, f.part(f.view(y, (16, 8)), (0, 0), (rows, 8)))
        return module("a3", f)

    def test_sizes_that_the_run_knows(self):
        text = self.kernel(["%rows = arith.muli %n, %m : index"],
                           vec(16, 8, "f32", valid="?x8"))
        given = self.floats(6, 4, 16)
        for n, m, at in ((2, 3, 4), (1, 3, 0), (5, 2, 1), (3, 1, 3)):
            want = np.zeros((16, 8), np.float32)
            want[:n * m] = given[at:at + n, 1:1 + m, 8:].reshape(-1, 8)
            with self.subTest(n=n, m=m):
                self.check(text, {"x": given, "y": np.zeros_like(want)}, {"y": want},
                           *("--set n=%d --set m=%d --set at=%d" % (n, m, at)).split())

    def fault(self, text, *options):
        np.save(self.path("x"), self.floats(6 * 4 * 16))
        done = pto.ptovm("run", self.write(text), "--in", "x=%s.npy" % self.path("x"), "--in",
                         "y=zeros", *options)
        self.assertEqual(done.code, 1)
        line = 1 + text[:text.index("pto.tload")].count("\n")
        self.assertRegex(done.err, r"^%s:%d:\d+: fault: " % (self.path("k.pto"), line))
        return done.err

    def test_a_window_that_leaves_its_view(self):
        text = self.kernel(["%rows = arith.muli %n, %m : index"],
                           vec(16, 8, "f32", valid="?x8"))
        for n, m, at in ((2, 3, 5), (2, 4, 0)):
            self.assertIn("view", self.fault(text, *("--set n=%d --set m=%d --set at=%d" % (
                n, m, at)).split()))

    def test_a_tile_of_other_rows(self):
        text = self.kernel([], vec(16, 8, "f32", valid="?x8"))
        self.assertIn("'pto.tload': the matrices of the window have as many rows as the tile's "
                      "valid region", self.fault(text, *"--set n=2 --set m=3 --set at=0".split()))

    def test_in_loops_and_of_parts_of_tiles(self):
        """Two windows beside each other in one tile, in each turn of a loop."""
        f = Function()
        x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
        whole = vec(6, 16, "f32")
        t = f.tile(whole)
        f.line("scf.for %%i = %s to %s step %s {" % tuple(map(f.number, (0, 3, 1))))
        view = f.view(x, (6, 3, 8))
        f.line("%%first = arith.muli %%i, %s : index" % f.number(2))
        for side in (0, 8):
            name = f.fresh(vec(6, 8, "f32"))
            f.line("%s = pto.subview %s[%s, %s] sizes [%s, %s] : %s -> %s" % (
                name, t, f.number(0), f.number(side), f.number(6), f.number(8), whole,
                f.type[name]))
            f.load(f.part(view, ("%first", 0, 0), (2, 3, 8)), name)
        f.op("tadd", [t, t], [t])
        f.store(t, f.part(f.view(y, (3, 2, 3, 16)), ("%i", 0, 0, 0), (1, 2, 3, 16)))
        f.line("}")
        given = self.floats(6, 3, 8)
        want = np.concatenate([given, given], -1).reshape(3, 2, 3, 16) * np.float32(2)
        self.check(module("a5", f), {"x": given, "y": np.zeros_like(want)}, {"y": want})

    def stored_in_turn(self, shape, strides):
        """The text that stores one tile as each row of a view."""
        f = Function()
        y = f.pointer("y", "f32")
        f.argument("n", "index")
        f.argument("m", "index")
        t = f.tile(vec(1, 16, "f32"))
        f.op("texpands", [f.number(1.0, "f32")], [t])
        view = f.view(y, shape, strides)
        f.line("scf.for %%i = %s to %s step %s {" % tuple(map(f.number, (0, 4, 1))))
        f.store(t, f.part(view, ("%i", 0), (1, 16)))
        f.line("}")
        return module("a3", f)

    def test_rows_behind_each_other_are_apart(self):
        """No barrier between their stores, by numbers and by arguments; rows that overlap have one,
        and strides of which nobody knows."""
        for shape, strides, barriers in (((4, 16), (16, 1), 0), (("%n", "%m"), ("%m", 1), 0),
                                         ((4, 16), (8, 1), 1), (("%n", 16), ("%m", 1), 1),
                                         ((4, "%m"), ("%n", 1), 1)):
            with self.subTest(shape=shape, strides=strides):
                text = self.stored_in_turn(shape, strides)
                done = pto.ptoas("-S", "--sync", "auto", self.write(text))
                self.assertEqual(done.code, 0, done.err)
                self.assertEqual(done.out.count("pipe_barrier MTE3"), barriers)
                want = np.ones(8 * 4 + 8 if strides[0] == 8 else 64, np.float32)
                self.check(text, {"y": np.zeros_like(want)}, {"y": want}, "--set", "n=%d" % (
                    16 if strides[0] == "%n" else 4), "--set", "m=16")

    def refused(self, text, message):
        done = pto.ptoas(self.write(text), "-o", self.path("k.ptob"))
        self.assertEqual(done.code, 1)
        self.assertIn(message, done.err)

    def test_what_is_refused(self):
        f = Function()
        x = f.pointer("x", "f16")
        f.load(f.part(f.view(x, (2, 16, 32)), (0, 0, 0), (2, 16, 32)), f.tile(mat(32, 32, "f16")))
        self.refused(module("a3", f), "goes to and from tiles in rows or columns, not in fractals")
        f = Function()
        x = f.pointer("x", "f32")
        f.load(f.part(f.view(x, (2, 16, 32)), (0, 0, 0), (2, 16, 32)), f.tile(vec(16, 32, "f32")))
        self.refused(module("a3", f), "this window has 32 rows in its matrices, the tile's valid "
                     "region 16")


if __name__ == "__main__":
    unittest.main()
