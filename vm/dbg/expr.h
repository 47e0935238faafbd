/* Expressions of the language (assembler/formula) over what a sub-core holds now: its registers and
 * parameters, elements of its .local arrays, built-in values. */
#ifndef PTO_DBG_EXPR_H
#define PTO_DBG_EXPR_H

#include "dbg/state.h"
#include "formula/standalone.h"

struct expr_scope {
    struct dbg *dbg;
    int rank;
    unsigned core;
    const uint64_t *reg; /* values of registers; NULL: those that S has now */
};

/* The expression that `text` consists of; NULL: answered, with `hint` (may be NULL) where the error
 * has none. */
struct formula_standalone *expr_read(struct dbg *dbg, const char *text, const char *hint);
/* The value of `expr`, the whole of `s` or a part of it. */
bool expr_value(const struct expr_scope *scope, struct formula_standalone *s,
                const struct asm_expr *expr, struct asm_value *value, struct pto_diags *diags);
/* The same; false: answered. */
bool expr_value_or_answer(const struct expr_scope *scope, struct formula_standalone *s,
                          const struct asm_expr *expr, struct asm_value *value);
bool expr_int_or_answer(const struct expr_scope *scope, struct formula_standalone *s,
                        const struct asm_expr *expr, int64_t *value);
/* Is there a program that has all its names, with types that its operators take?  False: answered,
 * with `hint` where the error has none. */
bool expr_check(struct dbg *dbg, struct formula_standalone *s, const char *hint);
/* A place for a number that the expression names: a register or an element of a .local array of the
 * focused sub-core.  False: answered. */
struct expr_target {
    bool is_local, is_float;
    unsigned number;
    uint64_t index;
};
bool expr_target(struct dbg *dbg, struct formula_standalone *s, struct expr_target *target);
/* Does the focused sub-core have a number, an array or a function of this name? */
bool expr_is_name(const struct dbg *dbg, const char *name);
/* Value of an operand of the next instruction of the sub-core; false: it is no integer. */
bool expr_operand(const struct expr_scope *scope, const struct pto_scalar *scalar, int64_t *value);

#endif
