"""TDIV: the quotient of two tiles; integers toward zero."""
from harness import faults, run, tilewise
from reference import divide, divisible

tilewise("TDIV", divide, repair=divisible)

TILES = """
    .tile d : ub i32[4, 8]
    .tile a : ub i32[4, 8]
    .tile b : ub i32[4, 8]
"""
faults(TILES + """
    TEXPANDS a, 7
    TEXPANDS b, 0
    pipe_barrier V
    TDIV d, a, b""", "integer division by zero", "a5")
faults(TILES + """
    TEXPANDS a, -2147483648
    TEXPANDS b, -1
    pipe_barrier V
    TDIV d, a, b""", "overflows", "a5")
run()
