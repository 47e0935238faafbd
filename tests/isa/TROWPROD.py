"""TROWPROD: the product of each row; floats in the order of TROWSUM."""
import numpy as np

from folds import ROW_SIZES, fold_rows
from harness import run, tilewise
from reference import column


def near_one(draw):
    return draw.rng.uniform(-1.5, 1.5, draw.shape) if draw.dtype[0] == "f" else None


for data in (None, {"src": near_one}):
    tilewise("TROWPROD", fold_rows(np.multiply, 1), shapes={"dst": column}, sizes=ROW_SIZES,
             data=data, scratch=data and True)
run()
