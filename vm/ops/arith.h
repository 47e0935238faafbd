/* Sums, products, extrema and quotients of rows, by element type: shared by the instructions on
 * tiles, by column reductions and by atomic stores. */
#ifndef PTO_VM_OPS_ARITH_H
#define PTO_VM_OPS_ARITH_H

#include "each.h"

#define op_each_add OP_NAME(each_add)
#define op_each_sub OP_NAME(each_sub)
#define op_each_mul OP_NAME(each_mul)
#define op_each_div OP_NAME(each_div)
#define op_each_max OP_NAME(each_max)
#define op_each_min OP_NAME(each_min)

/* Floats: the operation in f32, for small floats rounded once more to their type.  For + - * and /
 * that is the correctly rounded result (f32 has more than twice their precision).  NaN results
 * are canonical; max and min give NaN if either operand is NaN, and take -0 as less than +0.
 * Integers: + - * wrap around; / truncates, and faults on a zero divisor and on overflow. */
extern const struct op_each op_each_add;
extern const struct op_each op_each_sub;
extern const struct op_each op_each_mul;
extern const struct op_each op_each_div;
extern const struct op_each op_each_max;
extern const struct op_each op_each_min;

#endif
