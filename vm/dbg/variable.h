/* Variables of a session: $name in expressions.  They outlive runs, and going back leaves them. */
#ifndef PTO_DBG_VARIABLE_H
#define PTO_DBG_VARIABLE_H

#include "dbg/state.h"
#include "formula/value.h"

/* `name` begins with the $.  False: it has no value. */
bool variable_value(struct dbg *dbg, const char *name, struct asm_value *value);
/* Is it one that the debugger sets? */
bool variable_is_own(const char *name);
/* False: answered. */
bool variable_set(struct dbg *dbg, const char *name, const struct asm_value *value);
/* What $_ is from now on. */
void variable_show(struct dbg *dbg, const struct asm_value *value);
bool variable_info(struct dbg *dbg, const char *args);
void variable_free(struct dbg *dbg);

#endif
