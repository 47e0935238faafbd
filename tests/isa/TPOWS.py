"""TPOWS: powers with one exponent; floats within 1 ulp, special cases as C's pow."""
from harness import is_float, run, scalars_of, tilewise
from powers import power


def exponents(dtype):
    more = [2.0, 3.0, -1.0, 0.5, 16777217.0] if is_float(dtype) else []
    return more + [s for s in scalars_of(dtype) if is_float(dtype) or s >= 0]


tilewise("TPOWS", power, scalars={"exp": exponents}, ulp=1)
run()
