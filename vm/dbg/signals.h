/* Signals as they are now. */
#ifndef PTO_DBG_SIGNALS_H
#define PTO_DBG_SIGNALS_H

#include "dbg/state.h"

/* "go[2] = 1 0" for each signal of the rank, with `between` between them; how many there are. */
unsigned signals_say(struct dbg *dbg, int rank, const char *between);

#endif
