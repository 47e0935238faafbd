/* TLOG, TPOW, TPOWS. */
#include "each.h"
#include "real.h"
#include "real_8.h"

/* ---- logarithm ------------------------------------------------------------------------------- */
static inline float natural_log(float x)
{
    bool positive = x > 0.0f && x < __builtin_inff();
    double result = op_log(positive ? (double)x : 1.0);
    float special = x == 0.0f ? -__builtin_inff() : x > 0.0f ? x : __builtin_nanf("");

    return positive ? (float)result : special;
}

#if defined(__AVX512F__)
/* Sixteen logarithms; which of them do not count. */
static inline __mmask16 log_16(mem_f32 *d, __m512 x)
{
    const int32_t least = 0x00800000, infinity = 0x7f800000;
    __m512i above = _mm512_sub_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(least));
    __mmask16 odd = _mm512_cmpge_epu32_mask(above, _mm512_set1_epi32(infinity - least));
    __m512d low = op_log_8(_mm512_cvtps_pd(_mm512_castps512_ps256(x)), &op_base_e);
    __m512d high = op_log_8(_mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)), &op_base_e);

    _mm256_storeu_ps(d, _mm512_cvtpd_ps(low));
    _mm256_storeu_ps(d + OP_EIGHT, _mm512_cvtpd_ps(high));
    return odd | op_undecided_8(low) | op_undecided_8(high);
}

static __attribute__((noinline)) void log_strip(mem_f32 *d, const float *x)
{
    for (int k = 0; k < OP_STRIP; k++)
        d[k] = natural_log(x[k]);
}

/* Strips of their logarithms. */
typedef float op_wide_f32_log;
enum { OP_SIZE_f32_log = OP_SIZE_f32 };

static inline void op_put_f32_log(void *to, size_t at, const float *x)
{
    mem_f32 *d = (mem_f32 *)to + at;

    if (log_16(d, _mm512_loadu_ps(x)))
        log_strip(d, x);
}

#define AS_IT_IS(x) (x)
OP_STRIP_1(log_f32, f32_log, f32, AS_IT_IS)
#elif defined(__FMA__)
/* ln x to 2^-43 of itself, for positive normal numbers.  x = 2^k m as in op_log, but the quotient s
 * comes from one in f32: with c = 1 / (m + 1) in f32 and e = 1 - c (m + 1) it is
 * (m - 1) c (1 + e + e^2 + ...).  What 2^-43 does not see of this and of the series is left out. */
static inline double quick_log(float x)
{
    const uint32_t root = 0x3f3504f3, one = 0x3f800000;
    uint32_t shifted = pto_f32_bits(x) + (one - root);
    float m = pto_f32_from_bits((shifted & 0x007fffff) + root);
    double k = (double)((int32_t)(shifted >> 23) - 127), c = (double)(1.0f / (m + 1.0f));
    double e = __builtin_fma(-c, (double)m + 1.0, 1.0), close = (double)(m - 1.0f) * c;
    double s = __builtin_fma(close, e, close), z = s * s, p;

    p = __builtin_fma(2.0 / 15, z, 2.0 / 13);
    p = __builtin_fma(p, z, 2.0 / 11);
    p = __builtin_fma(p, z, 2.0 / 9);
    p = __builtin_fma(p, z, 2.0 / 7);
    p = __builtin_fma(p, z, 2.0 / 5);
    p = __builtin_fma(p, z, 2.0 / 3);
    return __builtin_fma(k, 0x1.62e42fefa39efp-1, __builtin_fma(s * z, p, 2.0 * s));
}

/* Is this result so near to the middle between two f32, closer than 2^-40 of itself, that a better
 * one might be rounded to the other? */
static inline bool is_undecided(double result)
{
    const uint64_t middle = 1u << 28, near = 1u << 12, between = (1u << 29) - 1;

    return !((pto_f64_bits(result) + (middle + near)) & between & ~(2 * near - 1));
}

OP_ONE_ROW_1(log_any, f32, f32, natural_log)

/* A piece as if all of it were positive and normal; false: it is not, or some results are
 * undecided. */
static bool log_quick(mem_f32 *d, const mem_f32 *x, size_t n)
{
    const uint32_t least = 0x00800000, infinity = 0x7f800000;
    uint32_t most = 0; /* above the least, in bits */
    int64_t undecided = 0;

    OP_INDEPENDENT
    for (size_t i = 0; i < n; i++) {
        const float number = x[i];
        uint32_t above = pto_f32_bits(number) - least;
        double result = quick_log(number);

        most = above > most ? above : most;
        undecided |= -(int64_t)is_undecided(result); /* a mask, as vectors have them */
        d[i] = (float)result;
    }
    return most < infinity - least && !undecided;
}

OP_QUICK_1(log_f32, log_quick, log_any)
#else
OP_ROW_1(log_f32, f32, f32, natural_log)
#endif
OP_STRIP_1(log_f16, f16, f16, natural_log)

/* dst[r, c] = natural logarithm of src[r, c], within 1 ulp: -inf for zeros of both signs, +inf for
 * +inf, NaN below 0; ln 1 = +0. */
static const struct op_each logarithm = {.function = {OP_F32_F16(log)}};
OP_EACH(TLOG, logarithm)

/* ---- powers of floats ------------------------------------------------------------------------ */
/* |x|^y; where x is 0 or infinite, its logarithm is infinite and y * ln x, too. */
static inline float power_of_magnitude(float magnitude, float y)
{
    bool ordinary = (magnitude > 0.0f) & (magnitude < __builtin_inff());
    double product = (double)op_choose(ordinary, y, 0.0f) *
                     op_log((double)op_choose(ordinary, magnitude, 1.0f));
    float limit = y * op_choose(magnitude == 0.0f, -__builtin_inff(), __builtin_inff());

    return (float)op_exp(product + (double)op_choose(ordinary, 0.0f, limit));
}

/* The cases of C's pow (ISO C, annex F), the last one that holds decides. */
static inline float power_of(float x, float y)
{
    float magnitude = pto_f32_from_bits(pto_f32_bits(x) & 0x7fffffffu);
    /* others are even integers */
    bool small = pto_f32_from_bits(pto_f32_bits(y) & 0x7fffffffu) < 0x1p24f;
    float bounded = op_choose(small, y, 0x1p24f);
    int32_t whole = (int32_t)bounded;
    bool integral = (float)whole == bounded;
    uint32_t sign = pto_f32_bits(x) & (uint32_t)whole << 31 & (0u - integral);
    bool undefined = (x < 0.0f) & (magnitude < __builtin_inff()) & !integral;
    float result = power_of_magnitude(magnitude, y);

    result = op_choose(magnitude == 1.0f, 1.0f, result); /* also 1^inf */
    result = pto_f32_from_bits(pto_f32_bits(result) | sign);
    result = op_choose(undefined | (x != x) | (y != y), __builtin_nanf(""), result);
    return op_choose((y == 0.0f) | (x == 1.0f), 1.0f, result);
}

#if defined(__AVX512F__)
/* Powers as 2^(y log2 x); which of them do not count, or are not normal.  Where that is below 2^126
 * either way, the product is known to 2^-42, which is as much of the result; its power adds 2^-47,
 * and power_of_magnitude, by the same count, is within 2^-43: closer than what op_undecided_8 looks
 * at. */
static inline __mmask8 power_8(mem_f32 *d, __m256 x, __m256 y)
{
    __m512d product = _mm512_mul_pd(op_log_8(_mm512_cvtps_pd(x), &op_base_2), _mm512_cvtps_pd(y));
    __m512d result = op_power_of_two_8(product);
    __m512d size = _mm512_abs_pd(product), most = _mm512_set1_pd(126.0);

    _mm256_storeu_ps(d, _mm512_cvtpd_ps(result));
    return op_undecided_8(result) | _mm512_cmp_pd_mask(size, most, _CMP_NLT_UQ);
}

static inline __mmask16 power_16(mem_f32 *d, __m512 x, __m512 y)
{
    const int32_t least = 0x00800000, infinity = 0x7f800000;
    __m512i above = _mm512_sub_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(least));
    __mmask16 odd = _mm512_cmpge_epu32_mask(above, _mm512_set1_epi32(infinity - least));

    return odd | power_8(d, _mm512_castps512_ps256(x), _mm512_castps512_ps256(y)) |
           power_8(d + OP_EIGHT, _mm512_extractf32x8_ps(x, 1), _mm512_extractf32x8_ps(y, 1));
}

static __attribute__((noinline)) void power_strip(mem_f32 *d, const float *x, const float *y)
{
    for (int k = 0; k < OP_STRIP; k++)
        d[k] = power_of(x[k], y[k]);
}

OP_INLINE void power_f32_strips(void *const *row, size_t n, unsigned single)
{
    OP_SOURCE(f32, x, 1);
    OP_SOURCE(f32, y, 2);
    mem_f32 *d = row[0];

    for (size_t i = 0; i + OP_STRIP <= n; i += OP_STRIP) {
        float x[OP_STRIP], y[OP_STRIP];

        _mm512_storeu_ps(x, _mm512_set1_ps(x_first));
        _mm512_storeu_ps(y, _mm512_set1_ps(y_first));
        OP_GET(f32, x, 1);
        OP_GET(f32, y, 2);
        if (power_16(d + i, _mm512_loadu_ps(x), _mm512_loadu_ps(y)))
            power_strip(d + i, x, y);
    }
}
OP_STRIP_FUNCTION(power_f32, OP_DISPATCH_2, 3, OP_SIZE_f32, OP_SIZE_f32, OP_SIZE_f32)
#else
OP_ROW_2(power_f32, f32, f32, power_of)
#endif
OP_STRIP_2(power_f16, f16, f16, power_of)
OP_STRIP_2(power_bf16, bf16, bf16, power_of)

/* ---- powers of integers ---------------------------------------------------------------------- */
/* Squaring and multiplying modulo 2^32, of which narrower types keep the low bits. */
static inline uint32_t power_unsigned(uint32_t base, uint32_t exponent)
{
    uint32_t result = 1;

    for (; exponent; exponent >>= 1) {
        result *= exponent & 1 ? base : 1;
        base *= base;
    }
    return result;
}

/* A negative power is 1 / base^n toward zero: 0 but for the bases 1 and -1. */
static inline int32_t power_signed(int32_t base, int32_t exponent)
{
    if (exponent >= 0)
        return (int32_t)power_unsigned((uint32_t)base, (uint32_t)exponent);
    if (base == -1)
        return exponent & 1 ? -1 : 1;
    return base == 1;
}

#define IS_NEGATIVE(x) ((x) < 0)
#define NEVER(x) false
#define POWER(type, of, is_negative)                                                               \
    static const char *power_##type##_row(void *const *row, size_t n, unsigned single)             \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *x = row[1], *exponent = row[2];                                          \
        const size_t step = !(single & 4);                                                         \
                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            const op_wide_##type y = exponent[i * step];                                           \
                                                                                                   \
            if (x[i] == 0 && is_negative(y))                                                       \
                return "0 to a negative power is a division by zero";                              \
            d[i] = (op_wide_##type)of(x[i], y);                                                    \
        }                                                                                          \
        return NULL;                                                                               \
    }                                                                                              \
    OP_ROWS(power_##type, 3)
POWER(i8, power_signed, IS_NEGATIVE)
POWER(u8, power_unsigned, NEVER)
POWER(i16, power_signed, IS_NEGATIVE)
POWER(u16, power_unsigned, NEVER)
POWER(i32, power_signed, IS_NEGATIVE)
POWER(u32, power_unsigned, NEVER)

static const struct op_each power = {
    .function = {OP_FLOATS(power), OP_UNSIGNED_8_16_32(power), OP_SIGNED_8_16_32(power)}};

/* dst[r, c] = base[r, c] to the power exp[r, c].
 * Floats: within 1 ulp, special cases as C's pow: x^0 = 1^y = 1 even for NaN, a negative base has
 * powers for integral exponents only (else NaN), 0 to a negative power is infinite.  Integers wrap
 * around; 0^0 = 1; negative powers truncate toward zero, and that of 0 faults. */
OP_EACH(TPOW, power)
/* The same with the scalar, converted to the type of the tile, as exponent. */
OP_EACH(TPOWS, power)
