/* Operands: whether they look like what a row wants, and their lowering. */
#ifndef ASM_PROGRAM_OPERAND_H
#define ASM_PROGRAM_OPERAND_H

#include "module.h"
#include "ops.h"
#include "text/ast.h"

struct assembly;

/* Does an expression look like an operand of this kind?  Names decide, values do not matter. */
bool asm_operand_fits(struct assembly *a, const struct pto_operand_spec *spec,
                      const struct asm_expr *expr);
/* "expected an integer" and the like, at the operand. */
struct pto_diag *asm_operand_expected(struct assembly *a, const struct pto_operand_spec *spec,
                                      const struct asm_expr *expr);
/* Lower a source operand; false after an error. */
bool asm_operand_lower(struct assembly *a, const struct pto_operand_spec *spec,
                       const struct asm_expr *expr, struct pto_operand *out);

#endif
