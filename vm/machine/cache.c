#include "cache.h"

#include <stdlib.h>

#include "arena.h"
#include "cache_form.h"

/* A memory of so many times the cache's size is kept by lines: where more lines share a set, to
 * find the one to replace takes longer than tags do, and the array would outgrow them. */
enum { TIMES_THE_CACHE = 4 };

/* Lines of global memory, if it is kept by lines; else 0. */
static uint64_t lines_kept(struct cache_shape shape)
{
    uint64_t lines = (shape.memory + shape.line - 1) / shape.line;

    return lines <= TIMES_THE_CACHE * (uint64_t)shape.sets * shape.ways ? lines : 0;
}

static size_t contents_bytes(struct cache_shape shape)
{
    uint64_t lines = lines_kept(shape);

    return lines ? cache_lines_bytes(lines, shape.sets, shape.ways)
                 : cache_sets_bytes(shape.sets, shape.ways);
}

uint64_t cache_bytes(struct cache_shape shape)
{
    return contents_bytes(shape) + CACHE_HOST_LINE;
}

struct cache *cache_make(struct cache_shape shape)
{
    struct cache *cache = pto_xmalloc(sizeof *cache);
    uint8_t *memory = pto_xcalloc(cache_bytes(shape), 1);

    *cache = (struct cache){
        .sets = shape.sets,
        .ways = shape.ways,
        .shift = (unsigned)__builtin_ctz(shape.line),
        .lines = lines_kept(shape),
        .contents = memory + (CACHE_HOST_LINE - (uintptr_t)memory % CACHE_HOST_LINE),
        .size = contents_bytes(shape),
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
    *size = cache ? cache->size : 0;
    return cache ? cache->contents : NULL;
}

struct cache_use cache_read(struct cache *cache, const struct cache_span *span,
                            const struct cache_fill *fill)
{
    return cache->lines ? cache_lines_read(cache, span, fill) : cache_sets_read(cache, span, fill);
}

struct cache_use cache_write(struct cache *cache, const struct cache_span *span, uint64_t now)
{
    const struct cache_fill fill = {.now = now};

    return cache->lines ? cache_lines_write(cache, span, &fill)
                        : cache_sets_write(cache, span, &fill);
}
