/* Lines that belong together: what follows `define` or `commands`, up to its 'end'. */
#ifndef PTO_DBG_BLOCK_H
#define PTO_DBG_BLOCK_H

#include "dbg/state.h"

extern const char BLOCK_END[];

/* The lines that follow are kept in the end, under this name; what is defined stays as it is until
 * then.  False: answered. */
bool block_begin(struct dbg *dbg, const char *name, size_t length,
                 void (*keep)(struct dbg *dbg, const char *name, const char *body));
/* The next line of the block. */
void block_take(struct dbg *dbg, const char *line);
/* There are no more lines: false, and answered, if a block is open; it is dropped. */
bool block_is_whole(struct dbg *dbg);
void block_free(struct dbg *dbg);

#endif
