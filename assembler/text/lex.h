/* Text to tokens, a whole source at once. */
#ifndef ASM_TEXT_LEX_H
#define ASM_TEXT_LEX_H

#include "text.h"

/* Fill in the tokens of a source; errors are reported, and the tokens then have a stand-in. */
void text_lex(struct asm_text *t, struct asm_source *source, const char *text, size_t size);

#endif
