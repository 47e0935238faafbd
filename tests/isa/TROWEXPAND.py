"""TROWEXPAND: a column repeated along the rows, bit by bit."""
from harness import run, tilewise
from reference import column

tilewise("TROWEXPAND", lambda a: a, shapes={"src": column}, raw=True)
run()
