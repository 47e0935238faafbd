"""TPARTADD: the sum where both tiles are valid, else the valid one."""
from harness import run
from parts import check

check("TPARTADD", lambda a, b: a + b)
run()
