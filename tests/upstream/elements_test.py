"""Elements of tiles that upstream's text reads and writes by themselves; scratch and saturation
that are said, or left out."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
from writing import Case, Function, mat, module, vec  # noqa: E402


class Elements(Case):
    def get(self, f, tile, at):
        name = f.fresh("f32" if "f32" in f.type[tile] else "i32")
        f.line("%s = pto.tgetval ins(%s, %s : %s, index) outs : %s" % (
            name, tile, f.number(at), f.type[tile], f.type[name]))
        return name

    def put(self, f, tile, at, value):
        f.line("pto.tsetval ins(%s, %s : index, %s) outs(%s : %s)" % (
            f.number(at), value, f.type[value], tile, f.type[tile]))

    def test_a_number_of_a_tile_is_computed_with(self):
        """What the vector unit wrote, as the scale of what it does next."""
        for arch in ("a3", "a5"):
            f = Function()
            x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
            t = f.loaded(x, 4, 16)
            f.op("tadd", [t, t], [t])
            a, b = self.get(f, t, 1), self.get(f, t, 3 * 16 + 5)
            f.line("%%sum = arith.addf %s, %s : f32" % (a, b))
            f.type["%sum"] = "f32"
            f.op("tmuls", [t, "%sum"], [t])
            f.store(t, f.whole(y, 4, 16))
            given = self.floats(4, 16)
            twice = given + given
            self.check(module(arch, f), {"x": given, "y": np.zeros_like(given)},
                       {"y": twice * (twice[0, 1] + twice[3, 5])})

    def test_numbers_that_the_run_finds(self):
        """The sum of a tile, one element after another, in its first element."""
        for keys, order in (({}, "C"), ({"blayout": "col_major"}, "F")):
            f = Function()
            x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
            t = f.tile(vec(8, 8, "f32", **keys))
            shape = f.view(x, (8, 8))
            f.load(f.part(shape, (0, 0), (8, 8)), t)
            zero = f.number(0.0, "f32")
            f.line("%%total = scf.for %%i = %s to %s step %s iter_args(%%s = %s) -> (f32) {" % (
                f.number(0), f.number(64), f.number(1), zero))
            f.type["%i"] = "index"
            value = self.get(f, t, "%i")
            f.line("%%next = arith.addf %%s, %s : f32" % value)
            f.line("scf.yield %next : f32 }")
            f.type["%total"] = "f32"
            self.put(f, t, 0, "%total")
            f.store(t, f.part(f.view(y, (8, 8)), (0, 0), (8, 8)))
            given = self.floats(8, 8)
            total = np.float32(0)
            for each in given.reshape(-1, order=order):
                total = np.float32(total + each)
            want = given.copy()
            want[0, 0] = total
            with self.subTest(order=order):
                self.check(module("a3", f), {"x": given, "y": np.zeros_like(given)}, {"y": want})

    def test_of_one_of_two_tiles(self):
        f = Function()
        x, y = f.pointer("x", "f32"), f.pointer("y", "f32")
        n = f.argument("n", "index")
        f.line("%%c = arith.cmpi eq, %s, %s : index" % (n, f.number(0)))
        kind = vec(1, 16, "f32")
        a = f.load(f.part(f.view(x, (2, 16)), (0, 0), (1, 16)), f.tile(kind))
        b = f.load(f.part(f.view(x, (2, 16)), (1, 0), (1, 16)), f.tile(kind))
        f.line("%%t = scf.if %%c -> (%s) {" % kind)
        f.line("scf.yield %s : %s } else { scf.yield %s : %s }" % (a, kind, b, kind))
        f.type["%t"] = kind
        value = self.get(f, "%t", 7)
        f.line("%%twice = arith.addf %s, %s : f32" % (value, value))
        f.line("pto.store_scalar %%twice, %s[%s] : !pto.ptr<f32>, f32" % (y, f.number(0)))
        given = self.floats(2, 16)
        for number in (0, 1):
            want = np.zeros(4, np.float32)
            want[0] = given[number, 7] + given[number, 7]
            self.check(module("a5", f), {"x": given, "y": np.zeros_like(want)}, {"y": want},
                       "--set", "n=%d" % number)

    def test_what_is_refused(self):
        f = Function()
        self.get(f, f.tile(mat(16, 16, "f32")), 0)
        done = pto.ptoas(self.write(module("a3", f)), "-o", self.path("k.ptob"))
        self.assertEqual(done.code, 1)
        self.assertIn("elements are taken of tiles in rows or columns, not in fractals", done.err)
        f = Function()
        self.put(f, f.tile(vec(1, 8, "f32")), 0, f.argument("n", "i32"))
        done = pto.ptoas(self.write(module("a3", f)), "-o", self.path("k.ptob"))
        self.assertEqual(done.code, 1)
        self.assertIn("the elements of the tile are f32, this is another type", done.err)

    def test_conversions_that_say_what_becomes_of_what_does_not_fit(self):
        """As upstream's manual has it: ON keeps to the range, OFF keeps the low bits.  The tile for
        scratch that chips need for this is taken, and not used."""
        given = np.array([1e5, -1e5, 70000.4, 3.5, -32769.0, 0.0, 32767.6, 12.0] * 2, np.float32)
        whole = np.rint(given).astype(np.int64)
        for mode, want in (("ON", np.clip(whole, -32768, 32767)), ("OFF", whole)):
            for scratch in (False, True):
                f = Function()
                x, y = f.pointer("x", "f32"), f.pointer("y", "i16")
                ins = [f.loaded(x, 1, 16)] + ([f.tile(vec(1, 16, "f32"))] if scratch else [])
                t = f.tile(vec(1, 16, "i16"))
                f.op("tcvt", ins, [t], "{rmode = #pto<round_mode RINT>, "
                     "satmode = #pto<saturation_mode %s>}" % mode)
                f.store(t, f.whole(y, 1, 16))
                with self.subTest(mode=mode, scratch=scratch):
                    self.check(module("a3", f), {"x": given, "y": np.zeros(16, np.int16)},
                               {"y": want.astype(np.int16)})

    def test_powers(self):
        for arch, scratch in (("a3", True), ("a5", False)):
            f = Function()
            x, y, z = f.pointer("x", "i32"), f.pointer("y", "i32"), f.pointer("z", "i32")
            t = f.loaded(x, 2, 16)
            tmp = [f.tile(vec(2, 16, "i32"))] if scratch else []
            u, v = f.tile(vec(2, 16, "i32")), f.tile(vec(2, 16, "i32"))
            f.op("tpows", [t, f.number(3, "i32")] + tmp, [u])
            f.op("texpands", [f.number(2, "i32")], [v])
            f.op("tpow", [t, v] + tmp, [v])
            f.store(u, f.whole(y, 2, 16))
            f.store(v, f.whole(z, 2, 16))
            given = self.random.integers(-40, 40, (2, 16)).astype(np.int32)
            zeros = np.zeros_like(given)
            self.check(module(arch, f), {"x": given, "y": zeros, "z": zeros},
                       {"y": given ** 3, "z": given ** 2})


if __name__ == "__main__":
    unittest.main()
