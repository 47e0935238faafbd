"""TDEQUANT: small integers with offset and scale per row; fp8 and fp4 with shared exponents."""
import numpy as np

from harness import misfits, run, tilewise
from reference import column, f32


def restore(src, scale, offset):
    return f32(f32(src.astype(float) - offset) * scale)


def small(draw):
    return draw.rng.normal(0, 40, draw.shape)


for data in (None, {"scale": small, "offset": small}):
    tilewise("TDEQUANT", restore, shapes={"scale": column, "offset": column}, data=data,
             alias=False)
GROUP = 32
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def groups(r, c):
    return r, c // GROUP


def fp4_bytes(r, c, types):
    return r, c // 2 if types["src"] == "u8" else c


def restore_mx(src, exp, types=None):
    if types["src"] == "u8":
        codes = np.stack([src % 16, src // 16], axis=-1).reshape(len(src), -1).astype(int)
        src = np.where(codes & 8, -1.0, 1.0) * E2M1[codes & 7]
    if src.shape[1] % GROUP:
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        scale = np.where(exp == 255, np.nan, 2.0 ** (exp.astype(float) - 127))
        return f32(src * np.repeat(scale, GROUP, axis=1))


def usual(draw):
    return draw.rng.integers(100, 150, draw.shape)


def extreme(draw):
    return draw.rng.choice([0, 1, 127, 253, 254, 255], draw.shape)


for exponents in (usual, extreme):
    tilewise("TDEQUANT", restore_mx, row=1, data={"exp": exponents}, alias=False, special=False,
             empty=False, sizes=((1, 32), (3, 64), (5, 320)), few_sizes=((3, 64),),
             shapes={"src": fp4_bytes, "exp": groups})
for region, message in (("{1, 33}", "a group has 32, so give a multiple"), ("{1, 96}", "exp has")):
    misfits("""
    .tile d : ub f32[1, 96]
    .tile a : ub f8e4m3[1, 96]
    .tile e : ub u8[1, 32]
    TDEQUANT d%s, a, e{1, 2}""" % region, message, profile="a5")
run()
