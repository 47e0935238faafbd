"""TROWEXPANDMIN: the minimum of a and b with the column b repeated along the rows."""
from harness import run, tilewise
from reference import column, minimum

tilewise("TROWEXPANDMIN", minimum, shapes={"src1": column})
run()
