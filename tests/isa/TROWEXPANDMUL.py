"""TROWEXPANDMUL: a * b with the column b repeated along the rows."""
from harness import run, tilewise
from reference import column

tilewise("TROWEXPANDMUL", lambda a, b: a * b, shapes={"src1": column})
run()
