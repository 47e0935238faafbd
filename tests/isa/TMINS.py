"""TMINS: the smaller of an element and a scalar."""
from harness import run, tilewise
from reference import minimum

tilewise("TMINS", minimum)
run()
