/* TEXP. */
#include "exp.h"

#include "each.h"

OP_FLOAT_1(exp, op_exp_f32)

/* dst[r, c] = e^src[r, c].  f16: the f32 result rounded to nearest even, within 1 ulp of f16.
 * exp(-inf) = +0, exp(+inf) = +inf, exp(NaN) = canonical NaN. */
static const struct op_each exponential = {.function = {OP_F32_F16(exp)}};
OP_EACH(TEXP, exponential)
