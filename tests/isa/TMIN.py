"""TMIN: the smaller of two elements."""
from harness import run, tilewise
from reference import minimum

tilewise("TMIN", minimum)
run()
