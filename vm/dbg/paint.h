/* Colours of answers on a terminal that has them. */
#ifndef PTO_DBG_PAINT_H
#define PTO_DBG_PAINT_H

#include "arena.h"

/* Append a line of an answer, with its end, and the words in colour that its kind hangs on. */
void paint_line(const char *line, size_t length, struct pto_buf *out);

#endif
