/* Expressions: numbers, registers (%off), built-in values (rank()), arithmetic and comparison, with
 * the meaning that they have in the program: integers are 64 bits wide and wrap around, / truncates.
 */
#ifndef PTO_DBG_EXPR_H
#define PTO_DBG_EXPR_H

#include "dbg/state.h"

struct expr_scope {
    struct dbg *dbg;
    int rank;
    unsigned core;
};

struct expr_value {
    bool is_float;
    int64_t i;
    double f;
};

/* The whole text; on failure one sentence is appended to `error`. */
bool expr_evaluate(const struct expr_scope *scope, const char *text, struct expr_value *value,
                   struct pto_buf *error);
/* The longest expression at *text, which is moved behind it. */
bool expr_prefix(const struct expr_scope *scope, const char **text, struct expr_value *value,
                 struct pto_buf *error);
/* Value of an operand of the next instruction of the sub-core; false: it is no integer. */
bool expr_operand(const struct expr_scope *scope, const struct pto_scalar *scalar, int64_t *value);
/* Is it well-formed, and is there a program that has all its registers? */
bool expr_check(struct dbg *dbg, const char *text, struct pto_buf *error);
bool expr_is_true(const struct expr_value *value);
/* "0.1" with as few digits as name the value; integers in decimal. */
void expr_say_value(struct dbg *dbg, const struct expr_value *value);

#endif
