"""TMATMUL_MX_BIAS: the same, from a bias."""
from cube import product
from harness import misfits, rejects, run
from mx import mx, refused

mx("TMATMUL_MX_BIAS", lambda c, a, b, bias: product(a, b, bias))
refused("TMATMUL_MX_BIAS", misfits, rejects, 16, ", bias")
run()
