"""TCOLARGMIN: where the smallest element of each col is."""
from folds import test_extremes
from harness import misfits, run

test_extremes("TCOLARGMIN", largest=False, axis=0)
misfits("""
    .tile i : ub i32[4, 8]
    .tile a : ub f32[4, 8]
    TCOLARGMIN i, a""", "idx has 4 x 8 valid elements, the result has 1 x 8: give {1, 8}")
run()
