"""TREMS: the remainder by a scalar, with the sign of the divisor."""
import numpy as np

from harness import misfits, run, tilewise
from reference import scalar_divisors

tilewise("TREMS", lambda a, s: np.remainder(a, s), scalars={"scalar": scalar_divisors})
misfits("""
    .tile d : ub i32[4, 8]
    TEXPANDS d, 7
    pipe_barrier V
    TREMS d, d, 0""", "integer remainder by zero", "a2")
run()
