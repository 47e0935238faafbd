"""TROWARGMAX: where the largest element of each row is."""
from folds import test_extremes
from harness import misfits, run

test_extremes("TROWARGMAX", largest=True, axis=1)
misfits("""
    .tile i : ub i32[4, 8]
    .tile a : ub f32[4, 8]
    TROWARGMAX i, a""", "idx has 4 x 8 valid elements, the result has 4 x 1: give {4, 1}")
run()
