"""TROWSUM: the sum of each row; floats in the documented order."""
import numpy as np

from harness import run, tilewise

LANES = 16
SIZES = ((1, 1), (3, 16), (5, 33), (2, 700), (40, 7), (3, 1500))


def row_sum(a):
    if not a.shape[1]:
        return None
    if a.dtype.kind != "f":
        return a.sum(axis=1, dtype=a.dtype, keepdims=True)
    lanes = np.full((a.shape[0], LANES), -0.0, np.float32)
    for first in range(0, a.shape[1], LANES):
        part = a[:, first:first + LANES].astype(np.float32)
        lanes[:, :part.shape[1]] += part
    for width in (8, 4, 2, 1):
        lanes = lanes[:, :width] + lanes[:, width:2 * width]
    return lanes


for scratch in (None, True):
    tilewise("TROWSUM", row_sum, shapes={"dst": lambda r, c: (r, 1)}, sizes=SIZES, scratch=scratch)
run()
