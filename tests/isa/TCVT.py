"""TCVT: every pair of types, rounding and saturation, over all inputs of two bytes and less."""
import numpy as np

from harness import every, is_float, misfits, rejects, run, tilewise
from mx import PAIRS
from values import FLOATS, MODES, decode, largest, size, to_float, to_int, to_integral

# Pairs (dst, src) that keep the low bits unless saturation is asked for.
WRAP = {("u8", "f16"), ("i8", "f16"), ("i16", "f32"), ("i16", "f16"), ("i32", "i64"),
        ("i16", "i32")}


def saturates(dst, src, saturation):
    if (dst, src) in WRAP:
        return saturation == "sat"
    if dst.startswith("f8") or (dst, src) == ("f16", "bf16"):
        return saturation != "nosat"
    return dst != "f32"  # exact from smaller floats, in range from integers


def rounding(dst, src, mode):
    if mode in (None, "default") or (mode == "odd" and (dst, src) != ("f16", "f32")):
        return "rint" if is_float(dst) else "trunc"
    return mode


def convert(x, types, mode=None, saturation=None):
    dst, src = types["dst"], types["src"]
    mode, saturate = rounding(dst, src, mode), saturates(dst, src, saturation)
    if dst == src:
        return to_float(to_integral(x, mode), dst)
    if is_float(dst):
        return to_float(x, dst, mode, saturate)
    return to_int(x, dst, mode, saturate)


def convert_bits(bits, types, mode=None, saturation=None):
    return convert(decode(bits, types["src"]), types, mode, saturation)


def near_ties(draw):
    """Values of a wide source about the values of dst and halfway between them."""
    dst, src = draw.types["dst"], draw.types["src"]
    if size(src) <= 2 or dst == src:
        return None
    count = int(np.prod(draw.shape))
    if src in FLOATS:
        if size(dst) <= 2:
            near = decode(draw.rng.choice(every(dst), count), dst).astype(np.float64)
            near = np.where(np.isfinite(near), near, largest("f32"))
        else:
            near = np.trunc(draw.rng.normal(0, 1, count) * 2.0 ** draw.rng.integers(0, 66, count))
        step = draw.rng.choice([0, 0.5, 0.25, 2.0 ** -12, 2.0 ** -9, 2.0 ** -8], count)
        tiny = draw.rng.choice([0, 2.0 ** -22, -2.0 ** -22], count)
        return (near * (1 + np.where(np.abs(near) > 64, step, 0) + tiny)
                + np.where(np.abs(near) <= 64, step, 0)).reshape(draw.shape)
    top = draw.rng.integers(-2 ** 25, 2 ** 25, count)
    shift = draw.rng.integers(0, 38 if size(src) == 8 else 6, count)
    low = np.where(shift > 0, 1 << np.maximum(shift - 1, 0), 0) * draw.rng.integers(0, 2, count)
    return ((top << shift) + low + draw.rng.integers(-1, 2, count)).reshape(draw.shape)


def is_pair(dtype):
    """Two numbers of four bits in a byte, the first in the low ones."""
    return dtype in PAIRS or dtype == "s4x2"


def of_pairs(types):
    return is_pair(types["dst"]) or is_pair(types["src"])


tilewise("TCVT", convert_bits, raw=True, exhaustive=True, data={"src": near_ties},
         sizes=((3, 5), (64, 64)), alias=[("dst", "src")],
         words={"mode": [None] + list(MODES), "saturation": [None, "sat", "nosat"]},
         only=lambda types: not of_pairs(types))
tilewise("TCVT", convert_bits, raw=True, words={"mode": ["default"], "saturation": ["satdefault"]},
         only=lambda types: not of_pairs(types))

# ---- pairs of four bits --------------------------------------------------------------------------


def fp4_codes(x, dtype, mode):
    """The codes of fp4 for numbers: of the two next to a magnitude the one that the mode says."""
    grid, size = np.array(PAIRS[dtype]), np.abs(np.where(np.isnan(x), 0, x))
    low = np.clip(np.searchsorted(grid, size, side="right") - 1, 0, 7)
    high = np.minimum(low + 1, 7)
    gap = np.where(high > low, grid[high] - grid[low], 1)
    rest = np.where(high > low, (size - grid[low]) / gap, 0)
    up = {"rint": (rest > 0.5) | ((rest == 0.5) & (low % 2 == 1)), "round": rest >= 0.5,
          "floor": (rest > 0) & np.signbit(x), "ceil": (rest > 0) & ~np.signbit(x),
          "trunc": rest > 1}[mode]
    return np.where(np.isnan(x), 0, np.where(up, high, low) | np.signbit(x) << 3)


def s4_codes(x, mode):
    return np.clip(np.where(np.isnan(x), 0, to_integral(x, mode)), -8, 7).astype(int) & 15


def convert_pairs(bits, types, size, mode=None, saturation=None):
    dst, src = types["dst"], types["src"]
    mode = "rint" if mode in (None, "default", "odd") else mode
    if is_pair(dst):
        x = decode(bits, src).astype(np.float64)
        codes = s4_codes(x, mode) if dst == "s4x2" else fp4_codes(x, dst, mode)
        return codes[:, ::2] | codes[:, 1::2] << 4
    codes = np.stack([bits & 15, bits >> 4], 2).reshape(
        bits.shape[0], 2 * bits.shape[1])[:, :size[1]]
    if src == "s4x2":
        return to_float((codes.astype(int) ^ 8) - 8, dst)
    return to_float(np.where(codes & 8, -1.0, 1.0) * np.array(PAIRS[src])[codes & 7], dst)


def of_both_sizes(rows, cols, types):
    return rows, 2 * cols if is_pair(types["dst"]) else (cols + 1) // 2


def all_numbers(draw):
    """Every number of the source's type, where there is room."""
    values = every(draw.types["src"])
    return decode(np.resize(values, draw.shape), draw.types["src"]) \
        if np.prod(draw.shape) >= values.size else None


tilewise("TCVT", convert_pairs, raw=True, only=of_pairs, shapes={"src": of_both_sizes},
         data={"src": all_numbers}, sizes=((1, 1), (3, 5), (16, 32), (3, 700), (256, 128)),
         words={"mode": [None] + list(MODES), "saturation": [None, "sat", "nosat"]})
tilewise("TCVT", convert_pairs, raw=True, only=of_pairs, shapes={"src": of_both_sizes},
         words={"mode": ["default"], "saturation": ["satdefault"]})

TILES = """
    .tile d : ub u8[4, 32]
    .tile a : ub f32[4, 8]
"""
rejects(TILES + "    TCVT d, a", "types u8,f32")
rejects(TILES.replace("u8", "f16") + "    TCVT d, a, nearest", "nearest")
for types in (("f16", "i32"), ("bf16", "f16"), ("s4x2", "f16"), ("f16", "s4x2")):
    rejects(TILES.replace("u8", types[0]).replace("f32", types[1]) + "    TCVT d, a", "types", "a5")
misfits(TILES.replace("u8", "f16") + "    TCVT d, a", "4 x 8 valid elements where 4 x 32")
misfits(TILES.replace("u8", "s4x2").replace("f32", "f16") + "    TCVT d{4, 5}, a",
        "4 x 8 valid elements where 4 x 10")
misfits(TILES.replace("u8", "f16").replace("f32", "s4x2") + "    TCVT d{4, 17}, a",
        "4 x 8 valid elements where 4 x 9")
run()
