"""TGEMV_MX: a row times a matrix with shared exponents."""
from cube import product
from harness import misfits, rejects, run
from mx import ROW_SIZES, mx, refused

mx("TGEMV_MX", lambda c, a, b: product(a, b), ROW_SIZES)
refused("TGEMV_MX", misfits, rejects, 1)
run()
