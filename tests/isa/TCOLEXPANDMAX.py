"""TCOLEXPANDMAX: the maximum of a and b with the row b repeated down the columns."""
from folds import column_result
from harness import run, tilewise
from reference import maximum

tilewise("TCOLEXPANDMAX", maximum, shapes={"src1": column_result})
run()
