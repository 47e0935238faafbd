/* Whether messages are coloured: one rule for all programs. */
#ifndef PTO_TOOL_COLOUR_H
#define PTO_TOOL_COLOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

enum tool_colour { TOOL_COLOUR_AUTO, TOOL_COLOUR_ALWAYS, TOOL_COLOUR_NEVER };

/* The value of --color; without one: always. */
void tool_take_colour(const struct tool_value *value, enum tool_colour *colour);
/* Is it a terminal that obeys escape sequences? */
bool tool_obeys_escapes(int descriptor);
/* How many characters its lines take: what it says itself, else COLUMNS, else 80; at least 2. */
unsigned tool_columns(int descriptor);
/* Bytes of the first `most` characters of a UTF-8 text. */
size_t tool_cut(const void *text, size_t size, unsigned most);
/* Colour on this file descriptor?  Left to itself: on a terminal that has colours, unless NO_COLOR
 * (no-color.org) is set. */
bool tool_wants_colour(enum tool_colour colour, int descriptor);

#endif
