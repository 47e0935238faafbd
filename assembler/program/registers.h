/* Registers by name. */
#ifndef ASM_PROGRAM_REGISTERS_H
#define ASM_PROGRAM_REGISTERS_H

#include "formula/value.h"
#include "text/token.h"

struct assembly;
struct asm_symbol;

/* Register or parameter to read. */
bool asm_register_read(struct assembly *a, const struct asm_token *token, struct asm_value *value);
/* Register of this name in the token's own scope, or PTO_NONE. */
int32_t asm_register_known(struct assembly *a, const struct asm_token *token);
/* Register to write, declared with this type if the name is new; PTO_NONE after an error. */
int32_t asm_register_write(struct assembly *a, const struct asm_token *token, bool is_float);
/* Register to write `value` to.  If the name is new and the value a temporary just computed, the
 * temporary becomes the register, and *taken says that nothing is left to do. */
int32_t asm_register_take(struct assembly *a, const struct asm_token *token,
                          const struct asm_value *value, bool *taken);
/* The name of slots that take turns, which the text can read only: the register of the one in turn,
 * or, of a single slot, the constant 0.  It may be that of slots before, of as many; NULL after an
 * error. */
const struct asm_symbol *asm_register_of_slots(struct assembly *a, const struct asm_token *token,
                                               uint32_t count);
bool asm_register_is_of_slots(struct assembly *a, const struct asm_token *token);
void asm_register_declare(struct assembly *a, const struct asm_token *token, bool is_float);

#endif
