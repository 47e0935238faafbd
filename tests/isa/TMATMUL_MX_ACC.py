"""TMATMUL_MX_ACC: the same, added to the accumulator."""
from cube import product
from harness import misfits, rejects, run
from mx import mx, refused

mx("TMATMUL_MX_ACC", lambda c, a, b: product(a, b, c))
refused("TMATMUL_MX_ACC", misfits, rejects, 16)
run()
