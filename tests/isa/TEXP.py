"""TEXP: e to the power of x, within 1 ulp."""
import numpy as np

from harness import run, tilewise

tilewise("TEXP", lambda x: np.exp(np.longdouble(x)), ulp=1, exhaustive=True)
run()
