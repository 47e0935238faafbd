/* The second-level cache of a rank: which lines of its global memory are there, and since when.  It
 * holds no bytes; what an access costs is made of what it says (cost_memory.c).
 *
 * In a set the line least recently used is replaced, and written back if it was written.  A line
 * that a read has asked for arrives later; until then it is no hit for others either. */
#ifndef PTO_MACHINE_CACHE_H
#define PTO_MACHINE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Bytes of global memory that one access touches: `runs` runs, `stride` bytes from one to the next,
 * each of `pieces` of `bytes` dense bytes, `step` bytes from one to the next. */
struct cache_span {
    uint64_t address, bytes, runs, pieces;
    int64_t stride, step;
};

/* When the lines of an access come: the first at `first`, the next `each` later; picoseconds. */
struct cache_fill {
    uint64_t now, first, each;
};

struct cache_use {
    uint64_t hit_bytes;          /* of the access, in lines that were there */
    uint64_t missed;             /* lines that were not */
    uint64_t fetched, written;   /* lines from and to global memory */
};

/* Read the span from `fill->now` on. */
struct cache_use cache_read(struct cache *cache, const struct cache_span *span,
                            const struct cache_fill *fill);
/* Write it at `now`: a line that is not there takes its place without being read. */
struct cache_use cache_write(struct cache *cache, const struct cache_span *span, uint64_t now);

#endif
