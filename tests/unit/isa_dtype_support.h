/* Numbers for the tests of element types. */
#ifndef ISA_DTYPE_SUPPORT_H
#define ISA_DTYPE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "dtype.h"

enum { RANDOMS = 300000, MODES = 7 };

static const int modes[MODES] = {PTO_ROUND_DEFAULT, PTO_ROUND_RINT, PTO_ROUND_ROUND,
                                 PTO_ROUND_FLOOR,   PTO_ROUND_CEIL, PTO_ROUND_TRUNC,
                                 PTO_ROUND_ODD};

static uint64_t random_next(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double random_f64(void)
{
    uint64_t bits = random_next();
    double value;

    if (bits & 1) /* exponents near those of the narrow formats */
        return ldexp((double)(int64_t)random_next(), (int)(random_next() % 80) - 95);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, DBL_MIN, DBL_MAX,
                                  -DBL_MAX, DBL_TRUE_MIN, -DBL_TRUE_MIN, FLT_MAX, FLT_MIN,
                                  FLT_TRUE_MIN, FLT_TRUE_MIN / 2, 448, 449, 464, 465, 480, 57344,
                                  61440, 65504, 65519.999, 65520, 65536};
enum { SPECIALS = sizeof specials / sizeof *specials };

#endif
