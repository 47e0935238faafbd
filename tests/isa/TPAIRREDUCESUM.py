"""TPAIRREDUCESUM: sums of neighbours, then zeros."""
import numpy as np

from harness import SIZES, misfits, run, tilewise


def pairs(a):
    cols = a.shape[1]
    even = np.pad(a, ((0, 0), (0, cols % 2)), constant_values=-0.0)
    sums = even[:, 0::2] + even[:, 1::2]
    return np.pad(sums, ((0, 0), (0, cols - sums.shape[1])))


tilewise("TPAIRREDUCESUM", pairs, sizes=SIZES + ((2, 1023), (3, 1024), (2, 257)),
         layouts=("dn", {"src": "dn"}), exhaustive=True)
misfits("""
    .tile d : ub f32[4, 64]
    TEXPANDS d, 1
    pipe_barrier V
    TPAIRREDUCESUM d, d{4, 63}""", "src has 4 x 63 valid")
run()
