"""TMAX: the larger of two elements."""
from harness import run, tilewise
from reference import maximum

tilewise("TMAX", maximum)
run()
