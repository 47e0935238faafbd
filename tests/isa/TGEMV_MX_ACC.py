"""TGEMV_MX_ACC: the same, added to the accumulator."""
from cube import product
from harness import misfits, rejects, run
from mx import ROW_SIZES, mx, refused

mx("TGEMV_MX_ACC", lambda c, a, b: product(a, b, c), ROW_SIZES)
refused("TGEMV_MX_ACC", misfits, rejects, 1)
run()
