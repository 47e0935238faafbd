/* Expressions: their value is a number, or a register that instructions compute. */
#ifndef ASM_PROGRAM_EXPR_H
#define ASM_PROGRAM_EXPR_H

#include "formula/eval.h"

struct assembly;

/* What the formula of an assembly asks. */
extern const struct formula_host asm_formula_host;

bool asm_eval(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);
bool asm_eval_int(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);
/* Reports an error and returns false where only a constant may stand. */
bool asm_needs_launch(struct assembly *a, const struct asm_expr *expr);
/* A constant; `what` begins the message "... must be constant". */
bool asm_constant(struct assembly *a, const struct asm_expr *expr, const char *what,
                  struct asm_value *value);
bool asm_constant_int(struct assembly *a, const struct asm_expr *expr, const char *what,
                      int64_t low, int64_t high, int64_t *value);

#endif
