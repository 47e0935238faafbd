/* Lines that were typed at the prompt, to be had again with the arrow keys: of this session and,
 * where its user names a file for them, of earlier ones.  No other file is touched. */
#ifndef PTO_DBG_PAST_H
#define PTO_DBG_PAST_H

#include "dbg/state.h"

/* Keep what is typed from now on in this file, too, and take what it has; NULL: in none.  False:
 * answered. */
bool past_keep(struct dbg *dbg, const char *path);
void past_add(struct dbg *dbg, const char *line);
void past_free(struct dbg *dbg);

#endif
