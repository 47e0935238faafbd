"""TPARTARGMAX: values and indices of the larger where both tiles are valid, else of the
valid one."""
import numpy as np

from harness import run
from parts import check_index

check_index("TPARTARGMAX", np.greater)
run()
