/* Statements to those who give them meaning, if they stand where they may. */
#ifndef ASM_PROGRAM_STATEMENT_H
#define ASM_PROGRAM_STATEMENT_H

#include "text/ast.h"

struct assembly;

void asm_statement(struct assembly *a, const struct asm_stmt *stmt);

#endif
