"""TSEL: elements of one tile or another by the bits of a mask; without and with scratch."""
import numpy as np

from harness import misfits, rejects, run, tilewise
from masks import shape, unpack


def select(mask, a, b):
    return np.where(unpack(mask, a.shape[1]), a, b)


tilewise("TSEL", select, raw=True, shapes={"mask": shape})
tilewise("TSEL", select, raw=True, shapes={"mask": shape}, scratch="u32", few_sizes=(),
         layouts=(), alias=False, empty=False)

TILES = """
    .tile d : ub f32[4, 64]
    .tile m : ub u8[4, 32]
    TEXPANDS d, 1
    TEXPANDS m, 255
    pipe_barrier V
"""
misfits(TILES + "    TSEL d, m{4, 7}, d, d", "mask has 4 x 7 valid elements where 4 x 8 are")
rejects(TILES + "    TSEL d, d, d, d", "types f32,f32")
run()
