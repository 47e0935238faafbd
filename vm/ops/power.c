/* TLOG, TPOW, TPOWS. */
#include "gang.h"
#include "real.h"

/* ---- logarithm ------------------------------------------------------------------------------- */
static inline float log_f32(float x)
{
    bool positive = x > 0.0f && x < __builtin_inff();
    double result = op_log(positive ? (double)x : 1.0);
    float special = x == 0.0f ? -__builtin_inff() : x > 0.0f ? x : __builtin_nanf("");

    return positive ? (float)result : special;
}

OP_GANG_1(log_row, f32, f32, log_f32)

/* dst[r, c] = natural logarithm of src[r, c], within 1 ulp: -inf for zeros of both signs, +inf for
 * +inf, NaN below 0; ln 1 = +0. */
static const struct op_gang logarithm = {.function = {OP_FLOATS(log_row)}};
OP_GANG(TLOG, logarithm)

/* ---- powers of floats ------------------------------------------------------------------------ */
/* which ? a : b by masks: with many branches about it the compiler no longer finds a straight
 * loop. */
static inline float choose(bool which, float a, float b)
{
    uint32_t mask = 0u - which;

    return pto_f32_from_bits((pto_f32_bits(a) & mask) | (pto_f32_bits(b) & ~mask));
}

/* |x|^y; where x is 0 or infinite, its logarithm is infinite and y * ln x, too. */
static inline float power_of_magnitude(float magnitude, float y)
{
    bool ordinary = (magnitude > 0.0f) & (magnitude < __builtin_inff());
    double product = (double)choose(ordinary, y, 0.0f) *
                     op_log((double)choose(ordinary, magnitude, 1.0f));
    float limit = y * choose(magnitude == 0.0f, -__builtin_inff(), __builtin_inff());

    return (float)op_exp(product + (double)choose(ordinary, 0.0f, limit));
}

/* The cases of C's pow (ISO C, annex F), the last one that holds decides. */
static inline float power_f32(float x, float y)
{
    float magnitude = pto_f32_from_bits(pto_f32_bits(x) & 0x7fffffffu);
    /* others are even integers */
    bool small = pto_f32_from_bits(pto_f32_bits(y) & 0x7fffffffu) < 0x1p24f;
    float bounded = choose(small, y, 0x1p24f);
    int32_t whole = (int32_t)bounded;
    bool integral = (float)whole == bounded;
    uint32_t sign = pto_f32_bits(x) & (uint32_t)whole << 31 & (0u - integral);
    bool undefined = (x < 0.0f) & (magnitude < __builtin_inff()) & !integral;
    float result = power_of_magnitude(magnitude, y);

    result = choose(magnitude == 1.0f, 1.0f, result); /* also 1^inf */
    result = pto_f32_from_bits(pto_f32_bits(result) | sign);
    result = choose(undefined | (x != x) | (y != y), __builtin_nanf(""), result);
    return choose((y == 0.0f) | (x == 1.0f), 1.0f, result);
}

OP_GANG_2(power_row_f32, f32, f32, power_f32)

/* ---- powers of integers ---------------------------------------------------------------------- */
/* Squaring and multiplying modulo 2^32, of which narrower types keep the low bits. */
static inline uint32_t power_u32(uint32_t base, uint32_t exponent)
{
    uint32_t result = 1;

    for (; exponent; exponent >>= 1) {
        result *= exponent & 1 ? base : 1;
        base *= base;
    }
    return result;
}

/* A negative power is 1 / base^n toward zero: 0 but for the bases 1 and -1. */
static inline int32_t power_i32(int32_t base, int32_t exponent)
{
    if (exponent >= 0)
        return (int32_t)power_u32((uint32_t)base, (uint32_t)exponent);
    if (base == -1)
        return exponent & 1 ? -1 : 1;
    return base == 1;
}

#define IS_NEGATIVE(x) ((x) < 0)
#define NEVER(x) false
#define POWER(type, wide, is_negative)                                                             \
    static const char *power_row_##type(void *const *row, size_t n)                                \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *x = row[1], *y = row[2];                                                 \
                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (x[i] == 0 && is_negative(y[i]))                                                    \
                return "0 to a negative power is a division by zero";                              \
            d[i] = (mem_##type)power_##wide(x[i], y[i]);                                           \
        }                                                                                          \
        return NULL;                                                                               \
    }
POWER(i8, i32, IS_NEGATIVE)
POWER(u8, u32, NEVER)
POWER(i16, i32, IS_NEGATIVE)
POWER(u16, u32, NEVER)
POWER(i32, i32, IS_NEGATIVE)
POWER(u32, u32, NEVER)

static const struct op_gang power = {
    .function = {OP_FLOATS(power_row_f32), [PTO_I8] = power_row_i8, [PTO_U8] = power_row_u8,
                 [PTO_I16] = power_row_i16, [PTO_U16] = power_row_u16, [PTO_I32] = power_row_i32,
                 [PTO_U32] = power_row_u32}};

/* dst[r, c] = base[r, c] to the power exp[r, c].
 * Floats: within 1 ulp, special cases as C's pow: x^0 = 1^y = 1 even for NaN, a negative base has
 * powers for integral exponents only (else NaN), 0 to a negative power is infinite.  Integers wrap
 * around; 0^0 = 1; negative powers truncate toward zero, and that of 0 faults. */
OP_GANG(TPOW, power)
/* The same with the scalar, converted to the type of the tile, as exponent. */
OP_GANG(TPOWS, power)
