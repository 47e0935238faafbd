/* How far lines are indented. */
#ifndef ASM_FORMAT_INDENT_H
#define ASM_FORMAT_INDENT_H

#include "line.h"

enum {
    FORMAT_INDENT = 4,
    FORMAT_DEEPEST = 100 /* blocks inside of others go no further to the right */
};

/* Set the indentation of all lines but those that continue others. */
void format_indent(struct format_text *f);

#endif
