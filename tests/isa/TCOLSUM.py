"""TCOLSUM: the sum of each column, row after row or as a tree."""
import numpy as np

from folds import COL_SIZES, column_result, fold_columns, fold_tree
from harness import misfits, run, tilewise

ORDER = {"binary": fold_tree(np.add)}


def moderate(draw):
    return draw.rng.normal(size=draw.shape) if draw.dtype[0] in "fb" else None


for data in (None, {"src": moderate}):
    tilewise("TCOLSUM", lambda a, order=None: ORDER.get(order, fold_columns(np.add))(a),
             shapes={"dst": column_result}, sizes=COL_SIZES + ((11, 600),), data=data,
             scratch=data and True)
misfits("""
    .tile d : ub f32[4, 8]
    .tile a : ub f32[4, 8]
    TCOLSUM d, a""", "writes row 0 only, give {1, 8}")
misfits("""
    .tile d : ub f32[1, 16]
    .tile a : ub f32[4, 8]
    TCOLSUM d, a""", "src has 4 x 8 valid elements where 0 x 16 are needed")
run()
