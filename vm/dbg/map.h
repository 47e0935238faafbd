/* `info map`: which tiles of the focused sub-core lie where in its memories. */
#ifndef PTO_DBG_MAP_H
#define PTO_DBG_MAP_H

#include "dbg/state.h"

bool map_info(struct dbg *dbg, const char *args);

#endif
