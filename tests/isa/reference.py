"""References that several instructions share (values as tilewise hands them out)."""

import numpy as np

import values


def maximum(a, b):
    """NaN if either is; +0 above -0."""
    a, b = np.broadcast_arrays(a, b)
    if a.dtype.kind != "f":
        return np.maximum(a, b)
    first = (a > b) | ((a == b) & ~np.signbit(a))
    return np.where(np.isnan(a) | np.isnan(b), np.nan, np.where(first, a, b))


def minimum(a, b):
    """NaN if either is; -0 below +0."""
    a, b = np.broadcast_arrays(a, b)
    if a.dtype.kind != "f":
        return np.minimum(a, b)
    return -maximum(-a, -b)


def divide(a, b):
    """IEEE 754 for floats; toward zero for integers, whose divisors `divisible` has put right."""
    a, b = np.broadcast_arrays(a, b)
    if a.dtype.kind == "f":
        return a / b
    if a.dtype.kind == "u":
        return a // b
    quotient = a // b
    return quotient + ((a - quotient * b != 0) & ((a < 0) != (b < 0))).astype(a.dtype)


def divisible(a, b):
    """Divisors for which no integer division faults (for `repair`)."""
    if a.dtype.kind == "f":
        return None, None
    return None, np.where((b == 0) | (b == ~np.zeros_like(b)), b.dtype.type(3), b)


def column(r, c):
    """Shape of a column operand for `shapes`."""
    return r, 1


def f32(x):
    """Rounded to f32: what an intermediate result of floats is."""
    return values.decode(values.encode(x, "f32"), "f32") if x.dtype.kind == "f" else x


def fma(a, b, c):
    """a * b + c of f32 values with one rounding to f32."""
    product, addend = np.longdouble(a) * np.longdouble(b), np.longdouble(c)
    total = product + addend
    part = total - product
    error = (product - (total - part)) + (addend - part)
    # 64 bits, the last of which says that something is missing: rounding twice does no harm
    even = np.fmod(np.ldexp(np.frexp(total)[0], 64), 2) == 0
    inexact = np.isfinite(total) & np.isfinite(error) & (error != 0) & even
    towards = np.where(error > 0, np.longdouble(np.inf), np.longdouble(-np.inf))
    return f32(np.where(inexact, np.nextafter(total, towards), total))


def relu(x):
    """The larger of x and +0."""
    return maximum(x, x.dtype.type(0))


def divisors(a, b):
    """Integer divisors that are not 0 (for `repair`)."""
    return None, np.where(b == 0, b.dtype.type(3), b) if b.dtype.kind != "f" else None


def scalar_divisors(dtype):
    if values.is_float(dtype):
        return [0.0, -0.0, 1.0, -2.5, 0.1, values.largest(dtype), float("inf"), float("-inf"),
                float("nan")]
    limits = np.iinfo(values.INTS[dtype])
    return [1, 3, int(limits.max)] + ([-1, -7, int(limits.min)] if limits.min else [])


def signed_wide(x):
    """Integers that do not overflow; floats as they are."""
    return x.astype(int) if x.dtype.kind == "i" else x


def relu_narrow(x, dtype):
    """Not below 0, clamped to the narrower type; NaN is 0 in integers."""
    positive = relu(f32(x))
    if dtype == "f16":
        return np.minimum(positive, 65504.0)
    return np.rint(np.minimum(np.where(np.isnan(positive), 0, positive), 127)).astype(np.int8)


def cancelling(*operands):
    """Data for a * b + c, `operands` naming a, b and c in that order: c is the product rounded, so
    that a fused operation gives what the rounding left and any other one 0."""
    def make(draw):
        digits = values.FLOATS[draw.dtype][2]
        place = np.arange(np.prod(draw.shape), dtype=np.int64).reshape(draw.shape)
        a, b = (1 + place * odd % 2 ** digits * 2.0 ** -digits for odd in (2654435761, 40503))
        c = values.decode(values.encode(-a * b, draw.dtype), draw.dtype)
        return dict(zip(operands, (a, b, c)))[draw.operand]
    return dict.fromkeys(operands, make)
