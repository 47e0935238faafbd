"""TMAXS: the larger of an element and a scalar."""
from harness import run, tilewise
from reference import maximum

tilewise("TMAXS", maximum)
run()
