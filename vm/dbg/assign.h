/* `set TARGET = EXPRESSION`, and `jump`. */
#ifndef PTO_DBG_ASSIGN_H
#define PTO_DBG_ASSIGN_H

#include "dbg/state.h"

/* What stands behind the '=' of an assignment; NULL: the text is none. */
const char *assign_value(const char *text);
/* The target is what stands before `value` in `text`.  False: answered. */
bool assign(struct dbg *dbg, const char *text, const char *value);

#endif
