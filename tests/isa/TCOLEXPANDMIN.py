"""TCOLEXPANDMIN: the minimum of a and b with the row b repeated down the columns."""
from folds import column_result
from harness import run, tilewise
from reference import minimum

tilewise("TCOLEXPANDMIN", minimum, shapes={"src1": column_result})
run()
