"""Tiles that loops carry and branches give: which one it is, only the run knows."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
from writing import Case, Function, module, vec  # noqa: E402

KIND = vec(8, 32, "f32")
OPEN = vec(8, 32, "f32", valid="?x?")


class Carried(Case):
    def begin(self):
        f = Function()
        x, y, n = f.pointer("x", "f32"), f.pointer("y", "f32"), f.argument("n", "index")
        return f, f.view(x, [64, 32]), f.view(y, [64, 32]), n

    def finish(self, f, n, want, given, arches=("a3", "a5")):
        for arch in arches:
            self.check(module(arch, f), {"x": given, "y": np.zeros((64, 32), np.float32)},
                       {"y": want}, "--set", "n=%d" % n)

    def row(self, f, i):
        """The first of eight rows of a turn."""
        name = f.fresh("index")
        f.line("%s = arith.muli %s, %s : index" % (name, i, f.number(8)))
        return name

    def open_pair(self, f, xs):
        """Two tiles full of rows, with valid regions that the run may change."""
        pair = [f.tile(OPEN, rows=f.number(8), cols=f.number(32)) for _ in range(2)]
        for at, each in enumerate(pair):
            f.load(f.part(xs, [8 * at, 0], [8, 32]), each)
        return pair

    def known(self, f, *names):
        for name in names:
            f.type[name] = KIND

    def test_one_tile_is_carried_through_a_loop(self):
        """Destination-passing style: the sum is the same tile in every turn."""
        f, xs, ys, n = self.begin()
        t, total = f.tile(KIND), f.tile(KIND)
        self.known(f, "%acc", "%sum")
        f.op("texpands", [f.number(0.0, "f32")], [total])
        f.line("%%sum = scf.for %%i = %s to %s step %s iter_args(%%acc = %s) -> (%s) {" % (
            f.number(0), n, f.number(1), total, KIND))
        f.load(f.part(xs, [self.row(f, "%i"), 0], [8, 32]), t)
        f.op("tadd", ["%acc", t], ["%acc"])
        f.line("scf.yield %%acc : %s" % KIND)
        f.line("}")
        f.store("%sum", f.part(ys, [0, 0], [8, 32]))
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        for turns in (0, 1, 5, 8):
            want = np.zeros_like(given)
            want[:8] = given.reshape(8, 8, 32)[:turns].sum(axis=0)
            self.finish(f, turns, want, given)
        self.assertNotIn("which", pto.ptoas("-S", self.path("k.pto")).out)

    def test_two_tiles_change_places(self):
        f, xs, ys, n = self.begin()
        one, two, three = (f.tile(KIND) for _ in range(3))
        self.known(f, "%a", "%b", "%last#0", "%last#1")
        f.op("texpands", [f.number(3.0, "f32")], [one])
        f.op("texpands", [f.number(5.0, "f32")], [two])
        f.line("%%last:2 = scf.for %%i = %s to %s step %s iter_args(%%a = %s, %%b = %s) -> "
               "(%s, %s) {" % (f.number(0), n, f.number(1), one, two, KIND, KIND))
        f.load(f.part(xs, [self.row(f, "%i"), 0], [8, 32]), three)
        f.op("tadd", ["%a", three], ["%a"])
        f.line("scf.yield %%b, %%a : %s, %s" % (KIND, KIND))
        f.line("}")
        f.store("%last#0", f.part(ys, [0, 0], [8, 32]))
        f.store("%last#1", f.part(ys, [8, 0], [8, 32]))
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        for turns in (0, 1, 2, 7, 8):
            a, b = np.full((8, 32), 3, np.float32), np.full((8, 32), 5, np.float32)
            for i in range(turns):
                a, b = b, a + given[8 * i:8 * i + 8]
            want = np.zeros_like(given)
            want[:8], want[8:16] = a, b
            self.finish(f, turns, want, given)

    def test_tiles_of_the_body_and_of_loops_in_loops(self):
        """What the body makes is carried into the next turn; the loop inside carries it on."""
        f, xs, ys, n = self.begin()
        first = f.tile(KIND)
        self.known(f, "%a", "%b", "%in", "%out", "%last")
        f.op("texpands", [f.number(1.0, "f32")], [first])
        f.line("%%last = scf.for %%i = %s to %s step %s iter_args(%%a = %s) -> (%s) {" % (
            f.number(0), n, f.number(1), first, KIND))
        f.line("%%out = scf.for %%j = %s to %s step %s iter_args(%%in = %%a) -> (%s) {" % (
            f.number(0), f.number(3), f.number(1), KIND))
        made, other = f.tile(KIND), f.tile(KIND)
        f.load(f.part(xs, [self.row(f, "%j"), 0], [8, 32]), other)
        f.op("tadd", ["%in", other], [made])
        f.line("scf.yield %s : %s" % (made, KIND))
        f.line("}")
        again = f.tile(KIND)
        f.op("tmuls", ["%out", f.number(2.0, "f32")], [again])
        f.line("scf.yield %s : %s" % (again, KIND))
        f.line("}")
        f.store("%last", f.part(ys, [0, 0], [8, 32]))
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        for turns in (0, 1, 4):
            value = np.ones((8, 32), np.float32)
            for _ in range(turns):
                value = 2 * (value + given[:8] + given[8:16] + given[16:24])
            want = np.zeros_like(given)
            want[:8] = value
            self.finish(f, turns, want, given)

    def test_a_branch_gives_one_of_two_tiles(self):
        f, xs, ys, n = self.begin()
        one, two = (f.load(f.part(xs, [8 * i, 0], [8, 32]), f.tile(KIND)) for i in range(2))
        self.known(f, "%t", "%u")
        f.line("%%c = arith.cmpi slt, %s, %s : index" % (n, f.number(4)))
        f.line("%%t = scf.if %%c -> (%s) {" % KIND)
        made = f.tile(KIND)
        f.op("tadds", [one, f.number(7.0, "f32")], [made])
        f.line("scf.yield %s : %s" % (made, KIND))
        f.line("} else {")
        f.line("%%d = arith.cmpi slt, %s, %s : index" % (n, f.number(6)))
        f.line("%%u = scf.if %%d -> (%s) {" % KIND)
        f.line("scf.yield %s : %s" % (one, KIND))
        f.line("} else {")
        f.line("scf.yield %s : %s" % (two, KIND))
        f.line("}")
        f.line("scf.yield %%u : %s" % KIND)
        f.line("}")
        f.store("%t", f.part(ys, [0, 0], [8, 32]))
        f.op("tadd", ["%t", two], ["%t"])
        f.store("%t", f.part(ys, [8, 0], [8, 32]))
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        for number in (0, 5, 9):
            t = (given[:8] + 7) if number < 4 else given[:8] if number < 6 else given[8:16]
            want = np.zeros_like(given)
            want[:8], want[8:16] = t, t + given[8:16]
            self.finish(f, number, want, given)

    def test_a_while_loop_carries_tiles(self):
        f, xs, ys, n = self.begin()
        one, two = (f.load(f.part(xs, [8 * i, 0], [8, 32]), f.tile(KIND)) for i in range(2))
        self.known(f, "%a", "%b", "%c", "%d", "%last#1", "%last#2")
        types = "(index, %s, %s)" % (KIND, KIND)
        f.line("%%last:3 = scf.while (%%i = %s, %%a = %s, %%b = %s) : %s -> %s {" % (
            f.number(0), one, two, types, types))
        f.line("%%go = arith.cmpi slt, %%i, %s : index" % n)
        f.line("scf.condition(%%go) %%i, %%a, %%b : index, %s, %s" % (KIND, KIND))
        f.line("} do {")
        f.line("^bb0(%%j: index, %%c: %s, %%d: %s):" % (KIND, KIND))
        f.op("tadds", ["%c", f.number(1.0, "f32")], ["%c"])
        f.line("%%k = arith.addi %%j, %s : index" % f.number(1))
        f.line("scf.yield %%k, %%d, %%c : index, %s, %s" % (KIND, KIND))
        f.line("}")
        f.store("%last#1", f.part(ys, [0, 0], [8, 32]))
        f.store("%last#2", f.part(ys, [8, 0], [8, 32]))
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        for turns in (0, 1, 4, 5):
            a, b = given[:8], given[8:16]
            for _ in range(turns):
                a, b = b, a + 1
            want = np.zeros_like(given)
            want[:8], want[8:16] = a, b
            self.finish(f, turns, want, given)

    def test_valid_regions_go_with_the_tiles(self):
        f, xs, ys, n = self.begin()
        one, two = self.open_pair(f, xs)
        f.set_valid(one, 3, 32)
        f.set_valid(two, 8, 16)
        for name in ("%a", "%b", "%last#0", "%last#1"):
            f.type[name] = OPEN
        f.line("%%last:2 = scf.for %%i = %s to %s step %s iter_args(%%a = %s, %%b = %s) -> "
               "(%s, %s) {" % (f.number(0), n, f.number(1), one, two, OPEN, OPEN))
        f.op("tadds", ["%a", f.number(1.0, "f32")], ["%a"])
        f.line("scf.yield %%b, %%a : %s, %s" % (OPEN, OPEN))
        f.line("}")
        f.store("%last#0", f.part(ys, [0, 0], [8, 32]))
        f.store("%last#1", f.part(ys, [8, 0], [8, 32]))
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        for turns in (0, 1, 2, 3):
            pair = [(given[:8], 3, 32), (given[8:16], 8, 16)]
            for _ in range(turns):
                (a, rows, cols), other = pair
                pair = [other, (a + 1, rows, cols)]
            want = np.zeros_like(given)
            for at, (a, rows, cols) in enumerate(pair):
                want[8 * at:8 * at + rows, :cols] = a[:rows, :cols]
            self.finish(f, turns, want, given)

    def test_a_valid_region_that_is_set_on_what_a_branch_gives(self):
        """It is that of the value; both tiles keep theirs."""
        f, xs, ys, n = self.begin()
        one, two = self.open_pair(f, xs)
        f.type["%t"] = OPEN
        f.line("%%c = arith.cmpi slt, %s, %s : index" % (n, f.number(4)))
        f.line("%%t = scf.if %%c -> (%s) {" % OPEN)
        f.line("scf.yield %s : %s" % (one, OPEN))
        f.line("} else {")
        f.line("scf.yield %s : %s" % (two, OPEN))
        f.line("}")
        f.set_valid("%t", 3, 16)
        f.op("tadds", ["%t", f.number(1.0, "f32")], ["%t"])
        f.store(one, f.part(ys, [0, 0], [8, 32]))
        f.store(two, f.part(ys, [8, 0], [8, 32]))
        f.store("%t", f.part(ys, [16, 0], [8, 32]))
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        for number in (0, 9):
            first = 8 * (number > 3)
            want = np.zeros_like(given)
            want[:16] = given[:16]
            want[first:first + 3, :16] += 1
            want[16:19, :16] = want[first:first + 3, :16]
            self.finish(f, number, want, given)

    def test_a_function_returns_tiles(self):
        """One that it makes, in each call another, and one that it chooses, with a region of its
        own; a second call does not touch what the first one has returned."""
        column = vec(8, 1, "f32", blayout="col_major")
        g = Function("sums")
        g.argument("t", KIND)
        tmp, made = g.tile(KIND), g.tile(column)
        g.op("trowsum", ["%t", tmp], [made])
        g.returned = [made]
        h = Function("chosen")
        for name, kind in (("b", "i1"), ("t", OPEN), ("u", OPEN), ("rows", "index")):
            h.argument(name, kind)
        h.type["%r"] = OPEN
        h.line("%%r = arith.select %%b, %%t, %%u : %s" % OPEN)
        h.set_valid("%r", "%rows", 32)
        h.returned = ["%r", "%rows"]
        f, xs, ys, n = self.begin()
        one, two = self.open_pair(f, xs)
        kept = [f.load(f.part(xs, [8 * i, 0], [8, 32]), f.tile(KIND)) for i in range(2)]
        for name, kind in (("%m", column), ("%o", column), ("%r#0", OPEN), ("%s#0", OPEN)):
            f.type[name] = kind
        f.line("%%m = call @sums(%s) : (%s) -> %s" % (kept[0], KIND, column))
        f.line("%%o = func.call @sums(%s) : (%s) -> %s" % (kept[1], KIND, column))
        for at, name in ((0, "%o"), (1, "%m")):
            f.op("trowexpandmul", [kept[at], name], [kept[at]])
            f.store(kept[at], f.part(ys, [8 * at, 0], [8, 32]))
        f.line("%%b = arith.cmpi slt, %s, %s : index" % (n, f.number(4)))
        for name, pair, rows in (("%r", (one, two), 3), ("%s", (two, one), 5)):
            f.line("%s:2 = call @chosen(%%b, %s, %s, %s) : (i1, %s, %s, index) -> (%s, index)" % (
                name, *pair, f.number(rows), OPEN, OPEN, OPEN))
        for at, name in ((2, "%r"), (3, "%s")):
            f.op("tadds", [name + "#0", f.number(1.0, "f32")], [name + "#0"])
            f.store(name + "#0", f.part(ys, [8 * at, 0], [name + "#1", 32]))
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        x, y = given[:8], given[8:16]
        for number in (0, 9):
            want = np.zeros_like(given)
            want[:8], want[8:16] = x * y.sum(1)[:, None], y * x.sum(1)[:, None]
            want[16:19] = (x if number < 4 else y)[:3] + 1
            want[24:29] = (y if number < 4 else x)[:5] + 1
            for arch in ("a3", "a5"):
                self.check(module(arch, g, h, f), {"x": given, "y": np.zeros_like(given)},
                           {"y": want}, "--set", "n=%d" % number)

    def test_windows_and_functions_of_such_tiles(self):
        """What is made of a choice is a choice; functions are given it."""
        window = vec(4, 32, "f32")
        g = Function("twice")
        t = g.argument("t", window)
        g.op("tadd", [t, t], [t])
        f, xs, ys, n = self.begin()
        one, two = (f.load(f.part(xs, [8 * i, 0], [8, 32]), f.tile(KIND)) for i in range(2))
        self.known(f, "%t")
        f.line("%%c = arith.cmpi slt, %s, %s : index" % (n, f.number(4)))
        f.line("%%t = scf.if %%c -> (%s) {" % KIND)
        f.line("scf.yield %s : %s" % (one, KIND))
        f.line("} else {")
        f.line("scf.yield %s : %s" % (two, KIND))
        f.line("}")
        f.line("%%w = pto.subview %%t[%s, %s] sizes [%s, %s] : %s -> %s" % (
            f.number(4), f.number(0), f.number(4), f.number(32), KIND, window))
        f.line("call @twice(%%w) : (%s) -> ()" % window)
        f.store(one, f.part(ys, [0, 0], [8, 32]))
        f.store(two, f.part(ys, [8, 0], [8, 32]))
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        for number in (0, 9):
            want = np.zeros_like(given)
            want[:16] = given[:16]
            want[4 + 8 * (number > 3):8 + 8 * (number > 3)] *= 2
            for arch in ("a3", "a5"):
                self.check(module(arch, g, f), {"x": given, "y": np.zeros_like(given)},
                           {"y": want}, "--set", "n=%d" % number)

    def test_a_selection_of_tiles(self):
        """One of two, one of what was chosen before, and one with a valid region of its own."""
        f, xs, ys, n = self.begin()
        one, two, three = (f.load(f.part(xs, [8 * i, 0], [8, 32]), f.tile(
            OPEN, rows=f.number(8), cols=f.number(32))) for i in range(3))
        for name in ("%t", "%u", "%own"):
            f.type[name] = OPEN
        f.line("%%c = arith.cmpi slt, %s, %s : index" % (n, f.number(4)))
        f.line("%%d = arith.cmpi slt, %s, %s : index" % (n, f.number(6)))
        f.line("%%t = arith.select %%c, %s, %s : %s" % (one, two, OPEN))
        f.line("%%u = arith.select %%d, %%t, %s : %s" % (three, OPEN))
        f.line("%%own = arith.select %%d, %s, %%u : %s" % (three, OPEN))
        f.set_valid("%own", 3, 16)
        f.op("tadds", ["%u", f.number(1.0, "f32")], ["%u"])
        f.op("tadds", ["%own", f.number(5.0, "f32")], ["%own"])
        for at, each in enumerate((one, two, three, "%u", "%own")):
            f.store(each, f.part(ys, [8 * at, 0], [8, 32]))
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        for number in (0, 5, 9):
            tiles = given[:24].reshape(3, 8, 32).copy()
            u = 0 if number < 4 else 1 if number < 6 else 2
            tiles[u] += 1
            tiles[2, :3, :16] += 5
            want = np.zeros_like(given)
            want[:24], want[24:32] = tiles.reshape(24, 32), tiles[u]
            want[32:35, :16] = tiles[2, :3, :16]
            self.finish(f, number, want, given)

    def test_a_selection_in_turn(self):
        """Slots in turn, of which a loop takes the one that its counter says."""
        f, xs, ys, n = self.begin()
        one, two = f.tile(KIND), f.tile(KIND)
        self.known(f, "%t")
        f.line("scf.for %%i = %s to %s step %s {" % (f.number(0), n, f.number(1)))
        f.line("%%odd = arith.remui %%i, %s : index" % f.number(2))
        f.line("%%c = arith.cmpi eq, %%odd, %s : index" % f.number(0))
        f.line("%%t = arith.select %%c, %s, %s : %s" % (one, two, KIND))
        row = self.row(f, "%i")
        f.load(f.part(xs, [row, 0], [8, 32]), "%t")
        f.op("tadd", ["%t", "%t"], ["%t"])
        f.store("%t", f.part(ys, [row, 0], [8, 32]))
        f.line("}")
        given = self.random.integers(-9, 9, (64, 32)).astype(np.float32)
        for turns in (0, 1, 5, 8):
            want = np.zeros_like(given)
            want[:8 * turns] = 2 * given[:8 * turns]
            self.finish(f, turns, want, given)

    def test_a_selection_of_pointers_views_and_windows(self):
        f, xs, ys, n = self.begin()
        f.type["%p"] = "!pto.ptr<f32>"
        f.line("%%c = arith.cmpi slt, %s, %s : index" % (n, f.number(4)))
        f.line("%p = arith.select %c, %x, %y : !pto.ptr<f32>")
        first = f.view("%p", [64, 32])
        for name, kind in (("%v", f.type[xs]), ("%w", "!pto.partition_tensor_view<8x32xf32>")):
            f.type[name] = kind
        f.line("%%v = arith.select %%c, %s, %s : %s" % (ys, xs, f.type[xs]))
        parts = [f.part(view, [8, 0], [8, 32]) for view in (xs, ys)]
        f.line("%%w = arith.select %%c, %s, %s : %s" % (*parts, f.type["%w"]))
        t = f.tile(KIND)
        for window in (f.part(first, [0, 0], [8, 32]), "%w"):
            f.load(window, t)
            f.op("tadds", [t, f.number(1.0, "f32")], [t])
            f.store(t, f.part("%v", [40 if window == "%w" else 32, 0], [8, 32]))
        x, y = (self.random.integers(-9, 9, (64, 32)).astype(np.float32) for _ in range(2))
        for number in (0, 9):
            source, to = (x, y) if number < 4 else (y, x)
            want = to.copy()
            want[32:48] = source[:16] + 1
            for arch in ("a3", "a5"):
                self.check(module(arch, f), {"x": x, "y": y},
                           {"xy"[number < 4]: want, "yx"[number < 4]: source},
                           "--set", "n=%d" % number)


if __name__ == "__main__":
    unittest.main()
