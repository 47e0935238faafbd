/* Arithmetic on constants, as the machine would do it. */
#ifndef ASM_PROGRAM_FOLD_H
#define ASM_PROGRAM_FOLD_H

#include "value.h"

/* d = op(x, y) on constants; false with *why set where the machine would fault, false with *why
 * NULL where `op` is not arithmetic. */
bool asm_fold(unsigned op, const struct asm_value *x, const struct asm_value *y,
              struct asm_value *d, const char **why);

#endif
