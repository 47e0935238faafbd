"""TFMOD: the remainder with the sign of the dividend."""
import numpy as np

from harness import faults, run, tilewise
from reference import divisors

tilewise("TFMOD", lambda a, b: np.fmod(a, b), repair=divisors)
faults("""
    .tile d : ub i32[4, 8]
    TEXPANDS d, 0
    pipe_barrier V
    TFMOD d, d, d""", "integer remainder by zero", "a5")
run()
