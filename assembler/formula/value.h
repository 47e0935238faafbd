/* Scalars during lowering: numbers, and registers that get theirs when the program runs. */
#ifndef ASM_PROGRAM_VALUE_H
#define ASM_PROGRAM_VALUE_H

#include <stdbool.h>

#include "module.h"

/* A scalar during lowering. */
struct asm_value {
    struct pto_scalar scalar;
    bool is_float;
};

struct asm_value asm_int(int64_t i);
struct asm_value asm_float(double f);
bool asm_is_constant(const struct asm_value *value);
/* Is a constant other than 0? */
bool asm_is_true(const struct asm_value *value);
/* An operand that is a number. */
struct pto_scalar asm_literal(int64_t i);

#endif
