"""TLOG: the natural logarithm, within 1 ulp."""
import numpy as np

from harness import run, tilewise


def near_one(draw):
    """Where the result is small and the relative error large."""
    return 1 + draw.rng.normal(0, 1, draw.shape) * 2.0 ** draw.rng.integers(-24, 0, draw.shape)


def logarithm(x):
    return np.log(np.longdouble(x))


tilewise("TLOG", logarithm, ulp=1, exhaustive=True)
tilewise("TLOG", logarithm, ulp=1, data={"src": near_one}, special=False)
run()
