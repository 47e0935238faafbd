/* The second-level cache of a rank: which lines of its global memory are there, and since when.  It
 * holds no bytes; what an access costs is made of what it says (cost_memory.c).
 *
 * In a set the line least recently used is replaced, and written back if it was written.  A line
 * that a read has asked for arrives later; until then it is no hit for others either. */
#ifndef PTO_MACHINE_CACHE_H
#define PTO_MACHINE_CACHE_H

#include <stddef.h>

#include "cache_use.h"

struct cache;

/* `sets` x `ways` places for lines of `line` bytes, and the global memory in front of which they
 * are: `memory` bytes, from address 0 on. */
struct cache_shape {
    uint32_t sets, ways, line;
    uint64_t memory;
};

/* All places are empty. */
struct cache *cache_make(struct cache_shape shape);
void cache_free(struct cache *cache);
/* Memory of the host that it takes when all of it is in use. */
uint64_t cache_bytes(struct cache_shape shape);
/* All that changes in it, for who keeps it; NULL: no cache has nothing. */
void *cache_contents(const struct cache *cache, size_t *size);

/* Read the span from `fill->now` on. */
struct cache_use cache_read(struct cache *cache, const struct cache_span *span,
                            const struct cache_fill *fill);
/* Write it at `now`: a line that is not there takes its place without being read. */
struct cache_use cache_write(struct cache *cache, const struct cache_span *span, uint64_t now);

#endif
