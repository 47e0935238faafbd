"""TADDDEQRELU: the larger of the sum times a scale and 0, from i32 to f16."""
import numpy as np

from harness import run, tilewise
from reference import f32, relu

SCALES = [1.0, 0.0, -0.5, 0.001, 3.0e-5, 1.0e30, float("inf"), float("-inf"), float("nan")]


def dequantise(a, b, scale):
    return relu(f32(f32((a + b).astype(np.float64)) * f32(np.float64([scale]))))


for scratch in (None, "i32"):
    tilewise("TADDDEQRELU", dequantise, scalars={"scale": SCALES}, round_scalars=False,
             scratch=scratch)
run()
