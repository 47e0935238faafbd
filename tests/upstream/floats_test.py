"""Numbers of floating point in upstream's text: each operation on awkward and random numbers,
against numpy in the same type, bit by bit; what loops, branches and functions hand on; what is no
number."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
sys.path.insert(0, pto.source("tests", "golden"))
import scalar  # noqa: E402
from writing import Case, Function, module, vec  # noqa: E402

WORD = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}
HOST = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.float64}
AWKWARD = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, 1e-7, -1e-7, 0.1, 65504.0, 65520.0, 1e38,
           -3e38, 2.0**-149, -2.0**-149, 2.0**-126, 2.0**-24, 0.49999997, 8388607.5, -8388608.0,
           4194303.75, np.inf, -np.inf, np.nan]
ORDERED = {"oeq": np.equal, "ogt": np.greater, "oge": np.greater_equal, "olt": np.less,
           "ole": np.less_equal, "one": np.not_equal, "ord": lambda a, b: a == a,
           "false": lambda a, b: a != a}
UNORDERED = {"ueq": np.equal, "ugt": np.greater, "uge": np.greater_equal, "ult": np.less,
             "ule": np.less_equal, "une": np.not_equal, "uno": lambda a, b: a != a,
             "true": lambda a, b: a == a}


def bf16(values):
    """The nearest bf16 of f64, as f64."""
    flat = [scalar.bf16_bits(float(value)) << 16 for value in np.asarray(values).reshape(-1)]
    return np.array(flat, np.uint32).view(np.float32).astype(np.float64)


def nearest(kind, values):
    return bf16(values) if kind == "bf16" else values.astype(HOST[kind])


def bits(kind, values):
    """Zeros have signs, NaN has none."""
    if kind == "bf16":
        return np.array([scalar.bf16_bits(float(value)) for value in values], np.uint16)
    values = np.asarray(values, HOST[kind])
    return np.where(np.isnan(values), np.array(np.nan, HOST[kind]).view(WORD[kind]),
                    values.view(WORD[kind]))


def extreme(which, propagates):
    """The one that is `which` of two; -0 is less than 0.  A NaN is the result, or is no number."""
    def one(a, b):
        if a != a or b != b:
            return np.nan if propagates else b if a != a else a
        return scalar.extreme(which, float(a), float(b))
    return lambda a, b: np.array([one(x, y) for x, y in zip(a, b)], np.float64)


def away(a):
    whole = np.trunc(a)
    return np.copysign(np.where(np.abs(a - whole) == 0.5, np.abs(whole) + 1, np.rint(a)), a)


BINARY = {"arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply,
          "arith.divf": np.divide, "arith.maximumf": extreme("max", True),
          "arith.minimumf": extreme("min", True), "arith.maxnumf": extreme("max", False),
          "arith.minnumf": extreme("min", False),
          "math.copysign": lambda a, b: np.copysign(a, np.where(np.isnan(b), 1.0, b))}
UNARY = {"arith.negf": np.negative, "math.absf": np.abs, "math.sqrt": np.sqrt,
         "math.floor": np.floor, "math.ceil": np.ceil, "math.trunc": np.trunc,
         "math.roundeven": np.rint, "math.round": away}


class Floats(Case):
    def pairs(self, kind, count):
        """Every two awkward numbers, random bits, quotients that come near the middle of two."""
        word, rng = WORD[kind], self.random
        few = np.array(AWKWARD)
        some = rng.integers(0, np.iinfo(word).max, (count, 2), word, endpoint=True)
        if kind == "bf16":
            some = (some.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        else:
            some = some.view(HOST[kind])
        near = rng.integers(2**7 if kind == "bf16" else 2**9, 2**8 if kind == "bf16" else 2**11,
                            (count, 2)) * 2.0**rng.integers(-12, 3, (count, 2))
        wide = rng.integers(2**23, 2**24, (count, 2)) * 2.0**rng.integers(-90, 20, (count, 2))
        with np.errstate(all="ignore"):
            each = [nearest(kind, np.stack(np.meshgrid(few, few), -1).reshape(-1)).reshape(-1, 2),
                    some, nearest(kind, near.reshape(-1)).reshape(-1, 2),
                    nearest(kind, wide.reshape(-1)).reshape(-1, 2)]
        return np.concatenate(each)

    def run_each(self, kind, x, lines, results):
        """For each row of x its numbers are %a0, %a1, ..; %r0, %r1, .. are integers of the types
        that `results` lists.  The numbers come and go as integers of their width."""
        f = Function()
        word = "i%d" % (8 * WORD[kind]().itemsize)
        f.pointer("x", word)
        outs = [f.pointer("y%d" % at, each) for at, each in enumerate(results)]
        width = x.shape[1]
        f.line("scf.for %%i = %s to %s step %s {" % tuple(map(f.number, (0, len(x), 1))))
        for at in range(width):
            f.line("%%m%d = arith.muli %%i, %s : index" % (at, f.number(width)))
            f.line("%%n%d = arith.addi %%m%d, %s : index" % (at, at, f.number(at)))
            f.line("%%w%d = pto.load_scalar %%x[%%n%d] : !pto.ptr<%s> -> %s" % (at, at, word, word))
            f.line("%%a%d = arith.bitcast %%w%d : %s to %s" % (at, at, word, kind))
        f.lines += ["    " + line for line in lines]
        for at, (out, each) in enumerate(zip(outs, results)):
            f.line("pto.store_scalar %%r%d, %s[%%i] : !pto.ptr<%s>, %s" % (at, out, each, each))
        f.line("}")
        given = bits(kind, x.reshape(-1)).view("int%s" % word[1:])
        arrays = {"y%d" % at: np.zeros(len(x), "int%s" % each[1:])
                  for at, each in enumerate(results)}
        return (module("a3", f), {"x": given, **arrays})

    def compare(self, kind, x, lines, want):
        """`want`: for each %rN of integers the numbers of `kind`, or the integers that it is."""
        text, given = self.run_each(kind, x, lines, [each for each, _ in want])
        self.check(text, given, {"y%d" % at: np.asarray(value).astype(given["y%d" % at].dtype)
                                 for at, (_, value) in enumerate(want)}, "--max-time", "10s")

    def test_arithmetic(self):
        for kind, count in (("f32", 400), ("f16", 300), ("bf16", 150), ("f64", 100)):
            x = self.pairs(kind, count)
            a, b = x[:, 0], x[:, 1]
            word = "i%d" % (8 * WORD[kind]().itemsize)
            lines, want = [], []
            with np.errstate(all="ignore"):
                for name, rule in {**BINARY, **UNARY}.items():
                    at = len(want)
                    given = "%a0, %a1" if name in BINARY else "%a0"
                    fast = " fastmath<nnan, contract>" if name == "arith.mulf" else ""
                    lines += ["%%q%d = %s %s%s : %s" % (at, name, given, fast, kind),
                              "%%r%d = arith.bitcast %%q%d : %s to %s" % (at, at, kind, word)]
                    exact = rule(a, b) if name in BINARY else rule(a)
                    want.append((word, bits(kind, nearest(kind, exact))))
            with self.subTest(kind=kind):
                self.compare(kind, x, lines, want)

    def test_comparisons(self):
        for kind in ("f32", "bf16"):
            x = self.pairs(kind, 20)
            a, b = x[:, 0], x[:, 1]
            unordered = np.isnan(a) | np.isnan(b)
            lines, want = [], []
            with np.errstate(all="ignore"):
                for name, rule in {**ORDERED, **UNORDERED}.items():
                    at = len(want)
                    lines += ["%%c%d = arith.cmpf %s, %%a0, %%a1 : %s" % (at, name, kind),
                              "%%r%d = arith.extui %%c%d : i1 to i32" % (at, at)]
                    want.append(("i32", np.where(unordered, name in UNORDERED, rule(a, b))))
            with self.subTest(kind=kind):
                self.compare(kind, x, lines, want)

    def test_widths(self):
        """f64 to less in one rounding, where two would give another number; and back."""
        middle = [2049 + 2.0**-40, 257 + 2.0**-40, 1 + 2.0**-24 + 2.0**-50, 65520 - 2.0**-37,
                  2.0**-25 * (1 + 2.0**-30), 1 + 2.0**-24, 3.4028235677973366e38, np.nan, -0.0]
        x = np.array(middle + [-value for value in middle]).reshape(-1, 1)
        lines, want = [], []
        with np.errstate(all="ignore"):
            for at, kind in enumerate(("f32", "f16", "bf16")):
                lines += ["%%t%d = arith.truncf %%a0%s : f64 to %s" % (
                              at, " to_nearest_even" if at else "", kind),
                          "%%e%d = arith.extf %%t%d : %s to f64" % (at, at, kind),
                          "%%r%d = arith.bitcast %%e%d : f64 to i64" % (at, at)]
                want.append(("i64", bits("f64", nearest(kind, x.reshape(-1)).astype(np.float64))))
        self.compare("f64", x, lines, want)

    def test_from_integers(self):
        ends = [0, 1, 2**31 - 1, 2**24 + 1, 2**53 + 1, 2**53 + 3, 2**62 + 2**38 + 1, 2**63 - 1,
                2**63 - 2**38, 65519, 65520, 2049, 2**60 + 2**36, 2**60 + 2**36 + 1, 257]
        x = np.array(ends + [-value for value in ends] + [-2**63], np.int64)
        given = x.view(np.float64).reshape(-1, 1)
        lines, want = ["%i64 = arith.bitcast %w0 : i64 to i64"], []
        for width in (64, 32, 16, 8):
            whole = x.astype("int%d" % width)
            if width < 64:
                lines.append("%%i%d = arith.trunci %%i64 : i64 to i%d" % (width, width))
            for sign in ("s", "u"):
                source = whole if sign == "s" else whole.view("uint%d" % width)
                for kind in ("f64", "f32", "f16", "bf16"):
                    at = len(want)
                    word = "i%d" % (8 * WORD[kind]().itemsize)
                    lines += ["%%f%d = arith.%sitofp %%i%d : i%d to %s" % (at, sign, width, width,
                                                                          kind),
                              "%%r%d = arith.bitcast %%f%d : %s to %s" % (at, at, kind, word)]
                    want.append((word, self.whole_bits(kind, source)))
        text, arrays = self.run_each("f64", given, lines, [each for each, _ in want])
        arrays["x"] = x  # %w0; as f64 some are NaN
        self.check(text, arrays, {"y%d" % at: value.astype(arrays["y%d" % at].dtype)
                                  for at, (_, value) in enumerate(want)})

    def whole_bits(self, kind, source):
        """Of integers, in one rounding: numpy's own for f32 and f64; 16 bits by their distance."""
        if kind in ("f32", "f64"):
            return bits(kind, source.astype(HOST[kind]))
        digits = 11 if kind == "f16" else 8
        result = []
        for value in map(int, source):
            spare = max(abs(value).bit_length() - digits, 0)
            kept, rest = abs(value) >> spare, abs(value) & ((1 << spare) - 1)
            half = 1 << spare >> 1
            kept += rest > half or (rest == half and spare > 0 and kept & 1)
            result.append(float(kept << spare) * (-1 if value < 0 else 1))
        with np.errstate(over="ignore"):
            return bits(kind, nearest(kind, np.array(result)))

    def test_to_integers(self):
        rows = [(-2.0**63, 64, "s"), (2.0**63 - 1024, 64, "s"), (2.0**64 - 2048, 64, "u"),
                (2.0**63, 64, "u"), (-0.99, 64, "u"), (-2147483648.99, 32, "s"),
                (2147483647.99, 32, "s"), (4294967295.99, 32, "u"), (-0.5, 32, "u"),
                (-128.9, 8, "s"), (255.9, 8, "u"), (-1.0, 1, "s"), (1.0, 1, "u"), (1e-300, 16, "s")]
        for value, width, sign in rows:
            want = int(value) - (int(value) >> (width - 1) << width if sign == "u" else 0)
            lines = ["%%q = arith.fpto%si %%a0 : f64 to i%d" % (sign, width)]
            lines.append("%r0 = arith.extsi %q : i1 to i64" if width == 1 else
                         "%%r0 = arith.ext%si %%q : i%d to i64" % ("s", width) if width < 64 else
                         "%r0 = arith.bitcast %q : i64 to i64")
            want = (int(value) + (1 << width - 1)) % (1 << width) - (1 << width - 1)
            with self.subTest(value=value, width=width, sign=sign):
                self.compare("f64", np.array([[value]]), lines, [("i64", np.array([want]))])

    def test_what_fits_no_integer(self):
        rows = [(2.0**63, 64, "s"), (np.nan, 64, "s"), (-np.inf, 64, "u"), (2.0**64, 64, "u"),
                (-1.0, 64, "u"), (2.0**31, 32, "s"), (-2.0**31 - 1, 32, "s"), (2.0**32, 32, "u"),
                (-1.0, 8, "u"), (128.0, 8, "s"), (1.0, 1, "s"), (2.0, 1, "u"), (np.nan, 16, "u")]
        for value, width, sign in rows:
            lines = ["%%q = arith.fpto%si %%a0 : f64 to i%d" % (sign, width)]
            text, arrays = self.run_each("f64", np.array([[value]]), lines, [])
            path = self.write(text)
            line = 1 + text[:text.index("arith.fpto")].count("\n")
            np.save(self.path("x"), np.array([value]).view(np.int64))
            with self.subTest(value=value, width=width, sign=sign):
                done = pto.ptovm("run", path, "--in", "x=%s.npy" % self.path("x"))
                self.assertEqual(done.code, 1)
                self.assertRegex(
                    done.err, r"^%s:%d:\d+: fault: .*does not fit into (64 bits|%si%d)" % (
                        path, line, sign.strip("s"), width))

    def test_bits_of_one_width(self):
        """f16 as bf16, and through integers that lose their NaNs' digits alone."""
        x = self.pairs("f16", 40)[:, :1]
        as_bf16 = (bits("f16", x.reshape(-1)).astype(np.uint32) << 16).view(np.float32)
        lines = ["%q = arith.bitcast %a0 : f16 to bf16", "%r0 = arith.bitcast %q : bf16 to i16"]
        self.compare("f16", x, lines, [("i16", bits("bf16", as_bf16))])

    def kernel(self, lines, *numbers):
        """%y of eight f32; `numbers` are arguments with their types."""
        f = Function()
        f.pointer("y", "f32")
        for name, kind in numbers:
            f.argument(name, kind)
        for n in range(9):
            f.line("%%c%d = arith.constant %d : index" % (n, n))
        f.lines += ["    " + line for line in lines.split("\n")]
        return f

    def one(self, lines, want, *options, numbers=(), functions=()):
        """%r, an f32, is `want`."""
        f = self.kernel(lines + "\npto.store_scalar %r, %y[%c0] : !pto.ptr<f32>, f32", *numbers)
        zeros = np.zeros(8, np.float32)
        self.check(module("a5", f, *functions), {"y": zeros},
                   {"y": np.concatenate([[np.float32(want)], zeros[1:]])}, *options)

    def test_constants_and_arguments_have_the_digits_of_their_type(self):
        tenth, half = np.float32(0.1), np.float16(0.1)
        self.one("%t = arith.constant 0.1 : f32\n%r = arith.mulf %t, %t : f32", tenth * tenth)
        self.one("%r = arith.mulf %s, %s : f32", tenth * tenth, "--set", "s=0.1",
                 numbers=[("s", "f32")])
        self.one("%w = arith.extf %s : f16 to f32\n%r = arith.addf %w, %w : f32",
                 np.float32(half) + np.float32(half), "--set", "s=0.1", numbers=[("s", "f16")])
        self.one("%w = arith.extf %t : f32 to f64\n%d = arith.constant 0.1 : f64\n"
                 "%e = arith.subf %w, %d : f64\n%r = arith.truncf %e : f64 to f32",
                 np.float32(np.float64(tenth) - 0.1), "--set", "t=0.1", numbers=[("t", "f32")])
        self.one("%i = arith.constant 0x7f800000 : f32\n%z = arith.constant 0.0 : f32\n"
                 "%n = arith.mulf %i, %z : f32\n%c = arith.cmpf uno, %n, %z : f32\n"
                 "%one = arith.constant 1.0 : f32\n%r = arith.select %c, %one, %z : f32", 1.0)
        self.one("%d = arith.constant 0x3FB999999999999A : f64\n%r = arith.truncf %d : f64 to f32",
                 tenth)

    def test_loops_hand_on(self):
        total, other = np.float32(0), np.float32(1)
        for _ in range(8):
            total, other = np.float32(total + other), np.float32(other * np.float32(1.1))
        self.one("%f = arith.constant 1.1 : f32\n%z = arith.constant 0.0 : f32\n"
                 "%o = arith.constant 1.0 : f32\n"
                 "%r, %p = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %z, %t = %o) -> "
                 "(f32, f32) {\n%u = arith.addf %s, %t : f32\n%v = arith.mulf %t, %f : f32\n"
                 "scf.yield %u, %v : f32, f32\n}", total)
        tenth = np.float32(0.1)
        self.one("%f = arith.constant 0.1 : f32\n"
                 "%s = scf.for %i = %c0 to %c1 step %c1 iter_args(%t = %f) -> (f32) {\n"
                 "scf.yield %t : f32\n}\n%r = arith.mulf %s, %s : f32", tenth * tenth)

    def test_branches_and_functions_hand_on(self):
        tenth = np.float32(0.1)
        for number in (0.5, 2.0):
            self.one("%f = arith.constant 0.1 : f32\n%o = arith.constant 1.0 : f32\n"
                     "%c = arith.cmpf olt, %s, %o : f32\n"
                     "%t = scf.if %c -> (f32) {\nscf.yield %f : f32\n} else {\nscf.yield %s : f32\n"
                     "}\n%r = func.call @square(%t) : (f32) -> f32",
                     tenth * tenth if number < 1 else 4.0, "--set", "s=%s" % number,
                     numbers=[("s", "f32")], functions=[
                         "  func.func private @square(%x: f32) -> f32 {\n"
                         "    %z = arith.mulf %x, %x : f32\n    return %z : f32\n  }\n"])
        self.one("%x = scf.while (%v = %o) : (f32) -> (f32) {\n%c = arith.cmpf olt, %v, %s : f32\n"
                 "scf.condition(%c) %v : f32 } do {\n^bb0(%v: f32):\n"
                 "%w = arith.addf %v, %v : f32\nscf.yield %w : f32 }\n"
                 "%r = arith.addf %x, %o : f32".replace("%o", "%one"), 129.0, "--set", "s=100",
                 "--set", "one=1", numbers=[("s", "f32"), ("one", "f32")])

    def test_beside_tiles(self):
        """The scale of attention, computed where it is used; and an argument of another type."""
        f = Function()
        x, y, n = f.pointer("x", "f32"), f.pointer("y", "f32"), f.argument("n", "i32")
        f.line("%%w = arith.sitofp %s : i32 to f32" % n)
        f.line("%root = math.sqrt %w : f32")
        f.line("%one = arith.constant 1.0 : f32")
        f.line("%scale = arith.divf %one, %root : f32")
        f.type["%scale"] = "f32"
        t = f.loaded(x, 8, 32)
        f.op("tmuls", [t, "%scale"], [t])
        f.store(t, f.whole(y, 8, 32))
        given = self.floats(8, 32)
        scale = np.float32(1) / np.sqrt(np.float32(67))
        self.check(module("a3", f), {"x": given, "y": np.zeros_like(given)}, {"y": given * scale},
                   "--set", "n=67")
        f = Function()
        y, s = f.pointer("y", "f32"), f.argument("s", "f16")
        t = f.tile(vec(1, 64, "f32"))
        f.op("texpands", [s], [t])
        f.store(t, f.whole(y, 1, 64))
        self.check(module("a5", f), {"y": np.zeros(64, np.float32)},
                   {"y": np.full(64, np.float32(np.float16(0.1)))}, "--set", "s=0.1")


if __name__ == "__main__":
    unittest.main()
