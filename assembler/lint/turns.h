/* Slots that come in turn: 1 - %s, mod(%s + 1, 3).  Internal to the lint. */
#ifndef PTO_LINT_TURNS_H
#define PTO_LINT_TURNS_H

#include "core.h"

enum { LINT_MOST_TURNS = 4 };

/* The next of how many slots does instruction `at` make of the register; 1: it is the first of two
 * that do; 0: it makes something else. */
uint32_t lint_turns_of(const struct pto_code *code, uint32_t at, int32_t reg);

#endif
