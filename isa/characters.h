/* Text from outside: UTF-8 or not, for terminals or not. */
#ifndef PTO_CHARACTERS_H
#define PTO_CHARACTERS_H

#include "arena.h"

/* Bytes of the character at `text`, of which `size` are there; 0: they are no UTF-8. */
size_t pto_utf8_length(const char *text, size_t size);
/* The same, but 0 too for what a terminal obeys or nobody sees: control characters, and those that
 * turn the direction of a line.  A tab is shown. */
size_t pto_utf8_shown(const char *text, size_t size);
/* Append a text that quotes input: what cannot be shown is written as an escape, `\x1b`. */
void pto_put_clean(struct pto_buf *out, const char *text, size_t length);

#endif
