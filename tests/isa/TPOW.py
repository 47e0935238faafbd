"""TPOW: powers; floats within 1 ulp, special cases as C's pow."""
import numpy as np

from harness import faults, is_float, run, tilewise
from powers import possible, power


def whole(draw):
    """Bases of both signs and small integral exponents have finite results."""
    if not is_float(draw.dtype):
        return None
    if draw.operand == "base":
        return draw.rng.normal(0, 3, draw.shape)
    return draw.rng.integers(-9, 10, draw.shape).astype(np.float64)


def around_one(draw):
    """Results over the whole range from large exponents."""
    if not is_float(draw.dtype):
        return None
    if draw.operand == "base":
        return 1 + draw.rng.uniform(-0.5, 1, draw.shape)
    return draw.rng.normal(0, 60, draw.shape)


tilewise("TPOW", power, repair=possible, ulp=1)
tilewise("TPOW", power, repair=possible, ulp=1, scratch=True, special=False)
for data in (whole, around_one):
    tilewise("TPOW", power, repair=possible, ulp=1, data={"base": data, "exp": data},
             sizes=((60, 90),), few_sizes=(), empty=False, special=False, layouts=())
faults("""
    .tile d : ub i32[4, 8]
    .tile e : ub i32[4, 8]
    TEXPANDS d, 0
    TEXPANDS e, -1
    pipe_barrier V
    TPOW d, d, e""", "0 to a negative power")
run()
