/* Assignments, and branches on conditions. */
#ifndef ASM_PROGRAM_ASSIGN_H
#define ASM_PROGRAM_ASSIGN_H

#include "formula/value.h"
#include "text/ast.h"

struct assembly;

/* Store into a declared register, converting an integer if the register is a float. */
bool asm_assign(struct assembly *a, const struct asm_expr *expr, uint16_t reg,
                struct asm_value value);
void asm_assign_statement(struct assembly *a, const struct asm_stmt *stmt);
/* Branch if the condition is `sense`.  A constant condition emits nothing: *constant is then 0 or
 * 1, else -1. */
bool asm_branch(struct assembly *a, const struct asm_expr *expr, bool sense, uint32_t target,
                int *constant);

#endif
