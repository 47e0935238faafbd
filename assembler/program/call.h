/* Functions in expressions. */
#ifndef ASM_PROGRAM_CALL_H
#define ASM_PROGRAM_CALL_H

#include "formula/value.h"
#include "text/ast.h"

struct assembly;

bool asm_is_function(const char *name);
bool asm_call(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);

#endif
