"""TABS: the magnitude; that of the least integer is itself."""
import numpy as np

from harness import run, tilewise

tilewise("TABS", lambda a: np.abs(a), exhaustive=True)
run()
