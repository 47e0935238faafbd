/* How far lines are indented. */
#ifndef ASM_FORMAT_INDENT_H
#define ASM_FORMAT_INDENT_H

#include "line.h"

enum { FORMAT_INDENT = 4 };

/* Set the indentation of all lines but those that continue others. */
void format_indent(struct format_text *f);

#endif
