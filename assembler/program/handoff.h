/* A flag set and waited for in one line. */
#ifndef ASM_PROGRAM_HANDOFF_H
#define ASM_PROGRAM_HANDOFF_H

#include "text/ast.h"

struct assembly;

/* handoff P -> Q, event; expressions by operand of its row. */
void asm_handoff(struct assembly *a, const struct asm_stmt *stmt,
                 const struct asm_expr *const *expr);

#endif
