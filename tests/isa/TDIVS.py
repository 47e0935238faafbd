"""TDIVS: tile by scalar, and scalar by tile."""
from harness import faults, is_float, misfits, run, scalars_of, tilewise
from reference import divide, divisible


def divisors(dtype):
    return [s for s in scalars_of(dtype) if is_float(dtype) or s not in (0, -1)]


tilewise("TDIVS", divide, scalars={"scalar": divisors})
tilewise("TDIVS", lambda s, b: divide(s, b), row=1,
         repair=lambda b: divisible(b, b)[1])

TILES = """
    .tile d : ub i32[4, 8]
    .tile a : ub i32[4, 8]
    TEXPANDS a, %d
    pipe_barrier V
"""
misfits(TILES % 1 + "    TDIVS d, a, 0", "integer division by zero")
faults(TILES % 0 + "    TDIVS d, 1, a", "integer division by zero")
faults(TILES % -2147483648 + "    TDIVS d, a, -1", "overflows")
run()
