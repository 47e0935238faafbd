/* f16 and bf16 by rows: integer arithmetic that vectorises, or the host's f16 conversions where the
 * level has them (the same values).  fp8 goes element by element. */
#include "widen.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

bool op_is_small_float(uint8_t dtype)
{
    return dtype == PTO_F16 || dtype == PTO_BF16 || dtype == PTO_F8E4M3 || dtype == PTO_F8E5M2;
}

/* The exponent is rebased by a multiplication, which is exact and makes denormals normal; infinity
 * and NaN (exponent 31) get the exponent of f32's. */
static inline float widen_f16(uint16_t half)
{
    uint32_t magnitude = half & 0x7fffu, sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t finite = pto_f32_bits(pto_f32_from_bits(magnitude << 13) * 0x1p112f);
    uint32_t special = (magnitude << 13) | 0x7f800000u;

    return pto_f32_from_bits((magnitude >= 0x7c00u ? special : finite) | sign);
}

/* Normal results: add half a unit (less one if the last kept bit is even) and cut off 13 bits.
 * Denormal results: the sum with 0.5, whose unit is that of the smallest f16, rounds to even. */
static inline uint16_t narrow_f16(float value)
{
    uint32_t bits = pto_f32_bits(value), sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t normal = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1u)) >> 13;
    uint32_t denormal = pto_f32_bits(pto_f32_from_bits(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t result = magnitude < 0x38800000u ? denormal : normal;

    result = magnitude >= 0x47800000u ? 0x7c00u : result;
    return (uint16_t)(magnitude > 0x7f800000u ? 0x7e00u : result | sign);
}

static inline uint16_t narrow_bf16(float value)
{
    uint32_t bits = pto_f32_bits(value);
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;

    return (uint16_t)(value != value ? 0x7fc0u : rounded);
}

static void widen_row_f16(float *to, const mem_u16 *from, size_t count)
{
    size_t i = 0;

#if defined(__AVX512F__)
    for (; i + 16 <= count; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(from + i))));
#elif defined(__F16C__)
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
#endif
    for (; i < count; i++)
        to[i] = widen_f16(from[i]);
}

static void narrow_row_f16(mem_u16 *to, const float *from, size_t count)
{
    size_t i = 0;

#if defined(__F16C__)
    for (; i + 8 <= count; i += 8) {
        __m256 x = _mm256_loadu_ps(from + i);

        x = _mm256_blendv_ps(x, _mm256_set1_ps(__builtin_nanf("")),
                             _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
        _mm_storeu_si128((void *)(to + i), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    for (; i < count; i++)
        to[i] = narrow_f16(from[i]);
}

static void widen_row_bf16(float *to, const mem_u16 *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = pto_f32_from_bits((uint32_t)from[i] << 16);
}

static void narrow_row_bf16(mem_u16 *to, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = narrow_bf16(from[i]);
}

void op_widen(uint8_t dtype, float *to, const void *from, size_t count)
{
    const uint8_t *bytes = from;

    switch (dtype) {
    case PTO_F16: widen_row_f16(to, from, count); break;
    case PTO_BF16: widen_row_bf16(to, from, count); break;
    default:
        for (size_t i = 0; i < count; i++)
            to[i] = dtype == PTO_F8E4M3 ? pto_e4m3_to_f32(bytes[i]) : pto_e5m2_to_f32(bytes[i]);
    }
}

void op_narrow(uint8_t dtype, void *to, const float *from, size_t count)
{
    uint8_t *bytes = to;

    switch (dtype) {
    case PTO_F16: narrow_row_f16(to, from, count); break;
    case PTO_BF16: narrow_row_bf16(to, from, count); break;
    default:
        for (size_t i = 0; i < count; i++)
            bytes[i] = dtype == PTO_F8E4M3 ? op_to_e4m3(from[i], PTO_ROUND_RINT, false)
                                           : pto_f64_to_e5m2(from[i], PTO_ROUND_RINT, false);
    }
}
