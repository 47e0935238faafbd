/* `info events live`: which event ids are pending between which pipes, since when, who waits. */
#ifndef PTO_DBG_LIVE_H
#define PTO_DBG_LIVE_H

#include "dbg/state.h"

bool live_info(struct dbg *dbg, const char *args);

#endif
