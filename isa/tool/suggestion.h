/* What a message suggests to write instead of the word that it underlines. */
#ifndef PTO_TOOL_SUGGESTION_H
#define PTO_TOOL_SUGGESTION_H

#include <stdbool.h>

#include "diag.h"

/* The word of a hint "did you mean 'WORD'?" at a word of a text, in `arena`; NULL: nothing is
 * suggested, or what is underlined is not one word. */
const char *tool_suggestion(const struct pto_diag *diag, struct pto_arena *arena);

#endif
