"""TTRI: ones on one side of a diagonal."""
import numpy as np

from harness import run, tilewise


def triangle(diagonal, size, side="lower"):
    distance = np.arange(size[1]) - np.arange(size[0]).reshape(-1, 1) - int(diagonal)
    return (distance <= 0 if side == "lower" else distance >= 0).astype(np.int8)


tilewise("TTRI", triangle, round_scalars=False,
         scalars={"diagonal": [0, 1, -1, 3, -2, 40, -40, 2 ** 62, -2 ** 62]},
         sizes=((1, 1), (3, 5), (16, 16), (5, 33), (33, 5), (2, 300)) * 3)
run()
