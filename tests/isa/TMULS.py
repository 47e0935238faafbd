"""TMULS: the product of a tile and a scalar."""
from harness import run, tilewise

tilewise("TMULS", lambda a, s: a * s)
run()
