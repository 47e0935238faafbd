/* Expressions outside of programs, for tools that have values for the names: read once, worth
 * something else at every look.  A struct formula over `text` and a host of the tool evaluates
 * them; the errors go to where `text.diags` points then. */
#ifndef ASM_FORMULA_STANDALONE_H
#define ASM_FORMULA_STANDALONE_H

#include "eval.h"

struct formula_standalone {
    const struct asm_expr *expr;
    struct asm_text text;
    struct pto_arena arena;
};

/* Read the one expression that `text` consists of; NULL after errors.  $name in it
 * is a register of that name, the $ included. */
struct formula_standalone *formula_read(const char *text, struct pto_diags *diags);
void formula_free(struct formula_standalone *s); /* NULL: nothing happens */

#endif
