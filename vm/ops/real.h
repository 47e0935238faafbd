/* Logarithm and exponential in f64, for results in f32: additions, multiplications and one
 * division, each correctly rounded, so that every level gives the same bits, and straight code,
 * so that loops vectorise.  Relative errors are below 2^-44, of which f32 sees next to nothing. */
#ifndef PTO_VM_OPS_REAL_H
#define PTO_VM_OPS_REAL_H

#include "level.h"

/* ln x for positive finite x that f32 holds (denormals of f32 are normal in f64).
 *
 * x = 2^k m with m in [sqrt(1/2), sqrt(2)), s = (m - 1) / (m + 1), |s| < 0.172;
 * ln m = 2 s (1 + s^2/3 + s^4/5 + ...), 10 terms.  k has the sign of ln m or is at least twice as
 * large, so that nothing cancels. */
static inline double op_log(double x)
{
    const uint64_t root = 0x3fe6a09e667f3bcdull, one = 0x3ff0000000000000ull;
    uint64_t shifted = pto_f64_bits(x) + (one - root);
    double k = pto_f64_from_bits((shifted >> 52) | 0x4330000000000000ull) - (0x1p52 + 1023.0);
    double m = pto_f64_from_bits((shifted & 0x000fffffffffffffull) + root);
    double s = (m - 1.0) / (m + 1.0), z = s * s, p;

    p = 2.0 / 19;
    p = p * z + 2.0 / 17;
    p = p * z + 2.0 / 15;
    p = p * z + 2.0 / 13;
    p = p * z + 2.0 / 11;
    p = p * z + 2.0 / 9;
    p = p * z + 2.0 / 7;
    p = p * z + 2.0 / 5;
    p = p * z + 2.0 / 3;
    return k * 0x1.62e42fefa39efp-1 + (2.0 * s + s * z * p);
}

/* e^x; arguments beyond [-110, 90], where f32 is 0 or infinite, count as these bounds.
 *
 * x = n ln 2 + r, |r| <= ln 2 / 2: n falls out of adding 1.5 * 2^52, whose unit is 1; ln 2 comes in
 * two parts, the first of which makes an exact product.  e^r by its series up to r^11. */
static inline double op_exp(double x)
{
    const double magic = 0x1.8p52;
    double bounded = x > 90.0 ? 90.0 : x < -110.0 ? -110.0 : x;
    double shifted = bounded * 0x1.71547652b82fep0 + magic, n = shifted - magic;
    double r = (bounded - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33, p;

    p = 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    return p * pto_f64_from_bits((pto_f64_bits(shifted) + 1023) << 52);
}

#endif
