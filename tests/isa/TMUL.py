"""TMUL: the product of two tiles, element by element."""
from harness import run, tilewise

tilewise("TMUL", lambda a, b: a * b)
run()
