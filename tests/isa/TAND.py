"""TAND: bitwise and."""
from harness import rejects, run, tilewise

tilewise("TAND", lambda a, b: a & b)
rejects("""
    .tile d : ub f32[4, 8]
    TAND d, d, d""", "types f32")
run()
