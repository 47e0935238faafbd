"""TADD: the sum of two tiles."""
from harness import faults, rejects, run, tilewise

tilewise("TADD", lambda a, b: a + b)
run()
