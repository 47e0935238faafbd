"""TRSQRT: 1 / square root, within 1 ulp, without and with upstream's scratch tile."""
import numpy as np

from harness import run, tilewise


def inverse_root(x):
    return 1 / np.sqrt(np.longdouble(x))


tilewise("TRSQRT", inverse_root, ulp=1, exhaustive=True)
tilewise("TRSQRT", inverse_root, ulp=1, scratch=True, special=False)
run()
