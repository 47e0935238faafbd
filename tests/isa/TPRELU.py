"""TPRELU: x where it is positive, else x times a; without and with upstream's scratch tile."""
import numpy as np

from harness import run, tilewise


def prelu(x, a):
    return np.where(x > 0, x, x * a)


tilewise("TPRELU", prelu)
tilewise("TPRELU", prelu, scratch="u8", special=False)
run()
