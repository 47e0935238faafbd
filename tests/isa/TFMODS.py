"""TFMODS: the remainder by a scalar, with the sign of the dividend."""
import numpy as np

from harness import misfits, run, tilewise
from reference import scalar_divisors

tilewise("TFMODS", lambda a, s: np.fmod(a, s), scalars={"scalar": scalar_divisors})
misfits("""
    .tile d : ub i32[4, 8]
    TEXPANDS d, 7
    pipe_barrier V
    TFMODS d, d, 0""", "integer remainder by zero", "a5")
run()
