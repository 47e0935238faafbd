"""TNEG: the other sign; integers wrap around."""
import numpy as np

from harness import run, tilewise

tilewise("TNEG", lambda a: np.zeros_like(a) - a if a.dtype.kind != "f" else -a, exhaustive=True)
run()
