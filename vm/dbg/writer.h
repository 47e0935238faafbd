/* Who wrote bytes last. */
#ifndef PTO_DBG_WRITER_H
#define PTO_DBG_WRITER_H

#include "dbg/watch.h"

/* The last write to the region of an event below `before`, by running again from the start up to
 * here; false: interrupted, or the machine cannot be built. */
bool writer_find(struct dbg *dbg, const struct dbg_region *region, uint64_t before,
                 struct dbg_writer *writer);
/* What `last-writer` alone would go on with goes. */
void writer_forget_sources(struct dbg *dbg);

#endif
