/* Who wrote bytes last. */
#ifndef PTO_DBG_WRITER_H
#define PTO_DBG_WRITER_H

#include "dbg/wanted.h"
#include "dbg/watch.h"

/* The last write to the region of an event below `before`, by running again from the start up to
 * here; false: interrupted, or the machine cannot be built, and nothing is to be freed. */
bool writer_find(struct dbg *dbg, const struct dbg_region *region, uint64_t before,
                 struct dbg_writer *writer);
/* The instruction that wrote the region, where, when; or what it began with. */
void writer_say(struct dbg *dbg, const struct dbg_region *region, const struct dbg_writer *w);
/* The same and what it made the region from, which `last-writer` alone goes on with; the writer is
 * freed. */
void writer_tell(struct dbg *dbg, const struct dbg_region *region, struct dbg_writer *w);
/* Note for elements that are wrong who wrote them last, by running again from the start up to here;
 * false as above. */
bool writer_find_wrong(struct dbg *dbg, struct wanted *wanted);
/* What `last-writer` alone would go on with goes. */
void writer_forget_sources(struct dbg *dbg);

#endif
