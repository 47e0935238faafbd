"""TMATMUL_ACC: c + a * b, in ascending k with one rounding a step."""
from cube import cube, product
from harness import run

cube("TMATMUL_ACC", lambda c, a, b: product(a, b, c))
run()
