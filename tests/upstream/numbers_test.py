"""Numbers of upstream's text: what integers are worth at the ends of their types, what loops and
branches hand on, and what numbers become beside tiles of other types."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402,F401
from writing import Case, Function, module, vec  # noqa: E402

MIN = -2 ** 31
QUOTIENTS = ((7, 2), (-7, 2), (7, -2), (-7, -2), (6, 2), (-6, -3), (0, 5))
ARITHMETIC = [  # operation, operands, result: i32
    ("addi", -MIN - 1, 1, MIN), ("subi", MIN, 1, -MIN - 1), ("muli", 65537, 65537, 131073),
    ("shli", 3, 31, MIN), ("shrsi", -8, 1, -4), ("shrui", -8, 1, 0x7ffffffc), ("shrui", -8, 0, -8),
    ("divui", -8, 3, (2 ** 32 - 8) // 3), ("remui", -8, 7, (2 ** 32 - 8) % 7),
    ("ceildivui", -8, 3, (2 ** 32 - 8 + 2) // 3), ("minui", -8, 7, 7), ("maxui", -8, 7, -8),
    ("minsi", -8, 7, -8), ("maxsi", -8, 7, 7), ("xori", -8, 7, -1), ("andi", -8, 13, 8),
    ("ori", -8, 5, -3),
] + [(name, a, b, int(rule(a / b))) for a, b in QUOTIENTS for name, rule in (
    ("divsi", np.trunc), ("ceildivsi", np.ceil), ("floordivsi", np.floor))
] + [("remsi", a, b, int(np.fmod(a, b))) for a, b in QUOTIENTS]
WIDE = (0, 1, 2, 3, 7, 10, 2 ** 31, 2 ** 32 - 1, 2 ** 63 - 1, 2 ** 63, 2 ** 63 + 1,
        2 ** 64 - 2, 2 ** 64 - 1, 0x123456789abcdef, 0xfedcba9876543210)
UNSIGNED = {  # of 64 bits: Python's own numbers have no end
    "divui": lambda a, b: a // b, "remui": lambda a, b: a % b,
    "ceildivui": lambda a, b: -(-a // b), "minui": min, "maxui": max,
}
COMPARISONS = (("ult", 0), ("ugt", 1), ("slt", 1), ("sge", 0), ("uge", 1), ("ne", 1), ("eq", 0))
STRUCTURED = {  # text that makes %a (and %b) of i32, and their values; %k0 .. %k8 are numbers
    "rotated": ("%r:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %k1, %y = %k2, %z = %k3) "
                "-> (i32, i32, i32) { scf.yield %y, %z, %x : i32, i32, i32 }\n"
                "%a = arith.addi %r#0, %k0 : i32 %b = arith.addi %r#2, %k0 : i32", 2, 1),
    "a loop of no turn": ("%a = scf.for %i = %c4 to %c4 step %c1 iter_args(%x = %k7) -> (i32) { "
                          "%y = arith.addi %x, %k1 : i32 scf.yield %y : i32 }", 7),
    "counted in i32": ("%a = scf.for %i = %k0 to %k5 step %k2 iter_args(%x = %k0) -> (i32) : i32 { "
                       "%y = arith.addi %x, %i : i32 scf.yield %y : i32 }", 6),
    "names of two depths": (
        "%a = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %k0) -> (i32) {\n"
        "%s = scf.for %j = %c0 to %c4 step %c1 iter_args(%y = %x) -> (i32) { "
        "%t = arith.addi %y, %k1 : i32 scf.yield %t : i32 }\n"
        "%t = arith.addi %s, %k5 : i32 scf.yield %t : i32 }", 36),
    "results in a loop that hands on nothing": (
        "scf.for %i = %c0 to %c4 step %c1 {\n%e = arith.cmpi eq, %i, %c1 : index\n"
        "%s = scf.if %e -> (i32) { scf.yield %k1 : i32 } else { scf.yield %k2 : i32 }\n"
        "pto.store_scalar %s, %out[%i] : !pto.ptr<i32>, i32\n"
        "%u = scf.if %e -> (i32) { scf.yield %k3 : i32 } else { scf.yield %k4 : i32 }\n}\n"
        "%a = pto.load_scalar %out[%c1] : !pto.ptr<i32> -> i32\n"
        "%b = pto.load_scalar %out[%c0] : !pto.ptr<i32> -> i32", 1, 2),
    "while": ("%r:2 = scf.while (%x = %k1, %z = %k1) : (i32, i32) -> (i32, i32) {\n"
              "%c = arith.cmpi slt, %z, %lim : i32 scf.condition(%c) %x, %z : i32, i32 } do {\n"
              "^bb0(%u: i32, %v: i32): %s = arith.addi %u, %v : i32 scf.yield %v, %s : i32, i32 }\n"
              "%a = arith.addi %r#0, %k0 : i32 %b = arith.addi %r#1, %k0 : i32", 55, 89),
    "while that changes places": (
        "%r:2 = scf.while (%x = %k1, %z = %k6) : (i32, i32) -> (i32, i32) {\n"
        "%c = arith.cmpi slt, %x, %z : i32 scf.condition(%c) %z, %x : i32, i32 } do {\n"
        "^bb0(%u: i32, %v: i32): %u1 = arith.subi %u, %k1 : i32 %v1 = arith.addi %v, %k1 : i32 "
        "scf.yield %v1, %u1 : i32, i32 }\n"
        "%a = arith.addi %r#0, %k0 : i32 %b = arith.addi %r#1, %k0 : i32", 3, 4),
    "branches in branches": (
        "%c = arith.cmpi slt, %k3, %lim : i32 %d = arith.cmpi slt, %lim, %k2 : i32\n"
        "%a = scf.if %c -> (i32) { %e = scf.if %d -> (i32) { scf.yield %k1 : i32 } else { "
        "scf.yield %k2 : i32 } %f = arith.addi %e, %k5 : i32 scf.yield %f : i32 } else { "
        "%e = arith.muli %k3, %k8 : i32 scf.yield %e : i32 }", 7),
    "conditions are -1": (
        "%t = arith.cmpi eq, %lim, %lim : i32 %f = arith.cmpi ne, %lim, %lim : i32\n"
        "%c = arith.cmpi slt, %t, %f : i1 %a = arith.extui %c : i1 to i32 "
        "%b = arith.extsi %t : i1 to i32", 1, -1),
    "cut and widened": (
        "%n = arith.constant 456 : i32 %s = arith.addi %n, %k0 : i32\n"
        "%m = arith.trunci %s : i32 to i8"
        " %a = arith.extsi %m : i8 to i32 %b = arith.extui %m : i8 to i32", -56, 200),
    "constants": ("%a = arith.constant 4294967295 : i32 %b = arith.constant 0x10 : i32", -1, 16),
    "signs that are cast": (
        "%u = builtin.unrealized_conversion_cast %k5 : i32 to ui32\n"
        "%a = builtin.unrealized_conversion_cast %u : ui32 to i32 %b = arith.addi %a, %k1 : i32",
        5, 6),
    "elements by their newer names": (
        "pto.store %k5, %out[%c4] : !pto.ptr<i32>, i32\n"
        "%a = pto.load %out[%c4] : !pto.ptr<i32> -> i32", 5),
    "calls": ("%m = func.call @twice(%k3, %k4) : (i32, i32) -> i32\n"
              "%a = call @twice(%m, %m) : (i32, i32) -> i32", 30),
    "maps of negative numbers": (
        "%n = arith.constant -7 : index %m = arith.constant -2 : index\n"
        "%p = affine.apply affine_map<(d0)[s0] -> (d0 floordiv 4 + s0 mod 3 - d0)>(%n)[%m]\n"
        "%q = affine.apply affine_map<(d0) -> (-(d0 + 1) * 2 ceildiv 3)>(%n)\n"
        "%a = arith.index_cast %p : index to i32 %b = arith.index_cast %q : index to i32", 6, 4),
}


class Numbers(Case):
    def scalars(self, results, lines, want):
        """A function of %out, %lim = 60 and constants that stores `results`."""
        text = "  func.func @k(%out: !pto.ptr<i32>, %lim: i32) {\n"
        for n in range(9):
            text += ("    %%c%d = arith.constant %d : index\n"
                     "    %%k%d = arith.constant %d : i32\n" % (n, n, n, n))
        text += lines + "\n"
        for at, name in enumerate(results):
            text += ("    %%at%d = arith.constant %d : index\n"
                     "    pto.store_scalar %s, %%out[%%at%d] : !pto.ptr<i32>, i32\n" % (
                         at, at, name, at))
        helper = ("  func.func private @twice(%x: i32, %z: i32) -> i32 {\n"
                  "    %two = arith.constant 2 : i32\n"
                  "    %m = arith.muli %x, %two : i32\n    %r = arith.addi %m, %z : i32\n"
                  "    return %r : i32\n  }\n") if "@twice" in lines else ""
        zeros = np.zeros(max(8, len(want)), np.int32)
        got = zeros.copy()
        got[:len(want)] = want
        self.check(module("a5", text + "    return\n  }\n", helper), {"out": zeros}, {"out": got},
                   "--set", "lim=60")

    def test_arithmetic(self):
        lines, results = [], []
        for at, (name, a, b, _) in enumerate(ARITHMETIC):
            lines += ["%%p%d = arith.constant %d : i32" % (at, a),
                      "%%q%d = arith.constant %d : i32" % (at, b),
                      "%%a%d = arith.andi %%p%d, %%ones : i32" % (at, at),
                      "%%b%d = arith.andi %%q%d, %%ones : i32" % (at, at),
                      "%%r%d = arith.%s %%a%d, %%b%d : i32" % (at, name, at, at)]
            results.append("%%r%d" % at)
        lines.insert(0, "%n1 = arith.constant -1 : i32 %z = arith.muli %lim, %k0 : i32 "
                        "%ones = arith.addi %n1, %z : i32")
        want = [np.array(row[3]).astype(np.int32) for row in ARITHMETIC]
        self.scalars(results, "\n".join(lines), want)

    def test_unsigned_of_64_bits(self):
        """Divisors and dividends that only the run knows, and divisors that are written."""
        pairs = [(a, b) for a in WIDE for b in WIDE if b]
        shifts = [(a, b) for a in WIDE for b in (0, 1, 31, 32, 63)]
        for name, rule in {**UNSIGNED, "shrui": lambda a, b: a >> b}.items():
            each = shifts if name == "shrui" else pairs
            x = np.array(each, np.uint64).view(np.int64)
            want = np.array([rule(a, b) for a, b in each], np.uint64).view(np.int64)
            kind, arch = ("index", "a3") if name in ("divui", "minui") else ("i64", "a5")
            with self.subTest(name=name):
                self.check(module(arch, self.loop_of_64_bits(name, kind, len(each))),
                           {"x": x, "y": np.zeros_like(want)}, {"y": want})
        for name, rule in list(UNSIGNED.items())[:3]:
            for b in (1, 2, 7, 64, 2 ** 62, 2 ** 63, 2 ** 64 - 1):
                with self.subTest(name=name, divisor=b):
                    x = np.array([(a, b) for a in WIDE], np.uint64).view(np.int64)
                    want = np.array([rule(a, b) for a in WIDE], np.uint64).view(np.int64)
                    self.check(module("a5", self.loop_of_64_bits(name, "i64", len(WIDE), b)),
                               {"x": x, "y": np.zeros_like(want)}, {"y": want})

    def loop_of_64_bits(self, name, kind, count, divisor=None):
        """%y[i] of each pair of numbers in %x."""
        f = Function()
        x, y = f.pointer("x", "i64"), f.pointer("y", "i64")
        f.line("scf.for %%i = %s to %s step %s {" % tuple(map(f.number, (0, count, 1))))
        f.line("%%at = arith.muli %%i, %s : index" % f.number(2))
        f.line("%%next = arith.addi %%at, %s : index" % f.number(1))
        for to, at in (("%a", "%at"), ("%b", "%next")):
            f.line("%s_ = pto.load_scalar %s[%s] : !pto.ptr<i64> -> i64" % (to, x, at))
            f.line("%s = arith.index_cast %s_ : i64 to %s" % (to, to, kind) if kind == "index" else
                   "%s = builtin.unrealized_conversion_cast %s_ : i64 to i64" % (to, to))
        signed = None if divisor is None else divisor - (divisor >> 63) * 2 ** 64
        f.line("%%q = arith.%s %%a, %s : %s" % (
            name, "%b" if divisor is None else f.number(signed, kind), kind))
        f.line("%%r = arith.index_cast %%q : %s to i64" % kind if kind == "index" else
               "%r = builtin.unrealized_conversion_cast %q : i64 to i64")
        f.line("pto.store_scalar %%r, %s[%%i] : !pto.ptr<i64>, i64" % y)
        f.line("}")
        return f

    def test_unsigned_sizes_of_views(self):
        """They follow from arguments, before the run; those of constants stay numbers."""
        f = Function()
        x, y, n = f.pointer("x", "f32"), f.pointer("y", "f32"), f.argument("n", "index")
        f.line("%%h = arith.divui %s, %s : index" % (n, f.number(3)))
        f.line("%%m = arith.remui %s, %s : index" % (n, f.number(100)))
        f.line("%%c = arith.ceildivui %s, %s : index" % (f.number(31), f.number(8)))
        view = f.view(x, ["%h", 32], ["%m", f.number(1)])
        t = f.load(f.part(view, ["%c", 0], [1, 32]), f.tile(vec(1, 32, "f32")))
        f.store(t, f.whole(y, 1, 32))
        given = self.floats(16, 32)
        self.check(module("a3", f), {"x": given, "y": np.zeros(32, np.float32)},
                   {"y": given.reshape(-1)[4 * 33:4 * 33 + 32]}, "--set", "n=33")

    def test_comparisons(self):
        for kind in ("i32", "i64"):
            lines = ["%%p = arith.constant -5 : %s %%q = arith.constant 3 : %s" % (kind, kind)]
            for name, _ in COMPARISONS:
                lines.append("%%c_%s = arith.cmpi %s, %%p, %%q : %s "
                             "%%r_%s = arith.extui %%c_%s : i1 to i32" % (
                                 name, name, kind, name, name))
            self.scalars(["%%r_%s" % name for name, _ in COMPARISONS], "\n".join(lines),
                         [value for _, value in COMPARISONS])

    def test_structure(self):
        for name, (lines, *want) in STRUCTURED.items():
            with self.subTest(name):
                if "store" in lines:  # what was stored on the way is no result
                    lines += "".join("\npto.store_scalar %%k0, %%out[%%c%d] : !pto.ptr<i32>, i32"
                                     % at for at in range(5))
                self.scalars(["%a", "%b"][:len(want)], lines, want)

    def test_numbers_beside_tiles(self):
        """An integer is cut to the element; a float has its own type's precision before that."""
        rows = [("ui8", "i8", 200, 200), ("ui32", "i32", -2, 2 ** 32 - 2), ("i8", "i32", 456, -56),
                ("i16", "i32", 60000, 60000 - 2 ** 16), ("ui16", "i32", -1, 65535),
                ("f32", "f16", 0.1, np.float32(np.float16(0.1))),
                ("f16", "f32", 1.00048828126, np.float16(np.float32(1.00048828126)))]
        kinds = {"ui8": np.uint8, "ui32": np.uint32, "i8": np.int8, "i16": np.int16,
                 "ui16": np.uint16, "f32": np.float32, "f16": np.float16}
        for element, kind, value, want in rows:
            for known in (True, False):
                if not known and kind.startswith("f"):
                    continue
                with self.subTest(element=element, kind=kind, known=known):
                    f = Function()
                    y, n = f.pointer("y", element), f.argument("n", kind)
                    t = f.tile(vec(1, 64, element))
                    f.op("texpands", [f.number(value, kind) if known else n], [t])
                    f.store(t, f.whole(y, 1, 64))
                    zeros = np.zeros(64, kinds[element])
                    self.check(module("a5", f), {"y": zeros},
                               {"y": np.full_like(zeros, np.array(want).astype(kinds[element]))},
                               "--set", "n=%s" % value)


if __name__ == "__main__":
    unittest.main()
