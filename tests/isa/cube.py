"""Cases of instructions of the cube: operands in L0A, L0B, L0C and the buffers beside them.

Inputs are windows of global memory; each goes by TLOAD and TMOV to its space.  An accumulator that
is read first receives the product of two other inputs.  The whole accumulator tile is stored before
and after, so that what lies outside the valid region shows."""

import numpy as np

import harness
import table
import values
from cases import Case, round_up
from moves import Window
from values import decode, encode

SIZES = ((16, 16, 16), (1, 1, 1), (5, 33, 7), (33, 70, 20), (40, 3, 50), (64, 16, 32))
EMPTY_SIZES = ((0, 5, 4), (3, 5, 0), (3, 0, 4))
ROW_SIZES = ((1, 16, 16), (1, 1, 1), (1, 33, 7), (1, 70, 40), (1, 300, 33), (0, 5, 4),
             (1, 5, 0), (1, 0, 4))
SHAPES = {"a": lambda m, k, n: (m, k), "b": lambda m, k, n: (k, n), "c": lambda m, k, n: (m, n),
          "bias": lambda m, k, n: (1, n)}


def fma(a, b, c):
    """a * b + c rounded once to f32; the factors' product has to be exact in f64, as that of two
    f32 values is.  The sum in f64 is rounded to odd, so that the second rounding does no harm."""
    product = np.float64(a) * np.float64(b)
    total = product + c
    back = total - product
    error = (product - (total - back)) + (c - back)
    even = np.ascontiguousarray(total).view(np.int64) % 2 == 0
    inexact = np.isfinite(total) & np.isfinite(error) & (error != 0) & even
    odd = np.where(inexact, np.nextafter(total, np.copysign(np.inf, error)), total)
    return odd.astype(np.float32).astype(np.float64)


def product(a, b, c=0.0):
    """c + a * b in ascending k: one fused multiply-add in f32 a step, or wrapping int32."""
    m, n = a.shape[0], b.shape[1]
    if a.dtype.kind == "f":
        total = np.broadcast_to(np.float64(c), (m, n))
        for k in range(a.shape[1]):
            total = fma(a[:, k:k + 1], b[k:k + 1, :], total)
        return total
    total = a.astype(np.int64) @ b.astype(np.int64)
    return (total + np.int64(c)).astype(np.int32)


def window(name, dtype, valid, bits=None):
    shape = max(valid[0], 1), max(valid[1], 1)
    whole = np.zeros(shape, values.bits_type(dtype))
    if bits is not None:
        whole[:valid[0], :valid[1]] = bits
    return Window(name, dtype, valid, whole, space="gm")


def contents(tile):
    return decode(tile.bits[:tile.valid[0], :tile.valid[1]], tile.dtype)


def staged(prefix, tile, space):
    """Lines that bring the contents of a window to `space`, and the operand that they become."""
    name, buffer = prefix + tile.name, space not in ("l0a", "l0b")
    shape = tile.shape if buffer else tuple(
        map(max, round_up(tile.shape, tile.dtype, "nz"), round_up(tile.shape, tile.dtype, "zn")))
    declare = ".tile %s_%s : %s %s[%d, %d]%s @ 0"
    extent = "{%d, %d}" % tile.valid
    lines = [declare % (name, "l1", "l1", tile.dtype, *shape, " nd" if buffer else " nz"),
             declare % (name, space, space, tile.dtype, *shape, ""),
             "    TLOAD %s_l1%s, %s" % (name, extent, tile.text(prefix)), "    pipe_barrier ALL",
             "    TMOV %s_%s%s, %s_l1%s" % (name, space, extent, name, extent),
             "    pipe_barrier ALL"]
    return lines, "%s_%s%s" % (name, space, extent)


class CubeCase(Case):
    """`operands`: in order, a Window per tile that is read, the Window `after` for the accumulator,
    texts.  `start`: two windows whose product the accumulator holds before; () if it may hold
    anything.  `want`: function of its values before -> values after (None: unchanged)."""

    core = "aic"

    def __init__(self, row, number, operands, start, size, want, profile):
        self.spaces = {o["name"]: o["spaces"][0] for o in row["operands"] if o["kind"] == "tile"}
        self.start, self.size, self.want = start, size, want
        self.after = next(o for o in operands if isinstance(o, Window) and
                          self.spaces[o.name] == "l0c")
        self.found = Window("found", self.after.dtype, self.after.shape, self.after.bits,
                            space="gm")
        kind = number, tuple(o.dtype for o in operands if isinstance(o, Window))
        super().__init__(row["mnemonic"], operands, profile, kind, [*start, self.found])

    def objects(self, number, block):
        results = self.after, self.found
        return [t.view("c%d_" % number, "after" if t in results else "image", block)
                for t in self.tiles]

    def lines(self, number, block):
        prefix = "c%d_" % number
        acc = "%sacc{%d, %d}" % (prefix, *self.size)
        lines = [".tile %sacc : l0c %s[%d, %d] @ 0" % (prefix, self.after.dtype, *self.after.shape)]
        if self.start:
            (some, a), (more, b) = [staged(prefix, t, s)
                                    for t, s in zip(self.start, ("l0a", "l0b"))]
            lines += some + more + ["    TMATMUL %s, %s, %s" % (acc, a, b), "    pipe_barrier ALL"]
        lines += self.store(prefix, self.found)
        texts = []
        for operand in self.operands:
            if isinstance(operand, Window) and operand is not self.after:
                more, operand = staged(prefix, operand, self.spaces[operand.name])
                lines += more
            texts.append(acc if operand is self.after else str(operand))
        return lines + ["    %s %s" % (self.mnemonic, ", ".join(texts)), "    pipe_barrier ALL"] \
            + self.store(prefix, self.after)

    def store(self, prefix, tile):
        return ["    TSTORE %s, %sacc" % (tile.text(prefix), prefix), "    pipe_barrier ALL"]

    def check(self, after):
        bits, start = self.after.get(after), self.found.get(after)
        rows, cols = self.size
        before = decode(start[:rows, :cols], self.after.dtype)
        self.after.want = start.copy()
        with np.errstate(all="ignore"):
            if self.start:
                a, b = map(contents, self.start)
                if not np.array_equal(encode(product(a, b), self.after.dtype), start[:rows, :cols]):
                    return ["the accumulator does not start as the product of two inputs"]
            value = self.want(before)
            if value is not None and before.size:
                self.after.want[:rows, :cols] = encode(value, self.after.dtype)
        bad = bits != self.after.want
        self.after.valid = self.size
        return [self.describe(self.after, bits, bad)] if bad.any() else []


def draw(dtype, shape, rng, special):
    """Moderate values of very different size, or anything at all."""
    if special or dtype in values.INTS:
        return values.random_bits(dtype, shape, rng)
    return encode(rng.normal(0, 1, shape) * 2.0 ** rng.integers(-6, 7, shape), dtype)


def cube(mnemonic, reference, row=0, *, shapes=None, scalars=None, sizes=SIZES + EMPTY_SIZES):
    """Test a row whose operands are an accumulator, inputs in L0A and L0B and maybe buffers.

    reference  function(values of the accumulator before, of the inputs in operand order, scalars)
               -> its values after (float64, int32), or None where it stays as it is
    shapes     {operand: function of (m, k, n) -> (rows, columns)} beside a, b, c and bias
    scalars    {operand: list}
    Runs on a2 and, for all types, on a5.
    """
    info = table.rows_of(mnemonic)[row]
    rng = np.random.default_rng(list(mnemonic.encode()) + [row])
    count = len(table.typed_operands(info))
    base, more = [table.alternatives(info[level], count) for level in ("types", "types_a5")]
    for profile, types in (("a2", base), ("a5", base + more)):
        for alternative in types:
            for number, size in enumerate(sizes):
                for special in (False, True):
                    one_product(info, row, alternative, size, special, profile, reference,
                                {**SHAPES, **(shapes or {})}, scalars or {}, number, rng)


def one_product(info, row, types, size, special, profile, reference, shapes, scalars, number, rng):
    typed = dict(zip([o["name"] for o in table.typed_operands(info)], types))
    operands, inputs, extra = [], [], []
    for operand in info["operands"]:
        name = operand["name"]
        if operand["kind"] != "tile":
            choice = scalars[name]
            extra.append(choice[number % len(choice)])
            operands.append(str(extra[-1]))
        elif operand["spaces"] == ["l0c"]:
            result = tuple(np.add(round_up(shapes[name](*size), "f32", "nz", "l0c"), (16, 16)))
            operands.append(window(name, typed[name], result))
            read, valid = operand["read"], shapes[name](*size)
        else:
            shape = shapes[name](*size)
            inputs.append(window(name, typed[name], shape, draw(typed[name], shape, rng, special)))
            operands.append(inputs[-1])
    start = ()
    if read and 0 not in valid:
        kinds = ["f16"] * 2 if "e8m0" in types else [t.dtype for t in inputs[:2]]
        start = [window("start_" + n, d, s, draw(d, s, rng, False)) for n, d, s in
                 zip("ab", kinds, ((valid[0], 9), (9, valid[1])))]
    arguments = [contents(t) for t in inputs]
    harness.add(CubeCase(info, row, operands, start, valid,
                         lambda before: reference(before, *arguments, *extra), profile))


THROUGH = """
.kernel through_the_cube
.mix 1:1
.in x : {dtype}[64, 96]
.in unit : {dtype}[32, 32]
.out after : {acc}[{rows}, {cols}]
.core aic
.tile x1 : l1 {dtype}[64, 96] {layout}
.tile u1 : l1 {dtype}[32, 32] nz
.tile a : l0a {dtype}[32, 32]
.tile b : l0b {dtype}[32, 32]
.tile c : l0c {acc}[32, 32]
    TLOAD x1, x
    TLOAD u1, unit
    pipe_barrier ALL
    {mnemonic} {moved}{{{rows}, {cols}}}, x1{window}
    TMOV {other}{{{inner}, {inner}}}, u1{{{inner}, {inner}}}
    pipe_barrier ALL
    TMATMUL c{{{rows}, {cols}}}, a{{{rows}, {a_cols}}}, b{{{b_rows}, {cols}}}
    pipe_barrier ALL
    TSTORE after, c{{{rows}, {cols}}}
"""


def through_cube(mnemonic, dtype, side, layout, offset=None, profile="a2"):
    """A window of a tile in L1 comes out right where a product with a unit matrix shows it."""
    rows, cols = 19, 27
    at = offset or (0, 0)
    inner = cols if side == "l0a" else rows
    x = np.random.default_rng(5).integers(-8, 9, (64, 96))
    acc = "i32" if dtype == "i8" else "f32"
    text = THROUGH.format(
        dtype=dtype, acc=acc, rows=rows, cols=cols, layout=layout, mnemonic=mnemonic, inner=inner,
        a_cols=inner, b_rows=inner, moved=side[2:], other="b" if side == "l0a" else "a",
        window="(%d, %d)" % offset if offset else "{%d, %d}" % (rows, cols))
    harness.program(text, {"x": (dtype, x), "unit": (dtype, np.eye(32))},
                    {"after": (acc, encode(x[at[0]:at[0] + rows, at[1]:at[1] + cols], acc))},
                    profile=profile)


ACCUMULATE = """
.kernel accumulate
.mix 1:1
.in a : {factor}[33, 1]
.in b : {factor}[1, 19]
{objects}
.core aic
.tile a1 : l1 {factor}[48, 32]
.tile b1 : l1 {factor}[32, 32]
.tile a0 : l0a {factor}[48, 32]
.tile b0 : l0b {factor}[32, 32]
.tile c : l0c {acc}[48, 32]
    TLOAD a1{{33, 1}}, a
    TLOAD b1{{1, 19}}, b
    pipe_barrier ALL
    TMOV a0{{33, 1}}, a1{{33, 1}}
    TMOV b0{{1, 19}}, b1{{1, 19}}
    pipe_barrier ALL
    TMATMUL c{{33, 19}}, a0{{33, 1}}, b0{{1, 19}}
    pipe_barrier ALL
{lines}
"""


class Accumulated:
    """A kernel whose accumulator `c` holds the 33 x 19 products of a column and a row of any
    values: `text(objects, lines)` to go on from there, `inputs` for it, `total` what c holds."""

    def __init__(self, factor="f32", acc="f32"):
        rng = np.random.default_rng(6)
        a, b = [values.random_bits(factor, shape, rng) for shape in ((33, 1), (1, 19))]
        self.factor, self.acc, self.inputs = factor, acc, {"a": (factor, a), "b": (factor, b)}
        with np.errstate(all="ignore"):
            self.total = product(decode(a, factor), decode(b, factor))

    def text(self, objects, lines):
        return ACCUMULATE.format(factor=self.factor, acc=self.acc, objects="\n".join(objects),
                                 lines="\n".join(lines))


def out_of_l0c(mnemonic, dtype, layout, offset=None):
    """A window of an accumulator goes to L1, with a cast, and from there to global memory."""
    row, col = offset or (0, 0)
    before = Accumulated()
    with np.errstate(all="ignore"):
        want = encode(before.total[row:, col:], dtype)
    extent = "{%d, %d}" % want.shape
    text = before.text([".out after : %s[%d, %d]" % (dtype, *want.shape)], [
        ".tile d : l1 %s[48, 32] %s" % (dtype, layout),
        "    %s d%s, c%s" % (mnemonic, extent, "(%d, %d)" % offset if offset else extent),
        "    pipe_barrier ALL", "    TSTORE after, d" + extent])
    harness.program(text, before.inputs, {"after": (dtype, want)}, [(mnemonic, 0, dtype, "f32")])
