"""TCOLEXPANDDIV: a / b with the row b repeated down the columns."""
from folds import column_result
from harness import run, tilewise
from reference import divide, divisible

tilewise("TCOLEXPANDDIV", divide, shapes={"src1": column_result}, repair=divisible)
run()
