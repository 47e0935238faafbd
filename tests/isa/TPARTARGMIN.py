"""TPARTARGMIN: values and indices of the smaller where both tiles are valid, else of the
valid one."""
import numpy as np

from harness import run
from parts import check_index

check_index("TPARTARGMIN", np.less)
run()
