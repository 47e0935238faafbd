"""TCOLMAX: the largest element of each column."""
import functools

from folds import COL_SIZES, column_result
from harness import run, tilewise
from reference import maximum

for scratch in (None, True):
    tilewise("TCOLMAX", lambda a: functools.reduce(maximum, a, a[0]) if len(a) else None,
             shapes={"dst": column_result}, sizes=COL_SIZES, scratch=scratch)
run()
