/* What is printed after every stop. */
#ifndef PTO_DBG_DISPLAY_H
#define PTO_DBG_DISPLAY_H

#include "dbg/state.h"

/* All of it, for the focused sub-core. */
void display_say_all(struct dbg *dbg);
void display_free(struct dbg *dbg);

#endif
