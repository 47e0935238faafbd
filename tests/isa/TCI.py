"""TCI: consecutive numbers."""
import numpy as np

from harness import misfits, run, tilewise


def count(start, size, direction="ascending"):
    """Floats: exact, so that the one rounding is that of the result."""
    steps = np.arange(size[1]).astype(np.float64 if start.dtype.kind == "f" else start.dtype)
    return start + steps if direction == "ascending" else start - steps


for scratch in (None, True):
    tilewise("TCI", count, sizes=((1, 1), (1, 7), (1, 300), (1, 1500)), few_sizes=((1, 9),),
             empty=False, scratch=scratch)
tilewise("TCI", lambda start: None, sizes=((0, 5), (1, 0)), few_sizes=(), empty=False)
misfits("""
    .tile d : ub i32[2, 8]
    TCI d, 0""", "TCI writes one, give {1, 8}")
misfits("""
    .tile d : ub i16[1, 16]
    TCI d, 40000""", "out of the range of i16")
run()
