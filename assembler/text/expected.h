/* What the parser says it expected. */
#ifndef ASM_TEXT_EXPECTED_H
#define ASM_TEXT_EXPECTED_H

#include "arena.h"

/* Append "expected X, Y" to `text`: the names of tokens, where what begins an expression, operators
 * and directives get one word each instead of a list. */
void text_expected(struct pto_buf *text, const char *const *name, unsigned count);

#endif
