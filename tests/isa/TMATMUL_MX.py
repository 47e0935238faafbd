"""TMATMUL_MX: products of fp8 and fp4 with shared exponents."""
from cube import product
from harness import misfits, rejects, run
from mx import mx, refused

mx("TMATMUL_MX", lambda c, a, b: product(a, b))
refused("TMATMUL_MX", misfits, rejects, 16)
run()
