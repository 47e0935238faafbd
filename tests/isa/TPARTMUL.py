"""TPARTMUL: the product where both tiles are valid, else the valid one."""
from harness import run
from parts import check

check("TPARTMUL", lambda a, b: a * b)
run()
