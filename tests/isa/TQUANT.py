"""TQUANT: to 8-bit integers with a scale (and an offset) per row."""
import numpy as np

from harness import rejects, run, tilewise
from reference import column, f32


def quantise(src, scale, offset=None, types=None):
    y = f32(f32(src) * f32(scale))
    y = np.rint(y if offset is None else f32(y + offset))
    low = 0 if types["dst"] == "u8" else -128
    return np.where(np.isnan(y), 0, np.clip(y, low, low + 255)).astype(np.int64)


def small(draw):
    return draw.rng.normal(0, 40, draw.shape)


def halves(draw):
    """Products that are ties."""
    return draw.rng.integers(-300, 300, draw.shape) / 2


for data in (None, {"src": small, "scale": lambda d: d.rng.uniform(0, 4, d.shape), "offset": small},
             {"src": halves, "scale": lambda d: np.ones(d.shape), "offset": halves}):
    tilewise("TQUANT", quantise, shapes={"scale": column, "offset": column}, data=data, alias=False)
rejects("""
    .tile d : ub u8[1, 32]
    .tile a : ub f32[1, 8]
    .tile s : ub f32[1, 8]
    TQUANT d, a, s""", "does not take the types u8,f32,f32")
run()
