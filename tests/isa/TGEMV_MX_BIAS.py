"""TGEMV_MX_BIAS: the same, from a bias."""
from cube import product
from harness import misfits, rejects, run
from mx import ROW_SIZES, mx, refused

mx("TGEMV_MX_BIAS", lambda c, a, b, bias: product(a, b, bias), ROW_SIZES)
refused("TGEMV_MX_BIAS", misfits, rejects, 1, ", bias")
run()
