#include "dtype.h"

#include <math.h>
#include <string.h>

#include "bits.h"

enum { KIND_F, KIND_S, KIND_U, KIND_EXPONENT, KIND_PAIR };

#define DTYPE(id, number, name, bytes, kind) [PTO_##id] = {name, bytes, KIND_##kind},
static const struct {
    const char *name;
    uint8_t bytes, kind;
} dtypes[PTO_DTYPE_COUNT] = {
#include "dtype.def"
};
#undef DTYPE

/* A binary floating-point format of at most 32 bits. */
struct format {
    unsigned mantissa_bits;
    int bias;
    uint32_t sign, largest, infinity, nan; /* infinity: what an overflow gives */
};

static const struct format f32_format = {23, 127, 0x80000000, 0x7f7fffff, 0x7f800000, 0x7fc00000};
static const struct format f16_format = {10, 15, 0x8000, 0x7bff, 0x7c00, 0x7e00};
static const struct format bf16_format = {7, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fc0};
/* OCP 8-bit formats: e4m3 gives up the infinities for the values 256 to 448. */
static const struct format e4m3_format = {3, 7, 0x80, 0x7e, 0x7f, 0x7f};
static const struct format e5m2_format = {2, 15, 0x80, 0x7b, 0x7c, 0x7e};

unsigned pto_dtype_size(enum pto_dtype dtype)
{
    return dtypes[dtype].bytes;
}

const char *pto_dtype_name(enum pto_dtype dtype)
{
    return dtypes[dtype].name;
}

bool pto_dtype_is_float(enum pto_dtype dtype)
{
    return dtypes[dtype].kind == KIND_F;
}

bool pto_dtype_is_signed(enum pto_dtype dtype)
{
    return dtypes[dtype].kind == KIND_S;
}

bool pto_dtype_is_number(enum pto_dtype dtype)
{
    return dtypes[dtype].kind < KIND_EXPONENT;
}

unsigned pto_dtype_numbers(enum pto_dtype dtype)
{
    return dtypes[dtype].kind == KIND_PAIR ? 2 : 1;
}

int pto_dtype_find(const char *name)
{
    for (int i = 0; i < PTO_DTYPE_COUNT; i++)
        if (!strcmp(name, dtypes[i].name))
            return i;
    return -1;
}

/* ---- widening -------------------------------------------------------------------------------- */

/* Exact: f32 has more exponent and mantissa than every format that comes here. */
static float widen(uint32_t bits, const struct format *format)
{
    unsigned m = format->mantissa_bits;
    uint32_t sign = bits & format->sign ? f32_format.sign : 0;
    uint32_t magnitude = bits & (format->sign - 1);
    uint32_t mantissa = magnitude & ((1u << m) - 1);
    int exponent = (int)(magnitude >> m);

    if (magnitude == format->infinity && format->infinity != format->nan)
        return pto_f32_from_bits(sign | f32_format.infinity);
    if (magnitude > format->largest)
        return pto_f32_from_bits(f32_format.nan);
    if (magnitude == 0)
        return pto_f32_from_bits(sign);
    if (exponent == 0) { /* denormal: shift the leading bit to the implicit place */
        int shift = __builtin_clz(mantissa) - (31 - (int)m);

        mantissa = (mantissa << shift) & ((1u << m) - 1);
        exponent = 1 - shift;
    }
    exponent += f32_format.bias - format->bias;
    if (exponent <= 0) /* denormals of bf16 are denormals of f32 */
        return pto_f32_from_bits(sign | magnitude << (23 - m));
    return pto_f32_from_bits(sign | (uint32_t)exponent << 23 | mantissa << (23 - m));
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* sign * significand * 2^exponent, finite and exact. */
struct number {
    bool negative;
    uint64_t significand;
    int exponent;
};

static struct number from_f64(double value)
{
    uint64_t bits = pto_f64_bits(value), fraction = bits & ((1ull << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);

    if (exponent == 0)
        return (struct number){bits >> 63, fraction, -1074};
    return (struct number){bits >> 63, fraction | 1ull << 52, exponent - 1075};
}

static struct number from_int(int64_t value, bool is_unsigned)
{
    bool negative = !is_unsigned && value < 0;

    return (struct number){negative, negative ? -(uint64_t)value : (uint64_t)value, 0};
}

/* significand / 2^drop as an integer, rounded in the named mode (PTO_ROUND_*). */
static uint64_t shift_round(uint64_t significand, unsigned drop, bool negative, int mode)
{
    const uint64_t half = 1ull << 63;
    uint64_t kept = 0, cut = significand; /* cut: in 2^-64 of what is kept */

    if (drop == 0)
        return significand;
    if (drop < 64) {
        kept = significand >> drop;
        cut = significand << (64 - drop);
    } else if (drop > 64) {
        cut = significand != 0;
    }
    switch (mode) {
#define NEGATIVE negative
#define KEPT_ODD (kept & 1)
#define REST (cut != 0)
#define ABOVE (cut > half)
#define TIE (cut == half)
#define ROUND(id, number, keyword, up, whole)                                                      \
    case PTO_ROUND_##id:                                                                           \
        return kept + ((up) ? 1 : 0);
#include "round.def"
#undef ROUND
#undef NEGATIVE
#undef KEPT_ODD
#undef REST
#undef ABOVE
#undef TIE
    default:
        return kept;
    }
}

/* What a value out of range becomes; a format without infinity has its one NaN for it. */
static uint32_t overflowed(uint32_t sign, const struct format *format, bool saturate)
{
    if (saturate)
        return sign | format->largest;
    return format->infinity == format->nan ? format->nan : sign | format->infinity;
}

/* The number in the format.  Out of range is what lies beyond the largest value after rounding
 * with an exponent without bounds, in every mode. */
static uint32_t narrow(struct number x, const struct format *format, int mode, bool saturate)
{
    int m = (int)format->mantissa_bits, lowest = 1 - format->bias, lead, exponent;
    uint32_t sign = x.negative ? format->sign : 0;
    uint64_t kept, magnitude;
    int drop;

    if (x.significand == 0)
        return sign;
    lead = __builtin_clzll(x.significand);
    x.significand <<= lead;
    x.exponent -= lead;
    exponent = x.exponent + 63;
    drop = 63 - m;
    if (exponent < lowest) { /* denormal: fewer bits are left */
        drop += lowest - exponent;
        exponent = lowest;
    }
    if (exponent > format->bias + 1)
        return overflowed(sign, format, saturate);
    kept = shift_round(x.significand, (unsigned)drop, x.negative, mode);
    /* The implicit bit of a normal number, and a carry out of the mantissa, raise the exponent. */
    magnitude = ((uint64_t)(exponent + format->bias - 1) << m) + kept;
    if (magnitude > format->largest)
        return overflowed(sign, format, saturate);
    return sign | (uint32_t)magnitude;
}

static uint32_t narrow_f64(double value, const struct format *format, int mode, bool saturate)
{
    const uint64_t infinity = 0x7ffull << 52;
    uint64_t magnitude = pto_f64_bits(value) & ~(1ull << 63);
    uint32_t sign = pto_f64_bits(value) >> 63 ? format->sign : 0;

    if (magnitude > infinity)
        return format->nan;
    if (magnitude == infinity)
        return overflowed(sign, format, saturate);
    return narrow(from_f64(value), format, mode, saturate);
}

uint16_t pto_f64_to_f16(double value, int mode, bool saturate)
{
    return (uint16_t)narrow_f64(value, &f16_format, mode, saturate);
}

uint16_t pto_f64_to_bf16(double value, int mode, bool saturate)
{
    return (uint16_t)narrow_f64(value, &bf16_format, mode, saturate);
}

uint8_t pto_f64_to_e4m3(double value, int mode, bool saturate)
{
    return (uint8_t)narrow_f64(value, &e4m3_format, mode, saturate);
}

uint8_t pto_f64_to_e5m2(double value, int mode, bool saturate)
{
    return (uint8_t)narrow_f64(value, &e5m2_format, mode, saturate);
}

float pto_f64_to_f32(double value, int mode, bool saturate)
{
    return pto_f32_from_bits(narrow_f64(value, &f32_format, mode, saturate));
}

float pto_int_to_f32(int64_t value, bool value_is_unsigned, int mode)
{
    return pto_f32_from_bits(narrow(from_int(value, value_is_unsigned), &f32_format, mode, false));
}

/* ---- integers -------------------------------------------------------------------------------- */

static unsigned bit_count(enum pto_dtype dtype)
{
    return dtypes[dtype].bytes * 8u;
}

static int64_t low_bits(uint64_t value, enum pto_dtype dtype)
{
    unsigned unused = 64 - bit_count(dtype);

    if (pto_dtype_is_signed(dtype))
        return (int64_t)(value << unused) >> unused;
    return (int64_t)(value << unused >> unused);
}

/* sign * magnitude clamped to the range of the type. */
static int64_t clamp(bool negative, uint64_t magnitude, enum pto_dtype dtype)
{
    bool is_signed = pto_dtype_is_signed(dtype);
    uint64_t top = UINT64_MAX >> (64 - bit_count(dtype) + is_signed);
    uint64_t limit = !negative ? top : is_signed ? top + 1 : 0;

    if (magnitude > limit)
        magnitude = limit;
    return (int64_t)(negative ? -magnitude : magnitude);
}

int64_t pto_f64_to_int(double value, enum pto_dtype dtype, int mode, bool saturate)
{
    struct number x = from_f64(value);
    bool infinite = value == __builtin_inf() || value == -__builtin_inf();
    uint64_t magnitude;

    if (value != value)
        return 0;
    if (saturate && (infinite || (x.exponent > 11 && x.significand)))
        return clamp(x.negative, UINT64_MAX, dtype);
    if (infinite || x.exponent > 63)
        return 0; /* a multiple of 2^64, and so all low bits */
    magnitude = x.exponent >= 0
                    ? x.significand << x.exponent
                    : shift_round(x.significand, (unsigned)-x.exponent, x.negative, mode);
    if (saturate)
        return clamp(x.negative, magnitude, dtype);
    return low_bits(x.negative ? -magnitude : magnitude, dtype);
}

int64_t pto_int_to_int(int64_t value, bool value_is_unsigned, enum pto_dtype dtype, bool saturate)
{
    struct number x = from_int(value, value_is_unsigned);

    return saturate ? clamp(x.negative, x.significand, dtype) : low_bits((uint64_t)value, dtype);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t load_bits(const void *address, enum pto_dtype dtype)
{
    const uint8_t *bytes = address;
    uint64_t bits = 0;

    for (unsigned i = 0; i < dtypes[dtype].bytes; i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}

static void store_bits(void *address, enum pto_dtype dtype, uint64_t bits)
{
    uint8_t *bytes = address;

    for (unsigned i = 0; i < dtypes[dtype].bytes; i++)
        bytes[i] = (uint8_t)(bits >> (8 * i));
}

static const struct format *float_format(enum pto_dtype dtype)
{
    switch (dtype) {
    case PTO_F32:
        return &f32_format;
    case PTO_F16:
        return &f16_format;
    case PTO_BF16:
        return &bf16_format;
    case PTO_F8E4M3:
        return &e4m3_format;
    case PTO_F8E5M2:
        return &e5m2_format;
    default:
        return NULL;
    }
}

double pto_load_f64(const void *address, enum pto_dtype dtype)
{
    const struct format *format = float_format(dtype);
    uint64_t bits = load_bits(address, dtype);

    if (dtype == PTO_F32)
        return pto_f32_from_bits((uint32_t)bits);
    if (format)
        return widen((uint32_t)bits, format);
    return dtype == PTO_U64 ? (double)bits : (double)low_bits(bits, dtype);
}

int64_t pto_load_int(const void *address, enum pto_dtype dtype)
{
    return low_bits(load_bits(address, dtype), dtype);
}

void pto_store_f64(void *address, enum pto_dtype dtype, double value)
{
    const struct format *format = float_format(dtype);

    if (format)
        store_bits(address, dtype, narrow_f64(value, format, PTO_ROUND_RINT, false));
    else
        store_bits(address, dtype, (uint64_t)pto_f64_to_int(value, dtype, PTO_ROUND_TRUNC, false));
}

void pto_store_int(void *address, enum pto_dtype dtype, int64_t value)
{
    store_bits(address, dtype, (uint64_t)value);
}

bool pto_number_fits(enum pto_dtype dtype, bool is_float, double f, int64_t i, int64_t *value)
{
    double limit = dtype == PTO_U64 ? 0x1p64 : 0x1p63;
    unsigned bits = 8 * pto_dtype_size(dtype);

    *value = i;
    if (pto_dtype_is_float(dtype))
        return true;
    if (is_float) {
        if (!(f >= (dtype == PTO_U64 ? 0 : -limit) && f < limit) || trunc(f) != f)
            return false;
        *value = f < 0x1p63 ? (int64_t)f : (int64_t)(uint64_t)f;
    }
    if (bits == 64)
        return true;
    if (pto_dtype_is_signed(dtype))
        return *value >= -(INT64_C(1) << (bits - 1)) && *value < INT64_C(1) << (bits - 1);
    return *value >= 0 && *value < INT64_C(1) << bits;
}
