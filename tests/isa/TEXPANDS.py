"""TEXPANDS: one scalar everywhere."""
from harness import misfits, run, tilewise

tilewise("TEXPANDS", lambda s: s)
misfits("""
    .tile d : ub u8[4, 32]
    TEXPANDS d, 256""", "out of the range of u8")
misfits("""
    .tile d : ub u32[4, 8]
    TEXPANDS d, -1""", "out of the range of u32")
run()
