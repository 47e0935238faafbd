/* e^x in f32, shared by the instructions that need it: the same operations in the same order at
 * every level, each correctly rounded; within 1 ulp of e^x over all inputs, denormal results
 * included. */
#ifndef PTO_VM_OPS_EXP_H
#define PTO_VM_OPS_EXP_H

#include "level.h"

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

#endif
