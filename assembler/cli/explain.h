/* Pages of the manual (docs/isa), built into the program, for `ptoas --explain`. */
#ifndef PTOAS_EXPLAIN_H
#define PTOAS_EXPLAIN_H

#include <stdbool.h>

#include "arena.h"

/* The page of an instruction, or its rows of the table if it has none.  False if there is no such
 * instruction; *nearest is then the most similar name, or NULL. */
bool ptoas_explain(const char *mnemonic, struct pto_buf *out, const char **nearest);

#endif
