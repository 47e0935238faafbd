"""TIMG2COL: windows of a feature map as rows of a matrix; a product with a unit matrix shows it."""
import itertools

import numpy as np

from harness import misfits, program, rejects, run
from values import bits_type, decode, encode, size, to_float

# How the bytes of a type are looked at where the cube has no products of it.
SEEN_AS = {"u8": "i8", "i16": "f16", "u16": "f16", "i32": "f32", "u32": "f32"}
KERNEL = """
.kernel unfold
.mix 1:1
.in x : {dtype}[{map_rows}, {map_cols}]
.in unit : {seen}[{depth}, {depth}]
.out y : {acc}[{rows}, {depth}]
.core aic
.tile map : l1 {dtype}[{tile_rows}, {tile_cols}] {layout}
.tile unit1 : l1 {seen}[{wide}, {wide}] nz
.tile b0 : l0b {seen}[{wide}, {wide}]
.tile a0 : l0a {dtype}[{high}, {wide}]
.tile as_seen : {seen}[{high}, {wide}] of a0
.tile c0 : l0c {acc}[{high}, {wide}]
    TLOAD map{{{map_rows}, {map_cols}}}, x
    TLOAD unit1{{{depth}, {depth}}}, unit
    pipe_barrier ALL
    TMOV b0{{{depth}, {depth}}}, unit1{{{depth}, {depth}}}
{lines}
    TIMG2COL a0{{{rows}, {depth}}}, map{{{map_rows}, {map_cols}}}, {operands}
    pipe_barrier ALL
    TMATMUL c0{{{rows}, {depth}}}, as_seen{{{rows}, {depth}}}, b0{{{depth}, {depth}}}
    pipe_barrier ALL
    TSTORE y, c0{{{rows}, {depth}}}
"""


class Conv:
    def __init__(self, height, width, blocks, filters, stride=None, dilation=None,
                 pads=(0, 0, 0, 0)):
        self.height, self.width, self.blocks, self.filters = height, width, blocks, filters
        self.stride, self.dilation, self.pads = stride, dilation, pads

    def matrix(self, x, padding):
        """All windows of x, blocks of channels by rows by columns by channels of a block."""
        left, right, top, bottom = self.pads
        x = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=padding)
        (fh, fw), (sh, sw), (dh, dw) = self.filters, self.stride or (1, 1), self.dilation or (1, 1)
        high = (x.shape[1] - dh * (fh - 1) - 1) // sh + 1
        wide = (x.shape[2] - dw * (fw - 1) - 1) // sw + 1
        parts = [x[:, i * dh:, j * dw:][:, :sh * (high - 1) + 1:sh, :sw * (wide - 1) + 1:sw]
                 for i in range(fh) for j in range(fw)]
        whole = np.stack(parts, 0)  # filter, block, row, column, channel
        return whole.transpose(2, 3, 1, 0, 4).reshape(high * wide, -1)

    def numbers(self):
        left, right, top, bottom = self.pads
        words = list(self.filters) + list(self.stride or ())
        words += list(self.dilation) if self.dilation else []
        return "fmatrix(%d, %d, %d, %d, %d, %d)" % (self.height, self.width, left, right, top,
                                                   bottom), words


def unfolds(dtype, conv, layout, pos_m=0, pos_k=0, rows=None, depth=None, padding=None,
            registers=False, profile="a2", seed=3):
    c0, seen = 32 // size(dtype), SEEN_AS.get(dtype, dtype)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(1, 100, (conv.blocks, conv.height, conv.width, c0))
    bits = to_float(drawn, seen) if seen[0] in "fb" else drawn.astype(bits_type(seen))
    pad = 0 if padding is None else int(encode(np.array([padding], float), dtype)[0])
    whole = conv.matrix(bits, bits_type(dtype).type(pad))
    rows = min(whole.shape[0] - pos_m, 40) if rows is None else rows
    depth = min(whole.shape[1] - pos_k, 3 * c0) if depth is None else depth
    part = whole[pos_m:pos_m + rows, pos_k:pos_k + depth]
    acc = "i32" if seen == "i8" else "f32"
    want = encode(decode(part, seen), acc)
    if layout == "nz":  # a row for each position
        x = bits.transpose(1, 2, 0, 3).reshape(conv.height * conv.width, -1)
        tile = x.shape
    else:
        x = bits.reshape(-1, c0)
        tile = x.shape[0] + 3, c0
    where, words = conv.numbers()
    operands = [pos_m, pos_k, where] + words
    if padding is not None:
        operands += [1] * (9 - len(operands)) + [padding]
    lines = ""
    if registers:
        operands = ["%%n%d" % n for n in range(len(operands))]
        lines = "\n".join("    %%n%d = %s" % pair for pair in enumerate(
            [pos_m, pos_k, where] + words + ([1] * (6 - len(words)) + [padding]
                                             if padding is not None else [])))
    text = KERNEL.format(
        dtype=dtype, seen=seen, acc=acc, layout=layout, rows=rows, depth=depth,
        high=-(-rows // 16) * 16, wide=-(-depth // 32) * 32, map_rows=x.shape[0],
        map_cols=x.shape[1], tile_rows=tile[0], tile_cols=tile[1], lines=lines,
        operands=", ".join(map(str, operands)))
    program(text, {"x": (dtype, x), "unit": (seen, encode(np.eye(depth), seen))},
            {"y": (acc, want)}, [("TIMG2COL", 0, dtype, dtype)], profile)


SMALL = Conv(4, 4, 2, (2, 2))
CONVS = [SMALL, Conv(8, 6, 1, (3, 3), pads=(1, 1, 1, 1)), Conv(5, 16, 2, (3, 2), (2, 3)),
         Conv(8, 8, 1, (2, 3), (1, 2), (3, 2), (0, 3, 2, 1)), Conv(4, 8, 3, (1, 1)),
         Conv(2, 8, 1, (5, 9), (1, 1), (1, 1), (1, 0, 2, 3)), Conv(16, 1, 1, (4, 1), (63, 63)),
         Conv(3, 16, 1, (2, 2), (1, 1), (1, 1), (255, 0, 0, 7))]
BASE, MORE = ("i8", "f16", "bf16", "f32"), ("u8", "i16", "u16", "i32", "u32")
for conv, layout in itertools.product(CONVS, ("nz", "nd")):
    unfolds("f16", conv, layout)
    unfolds("f16", conv, layout, registers=True)
for dtype, layout in itertools.product(BASE + MORE, ("nz", "nd")):
    c0 = 32 // size(dtype)
    profile = "a5" if dtype in MORE else "a2"
    padded = Conv(4, 8, 2, (3, 3), (2, 1), (1, 2), (2, 1, 1, 0))
    for padding in (None, 5):
        unfolds(dtype, padded, layout, 3, 2 * c0, 7, c0 + 3, padding, profile=profile)
        unfolds(dtype, padded, layout, 0, 15 * c0, 9, 3 * c0, padding, True, profile)
for dtype in BASE:
    unfolds(dtype, SMALL, "nz", profile="a5")
unfolds("f16", Conv(7, 5, 2, (3, 3)), "nd")  # 35 positions: no row of fractals
unfolds("f16", Conv(4, 8, 1, (3, 3), pads=(1, 1, 1, 1)), "nz", 16, 32, 16, 16, registers=True)

TILES = """
    .tile a : l0a f16[16, 32]
    .tile x : l1 f16[64, 32] nz
    .tile y : l1 f16[128, 16] nd
"""
GOOD = "    TIMG2COL a, x, 0, 0, fmatrix(8, 8, 1, 1, 1, 1), 3, 3"


def wrong(line, message, tiles=TILES):
    misfits(tiles + line, message, core="aic")


wrong(GOOD.replace("8, 8, 1", "8, 9, 1"), "fmatrix says 8 x 9 positions, src has 64 of 64 rows")
wrong(GOOD.replace("a, x,", "a, x{32, 32},"), "src has 32 of 64 rows")
wrong(GOOD.replace("a, x,", "a, y,"), "src has 100 rows, no multiple of the 8 x 8 positions",
      TILES.replace("128", "100"))
wrong(GOOD.replace("8, 8, 1", "0, 8, 1"), "fmatrix says 0 x 8 positions")
wrong(GOOD.replace("a, x, 0", "a, x, 49"), "16 rows from posM = 49 on: the matrix has 64")
wrong(GOOD.replace("a, x, 0", "a, x, -1"), "16 rows from posM = -1 on")
wrong(GOOD.replace("x, 0, 0", "x, 0, 8"), "posK is 8, no multiple of 16")
wrong(GOOD.replace("x, 0, 0", "x, 0, 272"), "32 columns from posK = 272 on: the matrix has 288")
wrong(GOOD.replace("3, 3", "9, 11"), "filter of 9 x 11 with dilation 1, 1 is larger than the map")
wrong(GOOD.replace("3, 3", "512, 3"), "filterH is 512: it is 1 to 511")
wrong(GOOD.replace("3, 3", "3, 0"), "filterW is 0")
wrong(GOOD + ", 64", "strideH is 64: it is 1 to 63")
wrong(GOOD + ", 1, 1, 1, 256", "dilationW is 256: it is 1 to 255")
wrong(GOOD.replace("a, x", "a, d"), "src is in dn", TILES + "    .tile d : l1 f16[64, 32] dn\n")
wrong(GOOD.replace("a, x", "a, w"), "src is a window of a tile: a feature map lies in one piece",
      TILES + "    .tile z : l1 f16[80, 16] nz\n    .tile w : f16[64, 16] nz of z pitch 80\n")
wrong(GOOD.replace("a, x", "a, y{128, 15}"), "src has 15 columns: a feature map in nd has rows")
rejects(TILES.replace("x : l1 f16", "x : l1 bf16") + GOOD, "types f16,bf16", core="aic")
rejects(TILES.replace("f16", "i32").replace("16, 32", "16, 8").replace("64, 32", "64, 8") + GOOD,
        "i32 needs level a5|types i32", core="aic")
rejects(TILES + GOOD.replace("1, 1, 1, 1", "1, 256, 1, 1"), "takes 0 to 255 here, not 256",
        core="aic")
rejects(TILES + GOOD.replace("fmatrix(8, 8,", "fmatrix(70000, 8,"), "0 to 65535", core="aic")
rejects(TILES + GOOD.replace(", 1, 1, 1, 1)", ")"), "fmatrix.. takes 6 arguments", core="aic")
rejects(TILES.replace("f16", "i8").replace("128, 16", "128, 32") + GOOD + ", 1, 1, 1, 1, 300",
        "out of the range of i8", core="aic")
rejects(TILES.replace("a : l0a", "a : l0b") + GOOD, "dst must lie in l0a", core="aic")
run()
