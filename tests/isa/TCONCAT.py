"""TCONCAT: rows end to end, whole or as many elements as counts say."""
import numpy as np

from harness import faults, misfits, run, tilewise
from reference import column

SIZES = ((1, 3), (3, 8), (16, 16), (5, 33), (2, 300), (150, 6))


def left(r, c):
    return r, c // 3


def right(r, c):
    return r, c - c // 3


def counts(draw):
    return draw.rng.integers(0, draw.size[1] // 3 + 1, draw.shape)


def counted(a, b, na, nb, old):
    result = old.copy()
    for row, (i, j) in enumerate(zip(na.ravel(), nb.ravel())):
        result[row, :i + j] = np.concatenate([a[row, :i], b[row, :j]])
    return result


common = dict(raw=True, sizes=SIZES, few_sizes=SIZES[1:4], special=False, empty=False)
tilewise("TCONCAT", lambda a, b: np.hstack([a, b]), shapes={"src0": left, "src1": right},
         **dict(common, empty=True))
shapes = {"src0": left, "src1": right, "src0Idx": column, "src1Idx": column, "dstIdx": column}
data = {"src0Idx": counts, "src1Idx": counts}
tilewise("TCONCAT", counted, row=1, shapes=shapes, data=data, **common)
for vector in (column, lambda r, c: (1, r)):
    tilewise("TCONCAT", lambda a, b, na, nb, old: (counted(a, b, na, nb, old),
                                                   (na + nb).reshape(vector(na.size, 1))),
             row=2, shapes=dict(shapes, dstIdx=vector), data=data, **common)
TILES = """
    .tile d : ub f32[2, 16]
    .tile a : ub f32[2, 8]
    .tile b : ub f32[2, 8]
    .tile i : ub i32[2, 8]
    %v = 9
    .for %k = 0 to 2
        st i(%k, 0), %v
    .endfor
    set_flag S, V, 0
    wait_flag S, V, 0
"""
misfits(TILES + "    TCONCAT d{2, 15}, a, b",
        "dst has 15 valid columns, src0 and src1 have 8 and 8")
faults(TILES + "    TCONCAT d, a, b, i{2, 1}, i{2, 1}",
       "count 9 of row 0: src0 has 8 valid columns")
run()
