/* Elements of any type in memory as strips of sixteen: the form in which small floats and mask bits
 * are computed.
 *
 * op_get_TYPE reads elements [at, at + OP_STRIP) as op_wide_TYPE: floats as f32, all others as they
 * are, mask bits as bytes of 0 or 1.  op_put_TYPE writes them: floats to nearest even, beyond the
 * range infinity (e4m3: NaN), a NaN as the canonical one.  op_first_TYPE reads one element.  All
 * are small enough that compilers keep the strips in registers. */
#ifndef PTO_VM_OPS_STRIP_H
#define PTO_VM_OPS_STRIP_H

#include <math.h>

#include "level.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

enum { OP_STRIP = 16 };

/* The loop over a strip that follows stays a loop until it is vectorised: it is one vector of the
 * host, and compilers would take it apart before, and then find no vector in its conditions. */
#ifdef __AVX512F__
#define OP_ONE_VECTOR _Pragma("GCC unroll 1")
#else
#define OP_ONE_VECTOR
#endif

/* Bytes of an element; of bits there are eight in one. */
enum {
    OP_SIZE_bits = 0,
    OP_SIZE_f8e4m3 = 1, OP_SIZE_f8e5m2 = 1, OP_SIZE_i8 = 1, OP_SIZE_u8 = 1,
    OP_SIZE_f16 = 2, OP_SIZE_bf16 = 2, OP_SIZE_i16 = 2, OP_SIZE_u16 = 2,
    OP_SIZE_f32 = 4, OP_SIZE_i32 = 4, OP_SIZE_u32 = 4,
    OP_SIZE_i64 = 8, OP_SIZE_u64 = 8
};

#define OP_STRIP_FIRST(type, read)                                                                 \
    static inline op_wide_##type op_first_##type(const void *from)                                 \
    {                                                                                              \
        return read(*(const mem_##type *)from);                                                    \
    }
#define OP_STRIP_EACH(type, read, write)                                                           \
    static inline void op_get_##type(op_wide_##type *x, const void *from, size_t at)               \
    {                                                                                              \
        const mem_##type *p = (const mem_##type *)from + at;                                       \
                                                                                                   \
        for (int k = 0; k < OP_STRIP; k++)                                                         \
            x[k] = read(p[k]);                                                                     \
    }                                                                                              \
    static inline void op_put_##type(void *to, size_t at, const op_wide_##type *x)                 \
    {                                                                                              \
        mem_##type *p = (mem_##type *)to + at;                                                     \
                                                                                                   \
        for (int k = 0; k < OP_STRIP; k++)                                                         \
            p[k] = write(x[k]);                                                                    \
    }

/* ---- integers and f32 ------------------------------------------------------------------------ */
#define OP_STRIP_AS_IT_IS(type, wide)                                                              \
    typedef wide op_wide_##type;                                                                   \
    OP_STRIP_EACH(type, , )                                                                        \
    OP_STRIP_FIRST(type, )
OP_STRIP_AS_IT_IS(i8, int8_t)
OP_STRIP_AS_IT_IS(u8, uint8_t)
OP_STRIP_AS_IT_IS(i16, int16_t)
OP_STRIP_AS_IT_IS(u16, uint16_t)
OP_STRIP_AS_IT_IS(i32, int32_t)
OP_STRIP_AS_IT_IS(u32, uint32_t)
OP_STRIP_AS_IT_IS(i64, int64_t)
OP_STRIP_AS_IT_IS(u64, uint64_t)

typedef float op_wide_f32;
OP_STRIP_FIRST(f32, )
#ifdef __AVX512F__
/* x, its NaN canonical. */
static inline __m512 op_canonical_16(__m512 x)
{
    __m512 nan = _mm512_set1_ps(__builtin_nanf(""));

    return _mm512_mask_mov_ps(nan, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x);
}

static inline void op_get_f32(float *x, const void *from, size_t at)
{
    _mm512_storeu_ps(x, _mm512_loadu_ps((const mem_f32 *)from + at));
}

static inline void op_put_f32(void *to, size_t at, const float *x)
{
    _mm512_storeu_ps((mem_f32 *)to + at, op_canonical_16(_mm512_loadu_ps(x)));
}
#else
OP_STRIP_EACH(f32, , op_canonical)
#endif

/* ---- bytes as i32, and i32 as its low bits: compilers would go through 16 bits --------------- */
static inline void op_widen_i8(int32_t *x, const mem_i8 *from)
{
#ifdef __AVX512F__
    _mm512_storeu_si512(x, _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)from)));
#else
    for (int k = 0; k < OP_STRIP; k++)
        x[k] = from[k];
#endif
}

static inline void op_put_low_8(mem_i8 *to, const int32_t *x)
{
#ifdef __AVX512F__
    _mm_storeu_si128((void *)to, _mm512_cvtepi32_epi8(_mm512_loadu_si512(x)));
#elif defined(__AVX2__)
    __m256i low = _mm256_set1_epi32(0xff);
    __m256i first = _mm256_and_si256(_mm256_loadu_si256((const void *)x), low);
    __m256i second = _mm256_and_si256(_mm256_loadu_si256((const void *)(x + 8)), low);
    __m256i both = _mm256_packus_epi32(first, second), bytes = _mm256_packus_epi16(both, both);
    __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5);

    _mm_storeu_si128((void *)to,
                     _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bytes, order)));
#else
    for (int k = 0; k < OP_STRIP; k++)
        to[k] = (int8_t)x[k];
#endif
}

static inline void op_put_low_16(mem_i16 *to, const int32_t *x)
{
#ifdef __AVX512F__
    _mm256_storeu_si256((void *)to, _mm512_cvtepi32_epi16(_mm512_loadu_si512(x)));
#else
    for (int k = 0; k < OP_STRIP; k++)
        to[k] = (int16_t)x[k];
#endif
}

/* ---- small floats, one at a time ------------------------------------------------------------- */
typedef mem_u16 mem_f16;
typedef mem_u16 mem_bf16;
typedef mem_u8 mem_f8e4m3;
typedef mem_u8 mem_f8e5m2;
typedef float op_wide_f16;
typedef float op_wide_bf16;
typedef float op_wide_f8e4m3;
typedef float op_wide_f8e5m2;

/* The exponent is rebased by a multiplication, which is exact and makes denormals normal; infinity
 * and NaN (exponent 31) get the exponent of f32's. */
static inline float op_widen_f16(uint16_t half)
{
    uint32_t magnitude = half & 0x7fffu, sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t finite = pto_f32_bits(pto_f32_from_bits(magnitude << 13) * 0x1p112f);
    uint32_t special = (magnitude << 13) | 0x7f800000u;

    return pto_f32_from_bits((magnitude >= 0x7c00u ? special : finite) | sign);
}

/* Normal results: add half a unit (less one if the last kept bit is even) and cut off 13 bits.
 * Denormal results: the sum with 0.5, whose unit is that of the smallest f16, rounds to even. */
static inline uint16_t op_narrow_f16(float value)
{
    uint32_t bits = pto_f32_bits(value), sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t normal = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1u)) >> 13;
    uint32_t denormal = pto_f32_bits(pto_f32_from_bits(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t result = magnitude < 0x38800000u ? denormal : normal;

    result = magnitude >= 0x47800000u ? 0x7c00u : result;
    return (uint16_t)(magnitude > 0x7f800000u ? 0x7e00u : result | sign);
}

static inline float op_widen_bf16(uint16_t bits)
{
    return pto_f32_from_bits((uint32_t)bits << 16);
}

static inline uint16_t op_narrow_bf16(float value)
{
    uint32_t bits = pto_f32_bits(value);
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;

    return (uint16_t)(value != value ? 0x7fc0u : rounded);
}

/* fp8 as f16 above, but the sign comes with the rest as the byte is widened and the product tells
 * what is special: compilers would compare bytes and widen the results.  Every NaN of e4m3 is the
 * canonical one; callers that compute nothing more take the bits. */
static inline uint32_t op_bits_of_f8e4m3(int32_t bits)
{
    uint32_t kept = (uint32_t)bits << 20 & 0x87f00000u;
    float finite = pto_f32_from_bits(kept) * 0x1p120f;

    return fabsf(finite) > 448.0f ? OP_NAN_BITS : pto_f32_bits(finite);
}

static inline float op_widen_f8e4m3(uint8_t bits)
{
    return pto_f32_from_bits(op_bits_of_f8e4m3((int8_t)bits));
}

/* Beyond 448 there is NaN only.  The result is in the low byte, the only one that is not 0. */
static inline uint32_t op_low_bits_f8e4m3(float value)
{
    uint32_t bits = pto_f32_bits(value), sign = bits >> 24 & 0x80u;
    uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t normal = (magnitude + 0xc407ffffu + (magnitude >> 20 & 1u)) >> 20;
    uint32_t denormal = pto_f32_bits(pto_f32_from_bits(magnitude) + 0x1p14f) - 0x46800000u;
    uint32_t result = magnitude < 0x3c800000u ? denormal : normal;

    return magnitude > 0x43e80000u ? 0x7fu : result | sign;
}

static inline uint8_t op_narrow_f8e4m3(float value)
{
    return (uint8_t)op_low_bits_f8e4m3(value);
}

static inline uint32_t op_bits_of_f8e5m2(int32_t bits)
{
    uint32_t kept = (uint32_t)bits << 21 & 0x8fe00000u;
    float finite = pto_f32_from_bits(kept) * 0x1p112f;
    uint32_t special = kept | 0x7f800000u;

    return fabsf(finite) > 57344.0f ? special : pto_f32_bits(finite);
}

static inline float op_widen_f8e5m2(uint8_t bits)
{
    return pto_f32_from_bits(op_bits_of_f8e5m2((int8_t)bits));
}

static inline uint32_t op_low_bits_f8e5m2(float value)
{
    uint32_t bits = pto_f32_bits(value), sign = bits >> 24 & 0x80u;
    uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t normal = (magnitude + 0xc80fffffu + (magnitude >> 21 & 1u)) >> 21;
    uint32_t denormal = pto_f32_bits(pto_f32_from_bits(magnitude) + 0x1p7f) - 0x43000000u;
    uint32_t result = magnitude < 0x38800000u ? denormal : normal;

    result = magnitude >= 0x47700000u ? 0x7cu : result;
    return magnitude > 0x7f800000u ? 0x7eu : result | sign;
}

static inline uint8_t op_narrow_f8e5m2(float value)
{
    return (uint8_t)op_low_bits_f8e5m2(value);
}

OP_STRIP_FIRST(f16, op_widen_f16)
OP_STRIP_FIRST(bf16, op_widen_bf16)
OP_STRIP_FIRST(f8e4m3, op_widen_f8e4m3)
OP_STRIP_FIRST(f8e5m2, op_widen_f8e5m2)
#ifdef __AVX512F__
/* In 32 bits each from end to end. */
#define OP_STRIP_FP8(type)                                                                         \
    static inline void op_get_##type(float *x, const void *from, size_t at)                        \
    {                                                                                              \
        int32_t bits[OP_STRIP];                                                                    \
                                                                                                   \
        op_widen_i8(bits, (const mem_i8 *)from + at);                                              \
        OP_ONE_VECTOR                                                                              \
        for (int k = 0; k < OP_STRIP; k++)                                                         \
            x[k] = pto_f32_from_bits(op_bits_of_##type(bits[k]));                                  \
    }                                                                                              \
    static inline void op_put_##type(void *to, size_t at, const float *x)                          \
    {                                                                                              \
        int32_t bits[OP_STRIP];                                                                    \
                                                                                                   \
        OP_ONE_VECTOR                                                                              \
        for (int k = 0; k < OP_STRIP; k++)                                                         \
            bits[k] = (int32_t)op_low_bits_##type(x[k]);                                           \
        op_put_low_8((mem_i8 *)to + at, bits);                                                     \
    }
OP_STRIP_FP8(f8e4m3)
OP_STRIP_FP8(f8e5m2)
#else
OP_STRIP_EACH(f8e4m3, op_widen_f8e4m3, op_narrow_f8e4m3)
OP_STRIP_EACH(f8e5m2, op_widen_f8e5m2, op_narrow_f8e5m2)
#endif

/* ---- bf16: compilers would widen and narrow eight at a time ---------------------------------- */
#if defined(__AVX512F__)
#define OP_BF16_BY_16

static inline void op_get_bf16(float *x, const void *from, size_t at)
{
    __m256i all = _mm256_loadu_si256((const void *)((const mem_bf16 *)from + at));

    _mm512_storeu_si512(x, _mm512_slli_epi32(_mm512_cvtepu16_epi32(all), 16));
}

/* As op_narrow_bf16.  `within`: infinities and what is rounded to them become the greatest number
 * of their sign. */
static inline void op_put_16_bf16(mem_bf16 *to, const float *x, bool within)
{
    __m512 values = _mm512_loadu_ps(x);
    __mmask16 nan = _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q);
    __m512i bits = _mm512_castps_si512(values);
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i below = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
    __m256i numbers =
        _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_add_epi32(below, odd), 16));

    if (within) {
        numbers = _mm256_min_epi16(numbers, _mm256_set1_epi16(0x7f7f));
        numbers = _mm256_min_epu16(numbers, _mm256_set1_epi16((int16_t)0xff7f));
    }
    _mm256_storeu_si256((void *)to,
                        _mm256_mask_mov_epi16(numbers, nan, _mm256_set1_epi16(0x7fc0)));
}

static inline void op_put_bf16(void *to, size_t at, const float *x)
{
    op_put_16_bf16((mem_bf16 *)to + at, x, false);
}
#elif defined(__AVX2__)
#define OP_BF16_BY_16

static inline void op_get_bf16(float *x, const void *from, size_t at)
{
    __m256i all = _mm256_loadu_si256((const void *)((const mem_bf16 *)from + at));
    __m256i turned = _mm256_permute4x64_epi64(all, 0xd8), zero = _mm256_setzero_si256();

    _mm256_storeu_si256((void *)x, _mm256_unpacklo_epi16(zero, turned));
    _mm256_storeu_si256((void *)(x + 8), _mm256_unpackhi_epi16(zero, turned));
}

/* As op_narrow_bf16 rounds, but for NaN. */
static inline __m256i op_round_8_bf16(__m256 x)
{
    __m256i bits = _mm256_castps_si256(x);
    __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    __m256i below = _mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff));

    return _mm256_srli_epi32(_mm256_add_epi32(below, odd), 16);
}

/* `within`: infinities and what is rounded to them become the greatest number of their sign. */
static inline void op_put_16_bf16(mem_bf16 *to, const float *x, bool within)
{
    __m256 low = _mm256_loadu_ps(x), high = _mm256_loadu_ps(x + 8);
    __m256i low_nan = _mm256_castps_si256(_mm256_cmp_ps(low, low, _CMP_UNORD_Q));
    __m256i high_nan = _mm256_castps_si256(_mm256_cmp_ps(high, high, _CMP_UNORD_Q));
    __m256i rounded = _mm256_packus_epi32(op_round_8_bf16(low), op_round_8_bf16(high));
    __m256i numbers = rounded, canonical;

    if (within) {
        numbers = _mm256_min_epi16(numbers, _mm256_set1_epi16(0x7f7f));
        numbers = _mm256_min_epu16(numbers, _mm256_set1_epi16((int16_t)0xff7f));
    }
    canonical = _mm256_blendv_epi8(numbers, _mm256_set1_epi16(0x7fc0),
                                   _mm256_packs_epi32(low_nan, high_nan));
    _mm256_storeu_si256((void *)to, _mm256_permute4x64_epi64(canonical, 0xd8));
}

static inline void op_put_bf16(void *to, size_t at, const float *x)
{
    op_put_16_bf16((mem_bf16 *)to + at, x, false);
}
#else
OP_STRIP_EACH(bf16, op_widen_bf16, op_narrow_bf16)
#endif

/* ---- f16: the host's conversions where the level has them (the same values) ------------------ */
#if defined(__AVX512F__)
static inline void op_get_f16(float *x, const void *from, size_t at)
{
    const mem_f16 *p = (const mem_f16 *)from + at;

    _mm512_storeu_ps(x, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)p)));
}

static inline void op_put_f16(void *to, size_t at, const float *x)
{
    __m512 canonical = op_canonical_16(_mm512_loadu_ps(x));

    _mm256_storeu_si256((void *)((mem_f16 *)to + at),
                        _mm512_cvtps_ph(canonical, _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__F16C__)
static inline void op_get_f16(float *x, const void *from, size_t at)
{
    const mem_f16 *p = (const mem_f16 *)from + at;

    for (int k = 0; k < OP_STRIP; k += 8)
        _mm256_storeu_ps(x + k, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(p + k))));
}

static inline void op_put_f16(void *to, size_t at, const float *x)
{
    mem_f16 *p = (mem_f16 *)to + at;
    __m256 nan = _mm256_set1_ps(__builtin_nanf(""));

    for (int k = 0; k < OP_STRIP; k += 8) {
        __m256 values = _mm256_loadu_ps(x + k);
        __m256 canonical = _mm256_blendv_ps(nan, values, _mm256_cmp_ps(values, values, _CMP_ORD_Q));

        _mm_storeu_si128((void *)(p + k), _mm256_cvtps_ph(canonical, _MM_FROUND_TO_NEAREST_INT));
    }
}
#else
OP_STRIP_EACH(f16, op_widen_f16, op_narrow_f16)
#endif

/* ---- mask bits: bit c % 8 of byte c / 8; `at` is a multiple of 8 ----------------------------- */
typedef mem_u8 mem_bits;
typedef uint8_t op_wide_bits;

static inline void op_put_bits(void *to, size_t at, const uint8_t *x)
{
    mem_bits *p = (mem_bits *)to + at / 8;

#ifdef __SSE2__
    mem_u16 *both = (mem_u16 *)p;

    for (int k = 0; k < OP_STRIP; k += 16) {
        __m128i bytes = _mm_loadu_si128((const void *)(x + k));

        both[k / 16] = (uint16_t)_mm_movemask_epi8(_mm_slli_epi16(bytes, 7));
    }
#else
    for (int b = 0; b < OP_STRIP / 8; b++) {
        unsigned all = 0;

        for (int k = 0; k < 8; k++)
            all |= (unsigned)x[8 * b + k] << k;
        p[b] = (uint8_t)all;
    }
#endif
}

#endif
