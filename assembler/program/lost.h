/* Names that do not exist, as far as the user knows it: of one that was told, or that stands in a
 * line which could not be read, nothing more is said. */
#ifndef ASM_PROGRAM_LOST_H
#define ASM_PROGRAM_LOST_H

#include "symbols.h"

/* Was this said before?  It was from now on.  Spaces: NS_PLAIN, NS_REG, NS_LABEL. */
bool asm_lost_before(struct assembly *a, enum asm_namespace space, const struct asm_token *token);
/* Whatever this line was to declare is not known. */
void asm_lose_line(struct assembly *a, const struct asm_token *line, uint32_t count);

#endif
