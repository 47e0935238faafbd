"""THISTOGRAM: how often each value of a byte occurs below given upper bytes."""
import numpy as np

from harness import misfits, run, tilewise


def histogram(src, idx, byte, size):
    if size[1] != 256:
        return None
    bits, shift = 8 * src.itemsize, 8 * int(byte[-1])
    result = np.zeros(size, np.uint32)
    for row in range(size[0]):
        keep = np.ones(src.shape[1], bool)
        for i, at in enumerate(range(bits - 8, shift, -8)):
            keep &= (src[row] >> at & 255) == idx[row, i]
        result[row] = np.bincount(src[row][keep] >> shift & 255, minlength=256)
    return result


def few_bytes(draw):
    """Numbers of few different bytes, so that the upper ones often match."""
    data = draw.rng.choice([0, 3, 255], draw.shape + (4,))
    return (data << np.array([0, 8, 16, 24])).sum(-1).astype(
        np.uint32 if draw.dtype == "u32" else np.uint16)


def some_byte(draw):
    return draw.rng.choice([0, 3, 255], draw.shape)


for byte in range(4):
    for cols in (0, 1, 40, 700):
        tilewise("THISTOGRAM", histogram, row=0, words={"byte": ["BYTE_%d" % byte]}, alias=False,
                 sizes=((1, 256), (3, 256), (5, 256)), few_sizes=((3, 256),), empty=False,
                 special=False, data={"src": few_bytes, "idx": some_byte},
                 only=lambda types, b=byte: b < (2 if types["src"] == "u16" else 4),
                 shapes={"src": lambda r, c, n=cols: (r, n), "idx": lambda r, c: (r, 3)})
TILES = """
    .tile d : ub u32[2, 256]
    .tile a : ub u16[2, 16]
    .tile i : ub u8[2, 32]
"""
misfits(TILES + "    THISTOGRAM d, a, i, BYTE_2", "BYTE_1 and BYTE_0 only", profile="a5")
misfits(TILES + "    THISTOGRAM d{2, 255}, a, i, BYTE_1", "give {2, 256}", profile="a5")
misfits(TILES + "    THISTOGRAM d, a{1, 16}, i, BYTE_1",
        "src has 1 x 16 valid elements", profile="a5")
run()
