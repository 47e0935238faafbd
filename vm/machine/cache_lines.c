/* A cache as what is known of every line of global memory.
 *
 * Contents are three arrays: of each line since when it is there (last used, or when it will have
 * arrived) and a mark, and of each set how many of its ways have been filled.  Ways are filled in
 * turn; they matter where two lines have been there equally long.  Where the memory has no more
 * lines than the cache has places no set is ever full, and nothing is kept of sets: of a rank with
 * little data they would be most of it. */
#include "cache_form.h"

/* A mark is the way plus one, 0 if the line is not there; the highest bit marks bytes that global
 * memory does not have yet. */
enum { DIRTY = 0x80 };

static uint64_t *since(const struct cache *cache)
{
    return (uint64_t *)(void *)cache->contents;
}

static uint8_t *mark(const struct cache *cache)
{
    return cache->contents + cache->lines * sizeof(uint64_t);
}

static uint8_t *filled(const struct cache *cache)
{
    return mark(cache) + cache->lines;
}

/* Can a set become full?  Lines are dealt to sets in turn. */
static bool has_full_sets(uint64_t lines, uint32_t sets, uint32_t ways)
{
    return lines > (uint64_t)sets * ways;
}

size_t cache_lines_bytes(uint64_t lines, uint32_t sets, uint32_t ways)
{
    return lines * (sizeof(uint64_t) + 1) + (has_full_sets(lines, sets, ways) ? sets : 0);
}

/* The line of a full set that has been used least recently, of several the one in the first way. */
static uint64_t oldest_in(const struct cache *cache, uint32_t set)
{
    const uint64_t *when = since(cache);
    const uint8_t *marks = mark(cache);
    uint64_t oldest = UINT64_MAX;

    for (uint64_t line = set; line < cache->lines; line += cache->sets) {
        if (!marks[line])
            continue;
        if (oldest == UINT64_MAX || when[line] < when[oldest] ||
            (when[line] == when[oldest] && (marks[line] & ~DIRTY) < (marks[oldest] & ~DIRTY)))
            oldest = line;
    }
    return oldest;
}

/* A place for a line that has none; returns its mark. */
static uint8_t take_place(struct cache *cache, uint64_t line, struct cache_use *use)
{
    uint32_t set = (uint32_t)(line % cache->sets);
    uint8_t *marks = mark(cache), *ways;
    uint64_t oldest;
    uint8_t way;

    if (!has_full_sets(cache->lines, cache->sets, cache->ways))
        return 1;
    ways = &filled(cache)[set];
    if (*ways < cache->ways)
        return ++*ways;
    oldest = oldest_in(cache, set);
    use->written += marks[oldest] >> 7;
    way = marks[oldest] & (uint8_t)~DIRTY;
    marks[oldest] = 0;
    return way;
}

static bool read_line(struct cache *cache, uint64_t line, const struct cache_fill *fill,
                      struct cache_use *use)
{
    uint64_t *when = &since(cache)[line];
    uint8_t *marked = &mark(cache)[line];

    if (!*marked) {
        *marked = take_place(cache, line, use);
        *when = fill->first + use->fetched++ * fill->each;
    } else if (*when <= fill->now) {
        *when = fill->now;
        return true;
    }
    use->missed++;
    return false;
}

static bool write_line(struct cache *cache, uint64_t line, const struct cache_fill *fill,
                       struct cache_use *use)
{
    uint64_t *when = &since(cache)[line];
    uint8_t *marked = &mark(cache)[line];
    bool there = *marked != 0;

    if (!there)
        *marked = take_place(cache, line, use);
    if (!there || *when < fill->now)
        *when = fill->now;
    *marked |= DIRTY;
    return there;
}

static void expect(const struct cache *cache, uint64_t line)
{
    if (line < cache->lines)
        __builtin_prefetch(&since(cache)[line]);
}

struct cache_use cache_lines_read(struct cache *cache, const struct cache_span *span,
                                  const struct cache_fill *fill)
{
    return cache_each_line(cache, span, fill, read_line, expect);
}

struct cache_use cache_lines_write(struct cache *cache, const struct cache_span *span,
                                   const struct cache_fill *fill)
{
    return cache_each_line(cache, span, fill, write_line, expect);
}
