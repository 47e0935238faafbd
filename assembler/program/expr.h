/* Infix expressions to scalar instructions; constants are folded. */
#ifndef ASM_PROGRAM_EXPR_H
#define ASM_PROGRAM_EXPR_H

#include "text/ast.h"
#include "value.h"

struct assembly;

/* An operator or function of two numbers, by the operand type. */
struct asm_arithmetic {
    int token; /* 0: a function */
    const char *name;
    int int_op, float_op; /* enum pto_op; -1: there is none */
    bool swap;            /* operands exchanged: a > b is b < a */
    bool compares;        /* the result is an integer, 0 or 1 */
};
enum { ASM_BINARIES = 19 };
extern const struct asm_arithmetic asm_binaries[ASM_BINARIES];
/* Row of an operator, NULL if the token is none. */
const struct asm_arithmetic *asm_arithmetic_of(int token);

/* A name with nothing around it? */
bool asm_is_bare(const struct asm_expr *expr);
bool asm_eval(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);
bool asm_eval_int(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);
bool asm_to_float(struct assembly *a, const struct asm_expr *expr, struct asm_value *value);
/* d = op(x, y): folded, or computed into a temporary (one operand: y is ignored). */
bool asm_apply(struct assembly *a, const struct asm_expr *expr, unsigned op, struct asm_value x,
               struct asm_value y, bool result_float, struct asm_value *d);
/* The same for a row of the table, with promotion of integers. */
bool asm_arithmetic(struct assembly *a, const struct asm_expr *expr,
                    const struct asm_arithmetic *row, struct asm_value x, struct asm_value y,
                    struct asm_value *d);
/* Reports an error and returns false where only a constant may stand. */
bool asm_needs_launch(struct assembly *a, const struct asm_expr *expr);
/* A constant; `what` begins the message "... must be constant". */
bool asm_constant(struct assembly *a, const struct asm_expr *expr, const char *what,
                  struct asm_value *value);
bool asm_constant_int(struct assembly *a, const struct asm_expr *expr, const char *what,
                      int64_t low, int64_t high, int64_t *value);

#endif
