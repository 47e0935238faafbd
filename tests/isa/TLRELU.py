"""TLRELU: x where it is positive, else x times the slope."""
import numpy as np

from harness import run, tilewise

tilewise("TLRELU", lambda x, slope: np.where(x > 0, x, x * slope))
run()
