/* What global memory costs, and the second-level cache in front of it.
 *
 * Both are shared by the rank and taken first come, first served: the cache by every byte that its
 * cores read and write, memory by the lines that come into the cache and are written back.  A
 * profile without a cache has all bytes go through memory. */
#include "cost.h"

#include <stdlib.h>

#include "cache.h"
#include "cost_parts.h"
#include "memory.h"

static uint64_t take(const struct rank *rank, uint64_t *free_at, uint64_t bytes, uint64_t rate)
{
    *free_at = max_u64(rank->now, *free_at);
    if (bytes)
        *free_at += cost_scaled(rank, cost_bytes_ps(bytes, rate));
    return *free_at;
}

struct cache *cost_cache(struct rank *rank)
{
    const struct pto_profile *p = &rank->vm->profile;

    if (!rank->cache)
        rank->cache = cache_make((struct cache_shape){
            .sets = pto_profile_l2_sets(p),
            .ways = p->l2_ways,
            .line = p->l2_line,
            .memory = rank->memory_bytes,
        });
    return rank->cache;
}

/* ---- what a window touches ---- */

struct window {
    uint64_t address;
    uint64_t rows, cols, size; /* bytes of an element */
    int64_t row_stride, col_stride;
};

static struct window window_of(const struct core *core, const uint64_t *word)
{
    const struct bound_object *object = memory_object(core, gm_object(word));

    return (struct window){
        .address = core->rank->object[object->object].address + word[GM_OFFSET],
        .rows = gm_rows(word),
        .cols = gm_cols(word),
        .size = pto_dtype_size(object->dtype),
        .row_stride = object_row_stride(object),
        .col_stride = object_col_stride(object),
    };
}

/* Runs follow the smaller stride, what lies between its elements included unless they are more than
 * a line apart. */
static struct cache_span span_of(const struct rank *rank, struct window w)
{
    bool down = w.rows > 1 && (w.cols == 1 || llabs(w.row_stride) < llabs(w.col_stride));
    int64_t inner = down ? w.row_stride : w.col_stride;
    uint64_t steps = (down ? w.rows : w.cols) - 1;
    struct cache_span span = {
        .address = w.address + (inner < 0 ? steps * (uint64_t)inner : 0),
        .bytes = steps * (uint64_t)llabs(inner) + w.size,
        .runs = down ? w.cols : w.rows,
        .pieces = 1,
        .stride = down ? w.col_stride : w.row_stride,
        .step = inner,
    };

    if ((uint64_t)llabs(inner) > rank->vm->profile.l2_line) {
        span.address = w.address;
        span.bytes = w.size;
        span.pieces = steps + 1;
        return span;
    }
    if (span.stride == (int64_t)span.bytes) {
        span.bytes *= span.runs;
        span.runs = 1;
    }
    return span;
}

/* ---- accesses through the cache ---- */

/* The lines of an access take memory, its bytes the cache; returns when both are through. */
static uint64_t take_both(struct rank *rank, const struct cache_use *use, uint64_t bytes)
{
    const struct pto_profile *p = &rank->vm->profile;
    uint64_t moved = (use->fetched + use->written) * p->l2_line;
    uint64_t lines = take(rank, &rank->gm_free_at, moved, p->gm_bytes_per_us);

    rank->gm_use.lines += moved;
    return max_u64(lines, take(rank, &rank->l2_free_at, bytes, p->l2_bytes_per_us));
}

/* `latency`: of memory, from the request to the first bytes. */
static struct cache_use read_span(struct rank *rank, const struct cache_span *span,
                                  uint64_t latency)
{
    const struct cache_fill fill = {
        .now = rank->now,
        .first = max_u64(rank->now, rank->gm_free_at) + rank->line_ps + latency,
        .each = rank->line_ps,
    };

    return cache_read(cost_cache(rank), span, &fill);
}

/* Bytes of lines that were not there come one line after the other, but through the path. */
static uint64_t missed_ps(const struct rank *rank, const struct pto_path *path, uint64_t bytes)
{
    const struct pto_profile *p = &rank->vm->profile;

    return max_u64(cost_path_ps(rank->vm, path, bytes), bytes * p->l2_miss_ps / p->l2_line);
}

/* What a core's read takes its pipe: bytes of lines that were there pass at the rate of the path,
 * the others at that of lines that come one by one if that is slower. */
static void read_memory(struct core *core, unsigned pipe, const struct entry *entry,
                        const struct cache_span *span, struct phase_cost *cost)
{
    struct rank *rank = core->rank;
    const struct pto_profile *p = &rank->vm->profile;
    struct cache_use use = read_span(rank, span, cost->latency);
    uint64_t all = span->bytes * span->pieces * span->runs;
    uint64_t hit = use.hit_bytes * cost->bytes / all, own, done;
    uint64_t counter = core->pipe[pipe]->next;

    own = cost_path_ps(rank->vm, entry->op->path, hit) +
          missed_ps(rank, entry->op->path, cost->bytes - hit);
    done = take_both(rank, &use, cost->bytes);
    rank->gm_use.hit = hit;
    cost->occupancy = max_u64(done - rank->now,
                              cost_perturbed(core, pipe, counter, cost_scaled(rank, own)));
    if (!use.missed)
        cost->latency =
            cost_perturbed(core, pipe, counter, cost_scaled(rank, p->l2_latency_ps));
}

void cost_memory(struct core *core, unsigned pipe, const struct entry *entry,
                 struct phase_cost *cost)
{
    const struct ready_op *op = entry->op;
    struct rank *rank = core->rank;
    const struct pto_profile *p = &rank->vm->profile;
    struct cache_span span;
    struct cache_use use;
    uint64_t done;

    rank->stats.gm_bytes += cost->bytes;
    *(op->extent_gm ? &rank->gm_use.read : &rank->gm_use.written) = cost->bytes;
    if (!p->l2_bytes) {
        done = take(rank, &rank->gm_free_at, cost->bytes, p->gm_bytes_per_us);
        cost->occupancy = max_u64(cost->occupancy, done - rank->now);
        return;
    }
    span = span_of(rank, window_of(core, &entry->word[op->operand[op->extent_gm].word]));
    if (op->extent_gm != 0) {
        read_memory(core, pipe, entry, &span, cost);
        return;
    }
    use = cache_write(cost_cache(rank), &span, rank->now);
    cost->occupancy = max_u64(cost->occupancy, take_both(rank, &use, cost->bytes) - rank->now);
}

uint64_t cost_async_memory(struct core *core, const struct submission *s)
{
    struct rank *rank = core->rank;
    const struct pto_profile *p = &rank->vm->profile;
    uint64_t done = rank->now, bytes = 0;

    for (unsigned side = 0; side < 2; side++) { /* destination, source */
        struct cache_span span;
        struct cache_use use;

        if (gm_rank(s->gm[side]) != rank->number)
            continue;
        bytes += s->bytes;
        *(side ? &rank->gm_use.read : &rank->gm_use.written) = s->bytes;
        if (!p->l2_bytes)
            continue;
        span = span_of(rank, window_of(core, s->gm[side]));
        use = side == 0 ? cache_write(cost_cache(rank), &span, rank->now)
                        : read_span(rank, &span, p->l2_latency_ps);
        rank->gm_use.hit += side ? use.hit_bytes : 0;
        done = max_u64(done, take_both(rank, &use, s->bytes));
    }
    rank->stats.gm_bytes += bytes;
    return p->l2_bytes ? done : take(rank, &rank->gm_free_at, bytes, p->gm_bytes_per_us);
}

void cost_land(struct rank *rank, const struct message *message)
{
    const struct window window = {
        .address = rank->object[message->object].address + message->offset,
        .rows = message->rows,
        .cols = message->cols,
        .size = pto_dtype_size(message->dtype),
        .row_stride = message->row_stride,
        .col_stride = message->col_stride,
    };
    struct cache_span span;
    struct cache_use use;

    if (!rank->vm->profile.l2_bytes)
        return;
    span = span_of(rank, window);
    use = cache_write(cost_cache(rank), &span, rank->now);
    take_both(rank, &use, message->bytes);
}
