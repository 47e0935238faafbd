"""TRELU: the larger of x and +0, NaN for NaN."""
from harness import run, tilewise
from reference import relu

tilewise("TRELU", relu, exhaustive=True)
run()
