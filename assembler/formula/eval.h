/* What expressions are worth.
 *
 * Numbers, operators and functions of numbers mean the same wherever an expression stands
 * (isa/operators.def, isa/arithmetic.def).  What names mean, the host says; and a value that is
 * known only when the program runs is the host's to compute with. */
#ifndef ASM_FORMULA_EVAL_H
#define ASM_FORMULA_EVAL_H

#include "operators.h"
#include "text/ast.h"
#include "text/text.h"
#include "value.h"

/* `context` is that of the formula.  Functions that return false have reported why. */
struct formula_host {
    /* The value of %name. */
    bool (*reg)(void *context, const struct asm_expr *expr, struct asm_value *d);
    /* The value of a name and what follows it, unless that is a function of numbers. */
    bool (*ref)(void *context, const struct asm_expr *expr, struct asm_value *d);
    /* Is this operator the host's, because its operands are no numbers?  Then `own` gives its
     * value.  NULL: none is. */
    bool (*owns)(void *context, const struct asm_expr *expr);
    bool (*own)(void *context, const struct asm_expr *expr, struct asm_value *d);
    /* d = op(x, y) where not all operands are known (one operand: y is x). */
    bool (*compute)(void *context, const struct asm_expr *expr, unsigned op,
                    const struct asm_value *x, const struct asm_value *y, struct asm_value *d);
    /* d = condition ? x : y, of one type, where the condition, an integer, is not known. */
    bool (*choose)(void *context, const struct asm_expr *expr, const struct asm_value *condition,
                   const struct asm_value *x, const struct asm_value *y, struct asm_value *d);
    /* Keep a value for a second use by `compute`, or let go of it.  NULL: values just stay. */
    void (*hold)(void *context, const struct asm_value *value, bool held);
};

struct formula {
    struct asm_text *text; /* of the expressions: gets the errors */
    const struct formula_host *host;
    void *context;
};

/* Each returns false after an error at `expr`. */
bool formula_value(const struct formula *f, const struct asm_expr *expr, struct asm_value *d);
/* d = x OP y, for an operator or function of two numbers that one instruction computes: if either
 * is a float, the other becomes one. */
bool formula_binary(const struct formula *f, const struct asm_expr *expr,
                    const struct pto_operator *row, struct asm_value x, struct asm_value y,
                    struct asm_value *d);
bool formula_to_float(const struct formula *f, const struct asm_expr *expr,
                      struct asm_value *value);
/* d = (value != 0), or == 0. */
bool formula_compare_zero(const struct formula *f, const struct asm_expr *expr, bool equal,
                          struct asm_value *value);

/* A name with nothing around it? */
bool formula_is_bare(const struct asm_expr *expr);
/* Is it the name of a function of numbers, or of a number (inf, nan)? */
bool formula_is_reserved(const char *name);
/* Report that there is no function of this name; `names`: those that the host has. */
void formula_unknown_function(const struct formula *f, const struct asm_expr *expr,
                              const char *const *names, unsigned count);
/* Report any other number of arguments. */
bool formula_takes(const struct formula *f, const struct asm_expr *expr, unsigned count);

#endif
