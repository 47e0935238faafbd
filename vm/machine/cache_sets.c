/* A cache as the tags of its sets. */
#include <string.h>

#include "cache_form.h"

/* A tag is the number of a line plus one, 0 for an empty place; the highest bit marks bytes that
 * global memory does not have yet.  Numbers are cut to 31 bits: lines 2^31 apart (a terabyte, if
 * they have 512 bytes) count as the same, and the last before that as an empty place. */
#define DIRTY (UINT32_C(1) << 31)

enum { LANES = 4 }; /* tags that are compared at once; divides the number of ways */
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

/* A set is its tags and, behind them, since when each line is there: last used, or when it will
 * have arrived. */
static uint64_t *since(const struct cache *cache, uint32_t *tags)
{
    return (uint64_t *)(void *)(tags + cache->ways);
}

static size_t bytes_of_set(uint32_t ways)
{
    return ways * (sizeof(uint32_t) + sizeof(uint64_t));
}

size_t cache_sets_bytes(uint32_t sets, uint32_t ways)
{
    return sets * bytes_of_set(ways);
}

static uint32_t *set_of(const struct cache *cache, uint64_t line)
{
    return (uint32_t *)(void *)(cache->contents +
                                (uint32_t)line % cache->sets * bytes_of_set(cache->ways));
}

static uint32_t tag_of(uint64_t line)
{
    return (uint32_t)(line + 1) & ~DIRTY;
}

/* Way of the line with this tag; that of no line if it is not there.  Which one it is nobody can
 * foretell, so all of them are compared, without a branch for each. */
static uint32_t find(const struct cache *cache, const uint32_t *tags, uint32_t tag)
{
    lanes number = {1, 2, 3, 4}, found = {0}; /* ways from 1 */

    for (uint32_t i = 0; i < cache->ways; i += LANES, number += LANES) {
        lanes some;

        memcpy(&some, &tags[i], sizeof some);
        found |= ((some & ~DIRTY) == tag) & number;
    }
    return (found[0] | found[1] | found[2] | found[3]) - 1;
}

/* The line takes the place of the one least recently used. */
static uint32_t replace(struct cache *cache, uint32_t *tags, uint32_t tag, struct cache_use *use)
{
    const uint64_t *when = since(cache, tags);
    uint32_t oldest = 0;

    for (uint32_t i = 1; i < cache->ways; i++)
        if (when[i] < when[oldest])
            oldest = i;
    use->written += tags[oldest] >> 31;
    tags[oldest] = tag;
    return oldest;
}

/* Was the line there to be read? */
static bool read_line(struct cache *cache, uint64_t line, const struct cache_fill *fill,
                      struct cache_use *use)
{
    uint32_t *tags = set_of(cache, line), way = find(cache, tags, tag_of(line));
    uint64_t *when = since(cache, tags);

    if (way >= cache->ways) {
        way = replace(cache, tags, tag_of(line), use);
        when[way] = fill->first + use->fetched++ * fill->each;
    } else if (when[way] <= fill->now) {
        when[way] = fill->now;
        return true;
    }
    use->missed++;
    return false;
}

static bool write_line(struct cache *cache, uint64_t line, const struct cache_fill *fill,
                       struct cache_use *use)
{
    uint32_t *tags = set_of(cache, line), way = find(cache, tags, tag_of(line));
    bool there = way < cache->ways;
    uint64_t *when = since(cache, tags);

    if (!there)
        way = replace(cache, tags, tag_of(line), use);
    if (!there || when[way] < fill->now)
        when[way] = fill->now;
    tags[way] |= DIRTY;
    return there;
}

static void expect(const struct cache *cache, uint64_t line)
{
    const uint8_t *set = (const uint8_t *)set_of(cache, line);

    for (size_t at = 0; at < bytes_of_set(cache->ways); at += CACHE_HOST_LINE)
        __builtin_prefetch(set + at);
}

struct cache_use cache_sets_read(struct cache *cache, const struct cache_span *span,
                                 const struct cache_fill *fill)
{
    return cache_each_line(cache, span, fill, read_line, expect);
}

struct cache_use cache_sets_write(struct cache *cache, const struct cache_span *span,
                                  const struct cache_fill *fill)
{
    return cache_each_line(cache, span, fill, write_line, expect);
}
