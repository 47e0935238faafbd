/* Floats as the language writes them. */
#ifndef PTO_FLOAT_TEXT_H
#define PTO_FLOAT_TEXT_H

#include "arena.h"

/* Append the fewest digits that read back as the same number, with a point or an exponent; nan has
 * no sign. */
void pto_write_float(struct pto_buf *out, double value);

#endif
