"""TCOLEXPANDEXPDIF: e to the power a - b, b a row down the columns; the difference is f32."""
import numpy as np

from folds import column_result
from harness import run, tilewise


def expdif(a, b):
    return np.exp(np.longdouble(np.float32(a) - np.float32(b)))


def close(draw):
    return draw.rng.normal(0, 4, draw.shape)


tilewise("TCOLEXPANDEXPDIF", expdif, shapes={"src1": column_result}, ulp=1)
tilewise("TCOLEXPANDEXPDIF", expdif, shapes={"src1": column_result}, ulp=1,
         data={"src0": close, "src1": close})
run()
