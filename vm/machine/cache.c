#include "cache.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

/* A tag is the number of a line plus one, 0 for an empty place; the highest bit marks bytes that
 * global memory does not have yet.  Numbers are cut to 31 bits: lines 2^31 apart (a terabyte, if
 * they have 512 bytes) count as the same, and the last before that as an empty place. */
#define DIRTY (UINT32_C(1) << 31)

enum {
    RUNS_AHEAD = 8,  /* whose sets are asked for */
    HOST_LINE = 64,  /* bytes of a line of the host's caches */
    LANES = 4        /* tags that are compared at once; divides the number of ways */
};
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

/* A set is its tags and, behind them, since when each line is there: last used, or when it will
 * have arrived.  The host gives pages with the first use, so a cache costs what is used of it. */
struct cache {
    uint32_t sets, ways;
    unsigned shift; /* of an address, to the number of its line */
    size_t set_bytes;
    uint8_t *first_set; /* at a line of the host */
    void *memory;
};

static uint64_t *since(const struct cache *cache, uint32_t *tags)
{
    return (uint64_t *)(void *)(tags + cache->ways);
}

static size_t bytes_of_set(uint32_t ways)
{
    return ways * (sizeof(uint32_t) + sizeof(uint64_t));
}

uint64_t cache_bytes(uint32_t sets, uint32_t ways)
{
    return (uint64_t)sets * bytes_of_set(ways) + HOST_LINE;
}

struct cache *cache_make(uint32_t sets, uint32_t ways, uint32_t line)
{
    struct cache *cache = pto_xmalloc(sizeof *cache);
    uint8_t *memory = pto_xcalloc(cache_bytes(sets, ways), 1);

    *cache = (struct cache){
        .sets = sets,
        .ways = ways,
        .shift = (unsigned)__builtin_ctz(line),
        .set_bytes = bytes_of_set(ways),
        .first_set = memory + (HOST_LINE - (uintptr_t)memory % HOST_LINE),
        .memory = memory,
    };
    return cache;
}

void cache_free(struct cache *cache)
{
    if (!cache)
        return;
    free(cache->memory);
    free(cache);
}

void *cache_contents(const struct cache *cache, size_t *size)
{
    *size = cache ? cache->sets * cache->set_bytes : 0;
    return cache ? cache->first_set : NULL;
}

/* ---- one line ---- */

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
static bool read_line(struct cache *cache, uint32_t *tags, uint32_t tag,
                      const struct cache_fill *fill, struct cache_use *use)
{
    uint32_t way = find(cache, tags, tag);
    uint64_t *when = since(cache, tags);

    if (way >= cache->ways) {
        way = replace(cache, tags, tag, use);
        when[way] = fill->first + use->fetched++ * fill->each;
    } else if (when[way] <= fill->now) {
        when[way] = fill->now;
        return true;
    }
    use->missed++;
    return false;
}

static bool write_line(struct cache *cache, uint32_t *tags, uint32_t tag,
                       const struct cache_fill *fill, struct cache_use *use)
{
    uint32_t way = find(cache, tags, tag);
    bool there = way < cache->ways;
    uint64_t *when = since(cache, tags);

    if (!there)
        way = replace(cache, tags, tag, use);
    if (!there || when[way] < fill->now)
        when[way] = fill->now;
    tags[way] |= DIRTY;
    return there;
}

/* ---- an access ---- */

typedef bool line_access(struct cache *cache, uint32_t *tags, uint32_t tag,
                         const struct cache_fill *fill, struct cache_use *use);

/* Bytes of a run that lie in the line. */
static uint64_t overlap(uint64_t line, uint64_t bytes_of_line, uint64_t begin, uint64_t end)
{
    uint64_t from = line * bytes_of_line, to = from + bytes_of_line;

    return (to < end ? to : end) - (from > begin ? from : begin);
}

static uint32_t *set_of(const struct cache *cache, uint64_t line)
{
    return (uint32_t *)(void *)(cache->first_set +
                                (uint32_t)line % cache->sets * cache->set_bytes);
}

/* The set will be looked at soon: a cache of the host's does not hold all of them. */
static void expect(const struct cache *cache, uint64_t line)
{
    const uint8_t *set = (const uint8_t *)set_of(cache, line);

    for (size_t at = 0; at < cache->set_bytes; at += HOST_LINE)
        __builtin_prefetch(set + at);
}

/* A line that neighbouring runs share is looked up once. */
static inline struct cache_use each_line(struct cache *cache, const struct cache_span *span,
                                         const struct cache_fill *fill, line_access *access)
{
    struct cache_use use = {0};
    uint64_t last = UINT64_MAX, bytes_of_line = UINT64_C(1) << cache->shift;
    bool hit = false;

    for (uint64_t i = 0; i < span->runs * span->pieces; i++) {
        uint64_t run = span->pieces == 1 ? i : i / span->pieces, piece = i - run * span->pieces;
        uint64_t begin = span->address + run * (uint64_t)span->stride +
                         piece * (uint64_t)span->step;
        uint64_t end = begin + span->bytes;

        expect(cache, (begin + RUNS_AHEAD * (uint64_t)span->stride) >> cache->shift);
        for (uint64_t line = begin >> cache->shift; line << cache->shift < end; line++) {
            if (line != last)
                hit = access(cache, set_of(cache, line), (uint32_t)(line + 1) & ~DIRTY, fill, &use);
            if (hit)
                use.hit_bytes += overlap(line, bytes_of_line, begin, end);
            last = line;
        }
    }
    return use;
}

struct cache_use cache_read(struct cache *cache, const struct cache_span *span,
                            const struct cache_fill *fill)
{
    return each_line(cache, span, fill, read_line);
}

struct cache_use cache_write(struct cache *cache, const struct cache_span *span, uint64_t now)
{
    return each_line(cache, span, &(struct cache_fill){.now = now}, write_line);
}
