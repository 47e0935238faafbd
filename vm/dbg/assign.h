/* `set TARGET = EXPRESSION`, and `jump`. */
#ifndef PTO_DBG_ASSIGN_H
#define PTO_DBG_ASSIGN_H

#include "dbg/state.h"
#include "look/touch.h"

/* What stands behind the '=' of an assignment; NULL: the text is none. */
const char *assign_value(const char *text);
/* The target is what stands before `value` in `text`.  False: answered. */
bool assign(struct dbg *dbg, const char *text, const char *value);

/* The bytes, one piece, become those of `data`; `text` is what the change is called.  False:
 * answered. */
bool assign_bytes(struct dbg *dbg, const struct pto_stretch *bytes, const uint8_t *data,
                  const char *text);

#endif
