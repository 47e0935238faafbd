/* Instructions: the row of the ISA table that fits the operands. */
#ifndef ASM_PROGRAM_MATCH_H
#define ASM_PROGRAM_MATCH_H

#include "text/ast.h"

struct assembly;

void asm_instruction(struct assembly *a, const struct asm_stmt *stmt);

#endif
