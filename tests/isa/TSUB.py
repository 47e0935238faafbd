"""TSUB: the difference of two tiles, element by element."""
from harness import run, tilewise

tilewise("TSUB", lambda a, b: a - b)
run()
