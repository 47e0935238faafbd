/* Columns that lines share. */
#ifndef ASM_FORMAT_COLUMNS_H
#define ASM_FORMAT_COLUMNS_H

#include "line.h"

/* Set where the parts of each line begin. */
void format_align(struct format_text *f);

#endif
