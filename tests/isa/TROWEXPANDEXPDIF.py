"""TROWEXPANDEXPDIF: e to the power a - b, one of them expanded along the rows; the
difference is f32."""
import numpy as np

from expanded import expanded
from harness import run, tilewise
from reference import column


def expdif(a, b):
    return np.exp(np.longdouble(np.float32(a) - np.float32(b)))


def close(draw):
    return draw.rng.normal(0, 4, draw.shape)


expanded("TROWEXPANDEXPDIF", expdif, ulp=1, data={"src0": close, "src1": close})
tilewise("TROWEXPANDEXPDIF", expdif, shapes={"src1": column}, ulp=1)
run()
