/* Forms of strips that conversions read and write beside those of the types themselves: floats that
 * clamp to the range of their type, bytes as i32. */
#ifndef PTO_VM_OPS_WITHIN_H
#define PTO_VM_OPS_WITHIN_H

#include "strip.h"

/* Infinities and what lies beyond become the limit, a NaN stays one. */
static inline float op_clamp_f32(float x, float limit)
{
    float above_low = x < -limit ? -limit : x;

    return above_low > limit ? limit : above_low;
}

/* Into fp8 that clamps. */
#define FP8_WITHIN(type, limit)                                                                    \
    typedef mem_##type mem_##type##_within;                                                        \
    typedef op_wide_##type op_wide_##type##_within;                                                \
    enum { OP_SIZE_##type##_within = OP_SIZE_##type };                                             \
                                                                                                   \
    static inline void op_put_##type##_within(void *to, size_t at, const float *x)                 \
    {                                                                                              \
        float inside[OP_STRIP];                                                                    \
                                                                                                   \
        OP_ONE_VECTOR                                                                              \
        for (int k = 0; k < OP_STRIP; k++)                                                         \
            inside[k] = op_clamp_f32(x[k], limit);                                                 \
        op_put_##type(to, at, inside);                                                             \
    }
FP8_WITHIN(f8e4m3, 448.0f)
FP8_WITHIN(f8e5m2, 57344.0f)

/* Into bf16 that clamps. */
typedef mem_bf16 mem_bf16_within;
typedef op_wide_bf16 op_wide_bf16_within;
enum { OP_SIZE_bf16_within = OP_SIZE_bf16 };

#if defined(OP_BF16_BY_16)
static inline void op_put_bf16_within(void *to, size_t at, const float *x)
{
    op_put_16_bf16((mem_bf16 *)to + at, x, true);
}
#else
/* In integers: rounded as in op_narrow_bf16, what lies beyond the greatest one becomes that.  It is
 * the upper half until the last step: compilers narrow once. */
static inline uint32_t bf16_within(float x)
{
    const uint32_t greatest = 0x7f7fffff, nan = 0x7fc00000;
    const int32_t infinity = 0x7f800000;
    uint32_t bits = pto_f32_bits(x), magnitude = bits & 0x7fffffff, sign = bits & 0x80000000;
    uint32_t rounded = magnitude + 0x7fff + (magnitude >> 16 & 1);
    uint32_t bounded = rounded > greatest ? greatest : rounded;

    return ((int32_t)magnitude > infinity ? nan : bounded | sign) >> 16;
}

static inline void op_put_bf16_within(void *to, size_t at, const float *x)
{
    mem_bf16 *p = (mem_bf16 *)to + at;

    for (int k = 0; k < OP_STRIP; k++)
        p[k] = (uint16_t)bf16_within(x[k]);
}
#endif

/* Into f16 that clamps.  That comes after the rounding, where a vector has twice as many numbers.
 */
static inline void round_strip_f16(uint16_t *to, const float *x)
{
#if defined(__AVX512F__)
    _mm256_storeu_si256((void *)to,
                        _mm512_cvtps_ph(_mm512_loadu_ps(x), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
    __m128i low = _mm256_cvtps_ph(_mm256_loadu_ps(x), _MM_FROUND_TO_NEAREST_INT);
    __m128i high = _mm256_cvtps_ph(_mm256_loadu_ps(x + 8), _MM_FROUND_TO_NEAREST_INT);

    _mm256_storeu_si256((void *)to, _mm256_set_m128i(high, low));
#else
    for (int k = 0; k < OP_STRIP; k++)
        to[k] = op_narrow_f16(x[k]);
#endif
}

/* An infinity becomes the greatest number of its sign, a NaN the canonical one. */
static inline uint16_t finite_f16(uint16_t bits)
{
    uint16_t below = (int16_t)bits > 0x7bff ? 0x7bff : bits;
    uint16_t inside = below > 0xfbff ? 0xfbff : below;

    return (bits & 0x7fff) > 0x7c00 ? 0x7e00 : inside;
}

typedef mem_f16 mem_f16_within;
typedef op_wide_f16 op_wide_f16_within;
enum { OP_SIZE_f16_within = OP_SIZE_f16 };

static inline void op_put_f16_within(void *to, size_t at, const float *x)
{
    mem_f16 *p = (mem_f16 *)to + at;
    uint16_t rounded[OP_STRIP];

    round_strip_f16(rounded, x);
    for (int k = 0; k < OP_STRIP; k++)
        p[k] = finite_f16(rounded[k]);
}

#ifdef __AVX512F__
/* f32 whose NaN are canonical already. */
typedef float op_wide_f32_canonical;
enum { OP_SIZE_f32_canonical = OP_SIZE_f32 };

static inline void op_put_f32_canonical(void *to, size_t at, const float *x)
{
    _mm512_storeu_ps((mem_f32 *)to + at, _mm512_loadu_ps(x));
}
#endif

/* Bytes by way of i32. */
typedef int32_t op_wide_i8_wide;
enum { OP_SIZE_i8_wide = OP_SIZE_i8 };

static inline void op_get_i8_wide(int32_t *x, const void *from, size_t at)
{
    op_widen_i8(x, (const mem_i8 *)from + at);
}

#ifdef __AVX512F__
/* Lines of 64 bytes: the upper halves of 32 numbers, to which 1 is added where the lower half is
 * more than the middle, or the middle and the upper one is odd.  False: there are NaN, or numbers
 * that are to be clamped; write them all again. */
static bool op_put_bf16_quickly(mem_bf16 *to, const mem_f32 *x, size_t n)
{
    const __m512i even = _mm512_set_epi16(62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36,
                                          34, 32, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6,
                                          4, 2, 0);
    const __m512i one = _mm512_set1_epi16(1), odd = _mm512_add_epi16(even, one);
    const __m512i middle = _mm512_set1_epi16(INT16_MIN), sign = middle;
    const __m512i greatest = _mm512_set1_epi16(0x7f7f);
    __m512i most = _mm512_setzero_si512();

    _Pragma("GCC unroll 1") for (size_t i = 0; i < n; i += 32) {
        __m512i a = _mm512_loadu_si512(x + i), b = _mm512_loadu_si512(x + i + 16);
        __m512i upper = _mm512_permutex2var_epi16(a, odd, b);
        __m512i lower = _mm512_permutex2var_epi16(a, even, b);
        __m512i rest = _mm512_adds_epu16(lower, _mm512_and_si512(upper, one));
        __mmask32 up = _mm512_cmpgt_epu16_mask(rest, middle);

        most = _mm512_max_epu16(most, _mm512_andnot_si512(sign, upper));
        _mm512_storeu_si512(to + i, _mm512_mask_add_epi16(upper, up, upper, one));
    }
    return !_mm512_cmpge_epu16_mask(most, greatest);
}

#endif

#endif
