"""TROWEXPANDDIV: a / b with the column b repeated along the rows."""
from harness import run, tilewise
from reference import column, divide, divisible

tilewise("TROWEXPANDDIV", divide, shapes={"src1": column}, repair=divisible)
run()
