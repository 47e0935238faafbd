"""TANDS: bitwise and with a scalar."""
from harness import misfits, run, tilewise

tilewise("TANDS", lambda a, s: a & s)
misfits("""
    .tile d : ub u8[4, 32]
    TEXPANDS d, 1
    pipe_barrier V
    TANDS d, d, -1""", "out of the range of u8")
run()
