/* Numbers of the language as the debugger gets and shows them. */
#ifndef PTO_DBG_VALUE_H
#define PTO_DBG_VALUE_H

#include "dbg/state.h"
#include "formula/value.h"

/* The value that a register's bits are, and the bits of a value. */
struct asm_value value_of_bits(bool is_float, uint64_t bits);
uint64_t value_bits(const struct asm_value *value);
/* As the language writes it. */
void value_say(struct dbg *dbg, const struct asm_value *value);

#endif
