"""TCOLEXPANDMUL: a * b with the row b repeated down the columns."""
from folds import column_result
from harness import run, tilewise

tilewise("TCOLEXPANDMUL", lambda a, b: a * b, shapes={"src1": column_result})
run()
