"""TSCATTER: elements to places by number, and by pattern."""
import numpy as np

from collective import PART, RANKS, ROOT, through, window
from harness import faults, run, tilewise
from picks import PATTERNS, TABLES, WIDTH, along, row_with, table_of


def scatter(src, idx, old):
    result = old.copy()
    for value, i in zip(src.ravel(), idx.ravel()):
        result[i // WIDTH, i % WIDTH] = value
    return result


for valid in TABLES:
    options = table_of(valid)("dst")
    tilewise("TSCATTER", scatter, row=row_with("TSCATTER", "idx"), alias=False, **options)
    tilewise("TSCATTER", scatter, row=row_with("TSCATTER", "idx"), alias=False,
             sizes=((6, 37),), few_sizes=(), layouts=(), empty=False, **options)
faults("""
    .tile d : ub f32[2, 8]
    .tile a : ub f32[2, 8]
    .tile i : ub i32[2, 8]
    TEXPANDS i, 16
    pipe_barrier V
    TSCATTER d, a, i""", r"idx\(0, 0\) = 16 names no valid element of dst: {2, 8}")


def spread(src, pattern, size, axis="row"):
    period, first = PATTERNS[pattern]
    result = np.zeros(size, src.dtype)
    selected = along(axis, result)[:, first::period]
    selected[...] = along(axis, src)[:, :selected.shape[1]]
    return result


for pattern, (period, first) in PATTERNS.items():
    for words, shape in (
            ({"axis": [None, "row"]}, lambda r, c, p=period, f=first: (r, len(range(f, c, p)))),
            ({"axis": ["col"]}, lambda r, c, p=period, f=first: (len(range(f, r, p)), c))):
        tilewise("TSCATTER", spread, row=row_with("TSCATTER", "pattern"), raw=True,
                 words=dict(words, pattern=[pattern]), shapes={"src": shape},
                 sizes=((1, 1), (3, 5), (5, 33), (4, 64)), few_sizes=((3, 5), (4, 64)),
                 special=False, alias=False)
faults("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[4, 8]
    TSCATTER d, a{4, 3}, P0101""", r"src has 4 x 3 valid elements, too few for dst {4, 8}")

# ---- windows to all ranks ----


def scattered(part, whole, dtype, word):
    for rank, p in enumerate(part):
        p[PART] = whole[ROOT][window(rank)]


through("TSCATTER", "part[1, 3]{extent}, whole[1, 3], {stages}", RANKS, scattered)
run()
