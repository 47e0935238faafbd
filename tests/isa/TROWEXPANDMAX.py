"""TROWEXPANDMAX: the maximum of a and b with the column b repeated along the rows."""
from harness import run, tilewise
from reference import column, maximum

tilewise("TROWEXPANDMAX", maximum, shapes={"src1": column})
run()
