/* e^x in f32, shared by the instructions that need it: the same operations in the same order at
 * every level, each correctly rounded; within 1 ulp of e^x over all inputs, denormal results
 * included. */
#ifndef PTO_VM_OPS_EXP_H
#define PTO_VM_OPS_EXP_H

#include "strip.h"

/* e^x = 2^n * e^r with n = nearest integer to x / ln 2, |r| <= ln 2 / 2.
 *
 * n falls out of adding 1.5 * 2^23 (whose unit is 1); ln 2 is subtracted in two parts, the first of
 * which is exact.  e^r is 1 + r + r^2 q(r), q of degree 4 fitted for the least relative error of
 * e^r (3e-9); the rounding error of 1 + r is carried into the last addition.  2^n is applied as two
 * factors so that the results overflow to infinity and round to denormals once.  Inputs beyond the
 * range where anything but infinity or +0 comes out are first clamped to it. exp(-inf) = +0,
 * exp(+inf) = +inf, exp(NaN) = canonical NaN. */
static inline float op_exp_f32(float x)
{
    const float magic = 0x1.8p23f;
    float bounded = x > 89.0f ? 89.0f : x < -104.0f ? -104.0f : x;
    float shifted = __builtin_fmaf(bounded, 0x1.715476p0f, magic);
    float n = shifted - magic;
    int32_t exponent = (int32_t)(pto_f32_bits(shifted) - pto_f32_bits(magic));
    int32_t half = exponent >> 1;
    float r = __builtin_fmaf(n, -0x1.62e43p-1f, bounded);
    float q, sum, rest, result;

    r = __builtin_fmaf(n, 0x1.05c61p-29f, r);
    q = __builtin_fmaf(0x1.6a23dp-10f, r, 0x1.123a2p-7f);
    q = __builtin_fmaf(q, r, 0x1.5558f2p-5f);
    q = __builtin_fmaf(q, r, 0x1.555492p-3f);
    q = __builtin_fmaf(q, r, 0x1.fffffcp-2f);
    sum = 1.0f + r;
    rest = r - (sum - 1.0f);
    result = sum + __builtin_fmaf(q, r * r, rest);
    result *= pto_f32_from_bits((uint32_t)(half + 127) << 23);
    result *= pto_f32_from_bits((uint32_t)(exponent - half + 127) << 23);
    return x != x ? __builtin_nanf("") : result;
}

#ifdef __AVX512F__
/* Sixteen: the same operations, but for 2^n, which the host applies at once, and the bounds, of
 * which the second operand is taken where the first one is no less (NaN). */
static inline __m512 op_exp_16(__m512 x)
{
    const __m512 magic = _mm512_set1_ps(0x1.8p23f), one = _mm512_set1_ps(1.0f);
    __m512 bounded = _mm512_max_ps(_mm512_set1_ps(-104.0f),
                                   _mm512_min_ps(_mm512_set1_ps(89.0f), x));
    __m512 shifted = _mm512_fmadd_ps(bounded, _mm512_set1_ps(0x1.715476p0f), magic);
    __m512 n = _mm512_sub_ps(shifted, magic), q, r, sum, rest, result;

    r = _mm512_fmadd_ps(n, _mm512_set1_ps(-0x1.62e43p-1f), bounded);
    r = _mm512_fmadd_ps(n, _mm512_set1_ps(0x1.05c61p-29f), r);
    q = _mm512_fmadd_ps(_mm512_set1_ps(0x1.6a23dp-10f), r, _mm512_set1_ps(0x1.123a2p-7f));
    q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.5558f2p-5f));
    q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.555492p-3f));
    q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.fffffcp-2f));
    sum = _mm512_add_ps(one, r);
    rest = _mm512_sub_ps(r, _mm512_sub_ps(sum, one));
    result = _mm512_add_ps(sum, _mm512_fmadd_ps(q, _mm512_mul_ps(r, r), rest));
    return _mm512_mask_scalef_ps(_mm512_set1_ps(__builtin_nanf("")),
                                 _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), result, n);
}

/* Strips of e^x. */
typedef float op_wide_f32_exp;
typedef float op_wide_f16_exp;
enum { OP_SIZE_f32_exp = OP_SIZE_f32, OP_SIZE_f16_exp = OP_SIZE_f16 };

static inline void op_put_f32_exp(void *to, size_t at, const float *x)
{
    _mm512_storeu_ps((mem_f32 *)to + at, op_exp_16(_mm512_loadu_ps(x)));
}

static inline void op_put_f16_exp(void *to, size_t at, const float *x)
{
    _mm256_storeu_si256((void *)((mem_f16 *)to + at),
                        _mm512_cvtps_ph(op_exp_16(_mm512_loadu_ps(x)), _MM_FROUND_TO_NEAREST_INT));
}
#endif

#endif
