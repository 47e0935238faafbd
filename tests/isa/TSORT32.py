"""TSORT32: blocks of 32 values with their indices, the greatest first."""
import numpy as np

import values
from harness import misfits, run, tilewise
from sorting import LENGTH, descending, draw_bits, records


def sort(src, idx, types, size):
    result, dtype = np.zeros(size, src.dtype), types["src"]
    idx = np.broadcast_to(idx, src.shape)
    for row in range(size[0]):
        for first in range(0, src.shape[1], 32):
            bits, index = src[row, first:first + 32], idx[row, first:first + 32]
            order = descending(bits, dtype)
            part = records(bits[order], index[order], dtype)
            result[row, first * LENGTH[dtype]:][:part.size] = part
    return result


def troublesome(draw):
    bits = draw_bits(draw.rng, draw.dtype, draw.shape[0] * draw.shape[1])
    return values.decode(bits, draw.dtype).reshape(draw.shape)


def each_row(r, c, types):
    return r, c // LENGTH[types["src"]]


def one_row(r, c, types):
    return 1, c // LENGTH[types["src"]]


for sizes, scratch in ((((1, 128), (3, 256), (2, 1280)), None),
                       (((1, 4), (3, 100), (5, 132), (2, 500)), "f32")):
    for idx in (each_row, one_row):
        tilewise("TSORT32", sort, raw=True, sizes=sizes, few_sizes=sizes[:2], empty=False,
                 special=False, alias=False, scratch=scratch, data={"src": troublesome},
                 shapes={"src": each_row, "idx": idx})
tilewise("TSORT32", lambda src, idx: None, raw=True, sizes=((0, 128), (2, 0)), few_sizes=(),
         empty=False, special=False, shapes={"src": each_row, "idx": each_row})
TILES = """
    .tile d : ub f32[1, 128]
    .tile a : ub f32[1, 64]
    .tile i : ub u32[1, 64]
"""
misfits(TILES + "    TSORT32 d{1, 66}, a, i",
        "33 columns are no multiple of 32: the last block needs")
misfits(TILES + "    TSORT32 d{1, 65}, a, i", "a record takes 2, so give a multiple")
run()
