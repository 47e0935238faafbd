/* Positions: the places of tokens as the module knows them. */
#ifndef ASM_TEXT_POSITION_H
#define ASM_TEXT_POSITION_H

#include "text.h"

/* Index in the module's positions of the place in force: that of `token`, or in the plain form that
 * of the last .at. */
uint32_t text_position(struct asm_text *t, const struct asm_token *token);
/* Files and positions that the text itself lists (the plain form): append one of either. */
void text_add_file(struct asm_text *t, const char *name);
void text_add_position(struct asm_text *t, struct pto_pos pos);

#endif
