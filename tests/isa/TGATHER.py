"""TGATHER: elements by number, by pattern, and the places of those that compare."""
import numpy as np

from collective import PART, RANKS, ROOT, through, window
from harness import faults, rejects, run, tilewise
from picks import PATTERNS, TABLES, WIDTH, along, row_with, table_of
from reference import column

# ---- by number ----

for valid in TABLES:
    for scratch in (None, "u32"):
        tilewise("TGATHER", lambda a, i: a[i // WIDTH, i % WIDTH], row=row_with("TGATHER", "idx"),
                 scratch=scratch, few_sizes=((3, 5), (17, 9)) if scratch else ((8, 8),),
                 **table_of(valid)("src0"))

for index in (-1, 10, 48, 2 ** 31 - 1):
    faults("""
    .tile d : ub f32[2, 8]
    .tile a : ub f32[4, 16]
    .tile i : ub i32[2, 8]
    TEXPANDS i, %d
    pipe_barrier V
    TGATHER d{2, 3}, a{3, 10}, i""" % index,
           r"idx\(0, 0\) = %d names no valid element of src0: {3, 10} of a tile with 16" % index)

# ---- by pattern ----


def pick(a, pattern, axis="row"):
    period, first = PATTERNS[pattern]
    return along(axis, along(axis, a)[:, first::period])


for pattern, (period, first) in PATTERNS.items():
    for words, shape in (
            ({"axis": [None, "row"]}, lambda r, c, p=period: (r, c * p)),
            ({"axis": ["col"]}, lambda r, c, p=period: (r * p, c))):
        tilewise("TGATHER", pick, row=row_with("TGATHER", "pattern"), raw=True,
                 words=dict(words, pattern=[pattern]), shapes={"src": shape},
                 sizes=((1, 1), (3, 5), (5, 33)), few_sizes=((3, 5),), special=False)
faults("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[4, 16]
    TGATHER d, a{4, 15}, P1010""", r"src has 4 x 15 valid elements, too few for dst {4, 8}")
rejects("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[4, 16]
    TGATHER d, a, P0110""", "not a mask pattern")

# ---- by comparison ----


def match(src0, k, offset, match, old, size, types):
    counts, result = np.zeros((size[0], 1), np.int64), old.copy()
    for row in range(size[0]):
        hit = src0[row] > k[row, 0] if match == "gt" else src0[row] == k[row, 0]
        found = np.flatnonzero(hit)[:size[1]] + int(offset)
        result[row, :len(found)] = (found % 2 ** 32).astype(np.uint32).view(result.dtype)
        counts[row] = hit.sum()
    return result, counts


def few_values(draw):
    return draw.rng.integers(0, 3, draw.shape).astype(float) if draw.dtype[0] == "f" \
        else draw.rng.integers(0, 3, draw.shape)


for data in (None, {"src0": few_values, "k": few_values}):
    for width in (1, 3):
        tilewise("TGATHER", match, row=row_with("TGATHER", "cdst"), round_scalars=False,
                 scratch="u8", alias=False, data=data,
                 scalars={"offset": [0, 100, -5, 2 ** 33 + 7]},
                 shapes={"src0": lambda r, c, w=width: (r, c * w), "k": column, "cdst": column})

# ---- windows of all ranks ----


def gathered(part, whole, dtype, word):
    for rank, p in enumerate(part):
        whole[ROOT][window(rank)] = p[PART]


through("TGATHER", "whole[1, 3], part[1, 3]{extent}, {stages}", RANKS, gathered)
run()
