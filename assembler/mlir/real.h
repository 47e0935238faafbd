/* What the files of floating-point scalars call of each other (real.c, cast.c). */
#ifndef ASM_MLIR_REAL_H
#define ASM_MLIR_REAL_H

#include "mlir/lower.h"

/* Does the scalar unit compute in the type? */
bool mlir_is_computed(unsigned dtype);
/* `form` with `@` and `#` replaced, a number of a type; it is not rounded to that. */
struct mlir_scalar mlir_real(struct mlir_lower *l, unsigned dtype, const char *form,
                             const struct mlir_scalar *a, const struct mlir_scalar *b);
/* A number rounded to a type, to the nearest even one. */
struct mlir_scalar mlir_rounded(struct mlir_lower *l, unsigned dtype, const struct mlir_scalar *a);
/* The value, which is needed more than once, in a register of its own. */
struct mlir_scalar mlir_kept(struct mlir_lower *l, struct mlir_node *op, const char *what,
                             struct mlir_scalar value);
/* A number of floating point, of exactly its type; false after an error. */
bool mlir_real_operand(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node,
                       struct mlir_scalar *a);
/* Conversions (cast.c). */
bool mlir_cast_op(struct mlir_lower *l, struct mlir_node *op);

#endif
