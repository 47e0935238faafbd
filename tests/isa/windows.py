"""Windows of tiles in fractals: what goes through one touches that part of it, no other."""

import numpy as np

from harness import program
from values import encode, size

L1 = """
.kernel window
.mix 1:1
.in x : {dtype}[{high}, {wide}]
.in small : {dtype}[{rows}, {cols}]
.out y : {dtype}[{high}, {wide}]
.out z : {dtype}[{rows}, {cols}]
.core aic
.tile whole : l1 {dtype}[{high}, {wide}] {layout}
.tile part : {dtype}[{rows}, {cols}] {layout} of whole pitch {pitch}
    TLOAD whole, x
    pipe_barrier ALL
    TSTORE z, part({byte})
    pipe_barrier ALL
{register}
    TLOAD part(%at), small
    pipe_barrier ALL
    TSTORE y, whole
"""


def byte_of(layout, dtype, shape, corner):
    """Where the window begins: a line of fractals is as long as the tile."""
    (high, wide), (row, col) = shape, corner
    c0 = 32 // size(dtype)
    elements = col * high + row * c0 if layout == "nz" else \
        row * wide + col * (16 if layout == "zz" else c0)
    return elements * size(dtype)


def through_l1(dtype, layout, corner, into):
    rng = np.random.default_rng(4)
    c0 = 32 // size(dtype)
    block = (16, c0) if layout == "nz" else (c0, 16)
    shape, part = (5 * block[0], 4 * block[1]), (2 * block[0], 2 * block[1])
    x, small = (encode(rng.integers(-8, 9, s), dtype) for s in (shape, part))
    corners = [(r * block[0], c * block[1]) for r, c in (corner, into)]
    want = x.copy()
    want[corners[1][0]:, corners[1][1]:][:part[0], :part[1]] = small
    first, second = (byte_of(layout, dtype, shape, at) for at in corners)
    program(L1.format(dtype=dtype, high=shape[0], wide=shape[1], rows=part[0], cols=part[1],
                      layout=layout, pitch=shape[layout == "zn"], byte=first,
                      register="    %%at = %d" % second),
            {"x": (dtype, x), "small": (dtype, small)},
            {"y": (dtype, want),
             "z": (dtype, x[corners[0][0]:, corners[0][1]:][:part[0], :part[1]])})


CUBE = """
.kernel product
.mix 1:1
.in a : f16[48, 64]
.in b : f16[64, 48]
.out c : f32[48, 48]
.core aic
.tile a1 : l1 f16[48, 64]
.tile b1 : l1 f16[64, 48]
.tile a0 : l0a f16[48, 64]
.tile b0 : l0b f16[64, 48]
.tile c0 : l0c f32[48, 48]
.tile a_part : f16[32, 32] of a0 pitch {pitch}
.tile b_part : f16[32, 16] of b0 pitch 48
.tile c_part : f32[32, 16] of c0 pitch 48
    TLOAD a1, a
    TLOAD b1, b
    pipe_barrier ALL
    TMOV a0, a1
    TMOV b0, b1
    pipe_barrier ALL
    TMATMUL c0, a0, b0
    pipe_barrier ALL
    TMATMUL_ACC c_part({c}), a_part({a}), b_part({b})
    pipe_barrier ALL
    TSTORE c, c0
"""


def products(profile):
    """A product of windows is added to a window of the accumulator."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(-4, 5, (48, 64)), rng.integers(-4, 5, (64, 48))
    want = a @ b
    want[16:48, 32:48] += a[16:48, 16:48] @ b[32:64, 16:32]
    layout = "zz" if profile == "a2" else "nz"
    text = CUBE.format(pitch=64 if layout == "zz" else 48, c=(32 * 48 + 16 * 16) * 4,
                       a=byte_of(layout, "f16", (48, 64), (16, 16)),
                       b=byte_of("zn", "f16", (64, 48), (32, 16)))
    program(text, {"a": ("f16", encode(a, "f16")), "b": ("f16", encode(b, "f16"))},
            {"c": ("f32", encode(want, "f32"))}, profile=profile)


UB = """
.kernel window
.mix 1:1
.in x : {dtype}[48, 64]
.out y : {dtype}[48, 64]
.core aiv
.tile plain : ub {dtype}[48, 64] nd
.tile whole : ub {dtype}[48, 64] nz
.tile part : {dtype}[16, 32] nz of whole pitch 48
.tile small : ub {dtype}[16, 32] nd
.tile back : ub {dtype}[48, 64] nd
    TLOAD plain, x
    pipe_barrier ALL
    TMOV whole, plain
    pipe_barrier ALL
    TMOV small, part({first})
    pipe_barrier ALL
    TMOV part({second}), small
    pipe_barrier ALL
    TMOV back, whole
    pipe_barrier ALL
    TSTORE y, back
"""


def through_ub(dtype):
    x = np.random.default_rng(6).integers(-8, 9, (48, 64))
    want = x.copy()
    want[32:48, 0:32] = x[16:32, 32:64]
    text = UB.format(dtype=dtype, first=byte_of("nz", dtype, (48, 64), (16, 32)),
                     second=byte_of("nz", dtype, (48, 64), (32, 0)))
    program(text, {"x": (dtype, encode(x, dtype))}, {"y": (dtype, encode(want, dtype))},
            profile="a5")
