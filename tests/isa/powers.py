"""References of TPOW and TPOWS."""
import numpy as np


def power(base, exponent):
    """Floats as C's pow; integers modulo 2 to the bits, negative powers toward zero."""
    base, exponent = np.broadcast_arrays(base, exponent)
    if base.dtype.kind == "f":
        return np.power(np.longdouble(base), np.longdouble(exponent))
    bits = 8 * base.dtype.itemsize
    results = [integer(int(b), int(e), bits) for b, e in zip(base.flat, exponent.flat)]
    return np.array(results, np.uint64).reshape(base.shape).astype(base.dtype)


def integer(base, exponent, bits):
    if exponent >= 0:
        return pow(base, exponent, 1 << bits)
    return {1: 1, -1: -1 if exponent % 2 else 1}.get(base, 0) % (1 << bits)


def possible(base, exponent):
    """0 has no negative powers."""
    if base.dtype.kind == "f":
        return None, None
    return None, np.where((base == 0) & (exponent < 0), exponent.dtype.type(5), exponent)
