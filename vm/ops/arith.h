/* The row functions of sums, products, extrema and quotients, by element type: shared by the
 * instructions on tiles, on tile and scalar, on tile and column, and by atomic stores. */
#ifndef PTO_VM_OPS_ARITH_H
#define PTO_VM_OPS_ARITH_H

#include "walk.h"

#define op_kernel_add OP_NAME(kernel_add)
#define op_kernel_sub OP_NAME(kernel_sub)
#define op_kernel_mul OP_NAME(kernel_mul)
#define op_kernel_div OP_NAME(kernel_div)
#define op_kernel_max OP_NAME(kernel_max)
#define op_kernel_min OP_NAME(kernel_min)

/* Indexed by enum pto_dtype; small floats have those of f32 and want op_walk to widen.
 *
 * Floats: the operation in f32, for small floats rounded once more to their type.  For + - * and /
 * that is the correctly rounded result (f32 has more than twice their precision).  NaN results
 * are canonical; max and min give NaN if either operand is NaN, and take -0 as less than +0.
 * Integers: + - * wrap around; / truncates, and faults on a zero divisor and on overflow. */
extern const struct op_kernel op_kernel_add[PTO_DTYPE_COUNT];
extern const struct op_kernel op_kernel_sub[PTO_DTYPE_COUNT];
extern const struct op_kernel op_kernel_mul[PTO_DTYPE_COUNT];
extern const struct op_kernel op_kernel_div[PTO_DTYPE_COUNT];
extern const struct op_kernel op_kernel_max[PTO_DTYPE_COUNT];
extern const struct op_kernel op_kernel_min[PTO_DTYPE_COUNT];

#endif
