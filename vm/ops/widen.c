/* Small floats by rows: integer arithmetic that vectorises (strip.h), or the host's f16 conversions
 * where the level has them (the same values). */
#include "widen.h"

#include "strip.h"

bool op_is_small_float(uint8_t dtype)
{
    return dtype == PTO_F16 || dtype == PTO_BF16 || dtype == PTO_F8E4M3 || dtype == PTO_F8E5M2;
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
        to[i] = op_widen_f16(from[i]);
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
        to[i] = op_narrow_f16(from[i]);
}

static void widen_row_bf16(float *to, const mem_u16 *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = op_widen_bf16(from[i]);
}

static void narrow_row_bf16(mem_u16 *to, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = op_narrow_bf16(from[i]);
}

#define FP8_ROWS(type)                                                                             \
    static void widen_row_##type(float *to, const mem_u8 *from, size_t count)                      \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = op_widen_##type(from[i]);                                                      \
    }                                                                                              \
    static void narrow_row_##type(mem_u8 *to, const float *from, size_t count)                     \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = op_narrow_##type(from[i]);                                                     \
    }
FP8_ROWS(f8e4m3)
FP8_ROWS(f8e5m2)

void op_widen(uint8_t dtype, float *to, const void *from, size_t count)
{
    switch (dtype) {
    case PTO_F16: widen_row_f16(to, from, count); break;
    case PTO_BF16: widen_row_bf16(to, from, count); break;
    case PTO_F8E4M3: widen_row_f8e4m3(to, from, count); break;
    default: widen_row_f8e5m2(to, from, count);
    }
}

void op_narrow(uint8_t dtype, void *to, const float *from, size_t count)
{
    switch (dtype) {
    case PTO_F16: narrow_row_f16(to, from, count); break;
    case PTO_BF16: narrow_row_bf16(to, from, count); break;
    case PTO_F8E4M3: narrow_row_f8e4m3(to, from, count); break;
    default: narrow_row_f8e5m2(to, from, count);
    }
}
