"""TCOLPROD: the product of each column, row after row."""
import numpy as np

from folds import COL_SIZES, column_result, fold_columns
from harness import run, tilewise


def near_one(draw):
    return draw.rng.uniform(-1.5, 1.5, draw.shape) if draw.dtype[0] in "fb" else None


for data in (None, {"src": near_one}):
    tilewise("TCOLPROD", fold_columns(np.multiply), shapes={"dst": column_result}, sizes=COL_SIZES,
             data=data, scratch=data and True)
run()
