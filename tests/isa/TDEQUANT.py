"""TDEQUANT: small integers to f32 with offset and scale per row."""
from harness import run, tilewise
from reference import column, f32


def restore(src, scale, offset):
    return f32(f32(src.astype(float) - offset) * scale)


def small(draw):
    return draw.rng.normal(0, 40, draw.shape)


for data in (None, {"scale": small, "offset": small}):
    tilewise("TDEQUANT", restore, shapes={"scale": column, "offset": column}, data=data, alias=False)
run()
