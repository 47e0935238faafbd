/* The cube's inner kernel, for every block size, on the vectors of this level. */
#include "cube_vector.h"

typedef float vec_f32 __attribute__((vector_size(4 * LANES)));

/* c + a * b with one rounding. */
INLINE vec_f32 step_float(vec_f32 c, vec_f32 a, vec_f32 b)
{
#if defined(__AVX512F__) && defined(__AVX512BW__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__) && defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    for (int lane = 0; lane < LANES; lane++)
        c[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
    return c;
#endif
}

INLINE vec_f32 canonical(vec_f32 c)
{
#if defined(__AVX512F__) && defined(__AVX512BW__)
    return _mm512_mask_mov_ps(c, _mm512_cmp_ps_mask(c, c, _CMP_UNORD_Q),
                              (vec_f32)((vec_u32){0} + 0x7fc00000u));
#else
    vec_u32 nan = (vec_u32)(c != c);

    return (vec_f32)(((vec_u32)c & ~nan) | (nan & 0x7fc00000u));
#endif
}

/* c + a.low * b.low + a.high * b.high modulo 2^32.  The halves came from int8: products and their
 * sum fit in 32 bits. */
INLINE vec_u32 step_pairs(vec_u32 c, vec_u32 a, vec_u32 b)
{
#if defined(__AVX512F__) && defined(__AVX512BW__)
    return c + (vec_u32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && defined(__FMA__)
    return c + (vec_u32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
    for (int lane = 0; lane < LANES; lane++) {
        int32_t low = (int16_t)a[lane] * (int16_t)b[lane];
        int32_t high = (int16_t)(a[lane] >> 16) * (int16_t)(b[lane] >> 16);

        c[lane] += (uint32_t)(low + high);
    }
    return c;
#endif
}

#define START(c, row) (c)
#define START_ROWS 0
#define KERNEL multiply_float
#define VEC vec_f32
#define STEP step_float
#define RESULT canonical
#include "cube_kernel.h"
#undef KERNEL
#undef VEC
#undef STEP
#undef RESULT

#define KERNEL multiply_pairs
#define VEC vec_u32
#define STEP step_pairs
#define RESULT(c) (c)
#include "cube_kernel.h"
#undef KERNEL
#undef VEC
#undef STEP
#undef RESULT

ENGINE(f32, float, 8, .word_shift = 0, .in_place = true);
ENGINE(small_floats, float, 16, .word_shift = 0);
ENGINE(pairs, pairs, 16, .word_shift = 1);
