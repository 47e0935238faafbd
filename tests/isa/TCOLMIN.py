"""TCOLMIN: the smallest element of each column."""
import functools

from folds import COL_SIZES, column_result
from harness import run, tilewise
from reference import minimum

for scratch in (None, True):
    tilewise("TCOLMIN", lambda a: functools.reduce(minimum, a, a[0]) if len(a) else None,
             shapes={"dst": column_result}, sizes=COL_SIZES, scratch=scratch)
run()
