"""TRECIP: 1 / x, correctly rounded; integers toward zero."""
import numpy as np

from harness import faults, run, tilewise
from reference import divide


def nonzero(a):
    return np.where(a == 0, a.dtype.type(2), a) if a.dtype.kind != "f" else None


tilewise("TRECIP", lambda a: divide(np.ones_like(a), a), repair=nonzero, exhaustive=True)
faults("""
    .tile d : ub i32[4, 8]
    TEXPANDS d, 0
    pipe_barrier V
    TRECIP d, d""", "integer division by zero")
run()
