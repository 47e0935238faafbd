/* The two forms of a cache (cache.h), which say the same of every access.
 *
 * By lines (cache_lines.c): an array over all lines of global memory says of each whether it is
 * there and since when.  Neighbours in memory are neighbours in the array, which the host's own
 * caches like; it is the form for memories that are not much larger than the cache.
 *
 * By sets (cache_sets.c): the tags of each set, as hardware has them, whatever the memory. */
#ifndef PTO_MACHINE_CACHE_FORM_H
#define PTO_MACHINE_CACHE_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "cache_use.h"

enum {
    CACHE_HOST_LINE = 64, /* bytes of a line of the host's caches */
    CACHE_RUNS_AHEAD = 8  /* whose lines are asked for */
};

/* The host gives pages with the first use, so a cache costs what is used of it. */
struct cache {
    uint32_t sets, ways;
    unsigned shift;    /* of an address, to the number of its line */
    uint64_t lines;    /* of global memory, if it is by lines; else 0 */
    uint8_t *contents; /* at a line of the host */
    size_t size;
    void *memory;
};

size_t cache_lines_bytes(uint64_t lines, uint32_t sets, uint32_t ways);
size_t cache_sets_bytes(uint32_t sets, uint32_t ways);
struct cache_use cache_lines_read(struct cache *cache, const struct cache_span *span,
                                  const struct cache_fill *fill);
struct cache_use cache_lines_write(struct cache *cache, const struct cache_span *span,
                                   const struct cache_fill *fill);
struct cache_use cache_sets_read(struct cache *cache, const struct cache_span *span,
                                 const struct cache_fill *fill);
struct cache_use cache_sets_write(struct cache *cache, const struct cache_span *span,
                                  const struct cache_fill *fill);

/* ---- an access, whatever the form ---- */

/* Was the line there? */
typedef bool cache_access(struct cache *cache, uint64_t line, const struct cache_fill *fill,
                          struct cache_use *use);
/* The line will be looked at soon: a cache of the host's does not hold what says so of all. */
typedef void cache_expect(const struct cache *cache, uint64_t line);

/* Bytes of a run that lie in the line. */
static inline uint64_t cache_overlap(const struct cache *cache, uint64_t line, uint64_t begin,
                                     uint64_t end)
{
    uint64_t from = line << cache->shift, to = (line + 1) << cache->shift;

    return (to < end ? to : end) - (from > begin ? from : begin);
}

/* A line that neighbouring runs share is looked up once. */
static inline __attribute__((always_inline)) struct cache_use
cache_each_line(struct cache *cache, const struct cache_span *span, const struct cache_fill *fill,
                cache_access *access, cache_expect *expect)
{
    struct cache_use use = {0};
    uint64_t last = UINT64_MAX;
    bool hit = false;

    for (uint64_t i = 0; i < span->runs * span->pieces; i++) {
        uint64_t run = span->pieces == 1 ? i : i / span->pieces, piece = i - run * span->pieces;
        uint64_t begin = span->address + run * (uint64_t)span->stride +
                         piece * (uint64_t)span->step;
        uint64_t end = begin + span->bytes;

        expect(cache, (begin + CACHE_RUNS_AHEAD * (uint64_t)span->stride) >> cache->shift);
        for (uint64_t line = begin >> cache->shift; line << cache->shift < end; line++) {
            if (line != last)
                hit = access(cache, line, fill, &use);
            if (hit)
                use.hit_bytes += cache_overlap(cache, line, begin, end);
            last = line;
        }
    }
    return use;
}

#endif
