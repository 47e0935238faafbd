"""TORS: bitwise or with a scalar."""
from harness import run, tilewise

tilewise("TORS", lambda a, s: a | s)
run()
