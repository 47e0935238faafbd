"""TSQRT: the square root, correctly rounded."""
import numpy as np

from harness import run, tilewise

tilewise("TSQRT", lambda x: np.sqrt(np.longdouble(x)), exhaustive=True)
tilewise("TSQRT", lambda x: np.sqrt(np.longdouble(x)), ulp=0.5)
run()
