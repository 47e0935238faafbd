/* Registers of the set-up code in cores. */
#ifndef ASM_PROGRAM_INHERIT_H
#define ASM_PROGRAM_INHERIT_H

#include "symbols.h"

struct assembly;

/* The open core reads a register of the set-up code that it has none of its own for: give it one.
 * NULL: the set-up has none of this name either. */
const struct asm_symbol *asm_inherit(struct assembly *a, const struct asm_token *token);
/* At the end of a core, when its branches have their targets: put what computes these registers in
 * front of its program. */
void asm_inherit_close(struct assembly *a);

#endif
