/* What is legal for an instruction on this core and profile. */
#ifndef ASM_PROGRAM_CHECK_H
#define ASM_PROGRAM_CHECK_H

#include "module.h"
#include "text/ast.h"

struct assembly;

/* Is the instruction legal on this core and profile?  expr[i] is the text of operand i, or NULL. */
bool asm_check(struct assembly *a, const struct asm_stmt *stmt, const struct pto_insn *insn,
               const struct asm_expr *const *expr);

#endif
