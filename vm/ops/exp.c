/* TEXP. */
#include "exp.h"

#include "each.h"

#ifdef __AVX512F__
#define AS_IT_IS(x) (x)
OP_STRIP_1(exp_f32, f32_exp, f32, AS_IT_IS)
OP_STRIP_1(exp_f16, f16_exp, f16, AS_IT_IS)
#else
OP_FLOAT_1(exp, op_exp_f32)
#endif

/* dst[r, c] = e^src[r, c].  f16: the f32 result rounded to nearest even, within 1 ulp of f16.
 * exp(-inf) = +0, exp(+inf) = +inf, exp(NaN) = canonical NaN. */
static const struct op_each exponential = {.function = {OP_F32_F16(exp)}};
OP_EACH(TEXP, exponential)
