"""TROWEXPANDSUB: a - b with the column b repeated along the rows."""
from harness import run, tilewise
from reference import column

tilewise("TROWEXPANDSUB", lambda a, b: a - b, shapes={"src1": column})
run()
