"""TMATMUL: c = a * b, in ascending k with one rounding a step."""
from cube import cube, product
from harness import run

cube("TMATMUL", lambda c, a, b: product(a, b))
run()
