/* Blanks between the words and signs of a line. */
#ifndef ASM_FORMAT_SPACING_H
#define ASM_FORMAT_SPACING_H

#include "line.h"

/* Write the code of every line with one blank or none between its words and signs, divided into
 * its parts. */
void format_space(struct format_text *f);

#endif
