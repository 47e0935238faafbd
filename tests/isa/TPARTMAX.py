"""TPARTMAX: the larger where both tiles are valid, else the valid one."""
from harness import run
from parts import check
from reference import maximum

check("TPARTMAX", maximum)
run()
