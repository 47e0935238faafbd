"""TMATMUL_ACC: c + a * b, in ascending k with one rounding a step."""
from cube import cube, product
from harness import run
from windows import products

cube("TMATMUL_ACC", lambda c, a, b: product(a, b, c))
products("a2")
products("a5")
run()
