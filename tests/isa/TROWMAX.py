"""TROWMAX: the largest element of each row."""
import functools

from harness import misfits, run, tilewise
from reference import maximum

SIZES = ((1, 1), (3, 16), (5, 33), (2, 700), (40, 7))


def row_maximum(a):
    return functools.reduce(maximum, a.T, a[:, 0]).reshape(-1, 1) if a.shape[1] else None


for scratch in (None, True):
    tilewise("TROWMAX", row_maximum, shapes={"dst": lambda r, c: (r, 1)}, sizes=SIZES,
             scratch=scratch)
misfits("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[4, 8]
    TROWMAX d, a""", "writes column 0 only")
run()
