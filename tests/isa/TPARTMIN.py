"""TPARTMIN: the smaller where both tiles are valid, else the valid one."""
from harness import run
from parts import check
from reference import minimum

check("TPARTMIN", minimum)
run()
