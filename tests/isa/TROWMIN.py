"""TROWMIN: the smallest element of each row."""
import functools

from folds import ROW_SIZES
from harness import misfits, run, tilewise
from reference import column, minimum


def row_minimum(a):
    return functools.reduce(minimum, a.T, a[:, 0]).reshape(-1, 1) if a.shape[1] else None


for scratch in (None, True):
    tilewise("TROWMIN", row_minimum, shapes={"dst": column}, sizes=ROW_SIZES, scratch=scratch)
misfits("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[4, 8]
    TROWMIN d, a""", "writes column 0 only")
run()
