"""TSUBS: the difference of a tile and a scalar."""
from harness import run, tilewise

tilewise("TSUBS", lambda a, s: a - s)
run()
