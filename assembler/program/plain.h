/* Directives that the disassembler writes (`ptoas -d`). */
#ifndef ASM_PROGRAM_PLAIN_H
#define ASM_PROGRAM_PLAIN_H

#include "text/ast.h"

struct assembly;

void asm_plain_statement(struct assembly *a, const struct asm_stmt *stmt);

#endif
