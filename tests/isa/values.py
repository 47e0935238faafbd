"""Element types in numpy: bits and values, exact conversions, data that finds mistakes.

An array of *bits* has the unsigned type of the element's size.  An array of *values* is float64 for
float types, else the numpy integer type of that name.  Nothing here is taken from the machine."""

import functools

import numpy as np

# name: (bytes, exponent bits, mantissa bits, has infinities), formats of IEEE 754 and OCP FP8
FLOATS = {"f32": (4, 8, 23, True), "f16": (2, 5, 10, True), "bf16": (2, 8, 7, True),
          "f8e4m3": (1, 4, 3, False), "f8e5m2": (1, 5, 2, True)}
INTS = {name: np.dtype(("" if name[0] == "i" else "u") + "int" + name[1:])
        for name in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")}
NAN = {"f32": 0x7FC00000, "f16": 0x7E00, "bf16": 0x7FC0, "f8e4m3": 0x7F, "f8e5m2": 0x7E}
DTYPES = tuple(FLOATS) + tuple(INTS)
# Bytes that few instructions look into: an exponent, and pairs of four bits (mx.py).
BYTES = ("e8m0", "f4e2m1x2", "f4e1m2x2", "s4x2")
INTS.update((name, np.dtype("uint8")) for name in BYTES)

MODES = ("rint", "round", "floor", "ceil", "trunc", "odd")


def is_float(dtype):
    return dtype in FLOATS


def size(dtype):
    return FLOATS[dtype][0] if dtype in FLOATS else INTS[dtype].itemsize


def bits_type(dtype):
    return np.dtype("uint%d" % (8 * size(dtype)))


def largest(dtype):
    """The largest finite value."""
    if dtype in INTS:
        return int(np.iinfo(INTS[dtype]).max)
    _, exponent, mantissa, infinite = FLOATS[dtype]
    bias = 2 ** (exponent - 1) - 1
    if infinite:
        return float((2 - 2.0 ** -mantissa) * 2.0 ** bias)
    return float((2 - 2.0 ** (1 - mantissa)) * 2.0 ** (bias + 1))


def decode(bits, dtype):
    """The values of bits: exact."""
    bits = np.asarray(bits, bits_type(dtype))
    if dtype in INTS:
        return bits.view(INTS[dtype])
    _, exponent, mantissa, infinite = FLOATS[dtype]
    wide = bits.astype(np.int64)
    field = wide >> mantissa & 2 ** exponent - 1
    fraction = wide & 2 ** mantissa - 1
    significand = np.where(field == 0, fraction, fraction + 2 ** mantissa).astype(np.float64)
    value = np.ldexp(significand, np.maximum(field, 1) - (2 ** (exponent - 1) - 1) - mantissa)
    top = field == 2 ** exponent - 1
    if infinite:
        value = np.where(top, np.where(fraction == 0, np.inf, np.nan), value)
    else:
        value = np.where(top & (fraction == 2 ** mantissa - 1), np.nan, value)
    return np.where(wide >> (exponent + mantissa) & 1, -value, value)


def to_integral(values, mode):
    """Round to an integral value in one of MODES."""
    values = np.asarray(values)
    if values.dtype.kind != "f":
        values = values.astype(np.longdouble)
    simple = {"rint": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}
    if mode in simple:
        return simple[mode](values)
    whole = np.trunc(values)
    rest = np.abs(values - whole)
    if mode == "round":
        return np.where(rest >= 0.5, whole + np.copysign(1, values), whole)
    even = np.fmod(np.abs(whole), 2) == 0
    return np.where((rest > 0) & even, whole + np.copysign(1, values), whole)


def to_float(values, dtype, mode="rint", saturate=False):
    """Bits of values (float64, long double, any integer) rounded once to a float type.  What lies
    beyond its range is infinite in every mode (f8e4m3: NaN), with `saturate` the largest value."""
    _, exponent, mantissa, infinite = FLOATS[dtype]
    values = np.asarray(values)
    if values.dtype.kind != "f":
        values = values.astype(np.longdouble)
    bias = 2 ** (exponent - 1) - 1
    finite = np.where(np.isfinite(values), values, values.dtype.type(0))
    lowest = 1 - bias - mantissa  # power of two of the least denormal
    power = np.maximum(np.frexp(finite)[1] - 1 - mantissa, lowest)
    steps = to_integral(np.ldexp(finite, -power), mode)
    rounded = np.ldexp(steps, power)
    too_big = (np.abs(rounded) > largest(dtype)) | np.isinf(values)
    significand, power = np.frexp(np.where(too_big, values.dtype.type(0), rounded))
    field = power - 1 + bias
    normal = (field >= 1) & (significand != 0)
    magnitude = np.where(normal, np.ldexp(np.abs(significand), mantissa + 1),
                         np.ldexp(np.where(normal | too_big, 0, np.abs(rounded)), -lowest))
    magnitude = np.where(too_big, 0, magnitude).astype(np.int64)
    pattern = np.where(normal, (np.maximum(field, 1) << mantissa) + magnitude - 2 ** mantissa,
                       magnitude)
    top = (2 ** exponent - 1) << mantissa
    biggest = top - 1 if infinite else top + 2 ** mantissa - 2
    infinity = top if infinite else NAN[dtype]
    pattern = np.where(too_big, np.where(saturate, biggest, infinity), pattern)
    sign = np.signbit(values).astype(np.int64) << (exponent + mantissa)
    nan = np.isnan(values) | (pattern == NAN[dtype])
    return np.where(nan, NAN[dtype], pattern | sign).astype(bits_type(dtype))


def to_int(values, dtype, mode="trunc", saturate=False):
    """Bits of values rounded to an integer, clamped (NaN: 0) or cut to the low bits (infinity and
    NaN: 0)."""
    kind = INTS[dtype]
    values = np.asarray(values)
    if values.dtype.kind == "f":
        values = to_integral(values.astype(np.longdouble), mode)
    else:
        values = values.astype(np.longdouble)
    limits = np.iinfo(kind)
    if saturate:
        values = np.clip(np.where(np.isnan(values), 0, values), np.longdouble(limits.min),
                         np.longdouble(limits.max))
    values = np.fmod(np.where(np.isfinite(values), values, 0), np.longdouble(2) ** 64)
    values = np.where(values < 0, values + np.longdouble(2) ** 64, values)
    return values.astype(np.uint64).astype(bits_type(dtype))


def encode(values, dtype):
    """Bits of values: floats to nearest even, integers their low bits, truncated toward zero."""
    values = np.asarray(values)
    if dtype in FLOATS:
        return to_float(values, dtype)
    if values.dtype.kind == "f":
        return to_int(values, dtype)
    return values.astype(INTS[dtype]).view(bits_type(dtype))


def canonical(bits, dtype):
    """The same bits with every NaN the canonical one."""
    if dtype in INTS:
        return bits
    return np.where(np.isnan(decode(bits, dtype)), bits_type(dtype).type(NAN[dtype]), bits)


def show(bits, dtype):
    """One element for people."""
    bits = bits_type(dtype).type(bits)
    value = decode(bits, dtype)
    if dtype in INTS:
        return str(int(value))
    return "%.9g (0x%0*x)" % (value, 2 * size(dtype), int(bits))


# ---- data ----------------------------------------------------------------------------------------


def specials(dtype):
    """Bits of the values where mistakes hide."""
    if dtype in INTS:
        width = 8 * size(dtype)
        patterns = [0, 1, 2, 3, 7, -1, -2, -3, 1 << (width - 1), (1 << (width - 1)) - 1,
                    (1 << (width - 1)) + 1, 1 << (width // 2), (1 << (width // 2)) - 1,
                    0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 10, 100]
        return np.array([p % (1 << width) for p in patterns], bits_type(dtype))
    _, exponent, mantissa, infinite = FLOATS[dtype]
    one = (2 ** (exponent - 1) - 1) << mantissa
    top = (2 ** exponent - 1) << mantissa
    half = 1 << (mantissa - 1)
    positive = [0, 1, (1 << mantissa) - 1, 1 << mantissa, one, one + 1, one - 1, one + half,
                one - (1 << mantissa), one + (1 << mantissa), one + half + (1 << mantissa),
                one + half - (1 << mantissa), one // 2, (one + top) // 2, NAN[dtype]]
    if infinite:
        positive += [top - 1, top - half, top, top + 1, NAN[dtype] | 1]
    else:
        positive += [NAN[dtype] - 1, NAN[dtype] - 2]
    sign = 1 << (exponent + mantissa)
    return np.unique(np.array([p | s for p in positive for s in (0, sign)], bits_type(dtype)))


def every(dtype):
    """All bit patterns of a type of one or two bytes."""
    return np.arange(1 << (8 * size(dtype)), dtype=bits_type(dtype))


@functools.lru_cache(None)
def pool(dtype):
    """A few thousand values: moderate ones, small whole numbers, specials."""
    rng = np.random.default_rng(20)
    if dtype in FLOATS:
        moderate = to_float(rng.normal(0, 3, 4000), dtype)
    else:
        moderate = encode(rng.integers(0 if dtype[0] == "u" else -100, 100, 4000), dtype)
    small = encode(rng.integers(-4 if dtype[0] != "u" else 0, 5, 1500), dtype)
    return np.concatenate([moderate, small, rng.choice(specials(dtype), 2500)])


def random_bits(dtype, shape, rng):
    """A third of arbitrary patterns, the others from the pool."""
    count = int(np.prod(shape))
    arbitrary = np.frombuffer(rng.bytes(count * size(dtype)), bits_type(dtype))
    chosen = rng.choice(pool(dtype), count)
    return np.where(rng.random(count) < 0.33, arbitrary, chosen).reshape(shape)


def ulp_error(got, exact, dtype):
    """How many ulp the bits `got` lie from the exact values (long double); inf where only one is
    NaN or infinite or the sign of a zero is wrong.  What rounds out of range may be infinite."""
    _, exponent, mantissa, _ = FLOATS[dtype]
    bias = 2 ** (exponent - 1) - 1
    exact = np.asarray(exact, np.longdouble)
    value = decode(got, dtype).astype(np.longdouble)
    finite = np.where(np.isfinite(exact), exact, 0)
    limit = np.longdouble(2) ** (bias + 1)
    finite = np.clip(finite, -limit, limit)
    power = np.clip(np.frexp(finite)[1] - 1, 1 - bias, bias) - mantissa
    step = np.ldexp(np.longdouble(1), power)
    bounded = np.where(np.isinf(value), np.copysign(limit, value), value)
    error = np.abs(bounded - finite) / step
    error = np.where(np.isinf(exact), np.where(value == exact, 0, np.inf), error)
    error = np.where(np.isnan(exact), np.where(got == NAN[dtype], 0, np.inf), error)
    error = np.where(np.isnan(value) & ~np.isnan(exact), np.inf, error)
    wrong_sign = (value == 0) & ~np.isnan(exact) & (np.signbit(value) != np.signbit(exact))
    return np.where(wrong_sign, np.inf, error)
