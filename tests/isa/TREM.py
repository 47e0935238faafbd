"""TREM: the remainder with the sign of the divisor."""
import numpy as np

from harness import faults, run, tilewise
from reference import divisors

for scratch in (None, True):
    tilewise("TREM", lambda a, b: np.remainder(a, b), repair=divisors, scratch=scratch)
faults("""
    .tile d : ub i32[4, 8]
    TEXPANDS d, 0
    pipe_barrier V
    TREM d, d, d""", "integer remainder by zero")
run()
