#include "check/shadow_cell.h"

#include <string.h>

#include "arena.h"

/* ---- arrays of finer numbers ---- */

uint32_t pool_take(struct shadow_pool *pool, uint32_t width, uint32_t value)
{
    uint32_t id, *array;

    if (pool->spares) {
        id = pool->spare[--pool->spares];
    } else {
        pool->width = width;
        if (pool->used == pool->blocks * SHADOW_POOL_BLOCK) {
            PTO_GROW(pool->block, pool->blocks, pool->block_capacity);
            pool->block[pool->blocks++] = pto_xmalloc(sizeof(uint32_t) * SHADOW_POOL_BLOCK * width);
        }
        id = pool->used++ | SHADOW_FINER;
    }
    array = pool_at(pool, id);
    shadow_fill(array, 0, width, value);
    return id;
}

void pool_give(struct shadow_pool *pool, uint32_t id)
{
    PTO_GROW(pool->spare, pool->spares, pool->spare_capacity);
    pool->spare[pool->spares++] = id;
}

/* ---- cells whose bytes differ ---- */

/* Cells with the same bytes can share their array, which counts them behind the bytes. */
uint32_t cell_new_bytes(struct shadow_pools *pools, uint32_t state)
{
    uint32_t cell = pool_take(&pools->cell, SHADOW_CELL + 1, state);

    pool_at(&pools->cell, cell)[SHADOW_CELL] = 1;
    return cell;
}

void cell_hold(struct shadow_pools *pools, uint32_t cell)
{
    if (cell & SHADOW_FINER)
        pool_at(&pools->cell, cell)[SHADOW_CELL]++;
}

void cell_drop(struct shadow_pools *pools, uint32_t cell)
{
    if (cell & SHADOW_FINER && --pool_at(&pools->cell, cell)[SHADOW_CELL] == 0)
        pool_give(&pools->cell, cell);
}

/* The bytes of a cell, which nobody shares. */
static uint32_t *own_bytes(struct shadow_pools *pools, uint32_t *cell)
{
    uint32_t *byte = pool_at(&pools->cell, *cell), copy;

    if (byte[SHADOW_CELL] == 1)
        return byte;
    copy = cell_new_bytes(pools, 0);
    memcpy(pool_at(&pools->cell, copy), byte, SHADOW_CELL * sizeof *byte);
    cell_drop(pools, *cell);
    *cell = copy;
    return pool_at(&pools->cell, copy);
}

/* ---- extents ---- */

enum { EXTENT_CELLS = 2 }; /* the least that makes one */

static uint32_t new_extent(struct shadow_pools *pools, uint64_t offset, uint32_t length,
                           uint32_t state)
{
    uint32_t id;

    if (pools->spare_extents) {
        id = pools->spare_extent[--pools->spare_extents];
    } else {
        PTO_GROW(pools->extent, pools->extents, pools->extent_capacity);
        id = pools->extents++;
    }
    pools->extent[id] = (struct shadow_extent){offset, length, state};
    return id | SHADOW_EXTENT;
}

static void give_extent(struct shadow_pools *pools, uint32_t cell)
{
    PTO_GROW(pools->spare_extent, pools->spare_extents, pools->spare_extent_capacity);
    pools->spare_extent[pools->spare_extents++] = cell & ~SHADOW_EXTENT;
}

/* The state of a cell's extent; of others what they are. */
static inline uint32_t extent_state(const struct shadow_pools *pools, uint32_t cell)
{
    return extent_is(cell) ? extent_at(pools, cell)->state : cell;
}

/* Make plain cells of the extent that the cell belongs to, if any; `index`: of it in the page.
 * Returns what the cell is then. */
static inline uint32_t plain_cell(struct shadow_pools *pools, uint32_t *cell, uint32_t index)
{
    struct shadow_extent extent;
    uint32_t number = *cell, first;

    if (!extent_is(number))
        return number;
    extent = *extent_at(pools, number);
    first = (uint32_t)(extent.offset % SHADOW_PAGE / SHADOW_CELL);
    give_extent(pools, number);
    shadow_fill(cell - index, first, first + extent.length / SHADOW_CELL, extent.state);
    return extent.state;
}

/* Are these bytes an extent?  Then they are stepped. */
static bool step_extent(const struct walk *w, uint32_t cell, uint64_t offset, uint32_t length)
{
    struct shadow_extent *extent = extent_at(w->pools, cell);

    if (extent->offset != offset || extent->length != length)
        return false;
    extent->state = w->step(w->context, extent->state, offset, length);
    return true;
}

void cells_release(struct shadow_pools *pools, const uint32_t *cell)
{
    for (uint32_t i = 0; i < SHADOW_CELLS; i++) {
        cell_drop(pools, cell[i]);
        if (extent_is(cell[i]) && (i == 0 || cell[i] != cell[i - 1]))
            give_extent(pools, cell[i]);
    }
}

/* ---- an access ---- */

/* Are all bytes of a cell in one state?  Those that were touched, first..end (exclusive), seldom go
 * with their neighbours. */
static bool is_uniform(const uint32_t *byte, uint32_t first, uint32_t end)
{
    if ((first > 0 && byte[first - 1] != byte[first]) ||
        (end < SHADOW_CELL && byte[end] != byte[end - 1]))
        return false;
    return shadow_run(byte, 0, SHADOW_CELL) == SHADOW_CELL;
}

static void step_bytes(const struct walk *w, uint32_t *cell, uint64_t base, uint32_t first,
                       uint32_t end)
{
    uint32_t *byte, at = first;

    if (!(*cell & SHADOW_FINER)) {
        uint32_t next = w->step(w->context, *cell, base + first, end - first);

        if (next == *cell)
            return;
        *cell = cell_new_bytes(w->pools, *cell);
        byte = pool_at(&w->pools->cell, *cell);
        shadow_fill(byte, first, end, next);
        return;
    }
    byte = own_bytes(w->pools, cell);
    while (at < end) {
        uint32_t last = shadow_run(byte, at, end);

        shadow_fill(byte, at, last, w->step(w->context, byte[at], base + at, last - at));
        at = last;
    }
    if (is_uniform(byte, first, end)) {
        uint32_t state = byte[0];

        cell_drop(w->pools, *cell);
        *cell = state;
    }
}

/* A memo holds its cells,
 * so that they stay what they were.  Where nothing changes there is only somebody who looks, at
 * every cell. */
void cell_touch_bytes(const struct walk *w, uint32_t *cell, uint64_t base, uint32_t first,
                        uint32_t end)
{
    struct cell_memo *memo = w->memo ? &w->memo[first / 4 % CELL_MEMOS] : NULL;
    uint32_t old = plain_cell(w->pools, cell, (uint32_t)(base % SHADOW_PAGE / SHADOW_CELL));

    if (!memo) {
        step_bytes(w, cell, base, first, end);
        return;
    }
    if (memo->from == old && memo->first == first && memo->end == end) {
        cell_hold(w->pools, memo->to);
        *cell = memo->to;
        cell_drop(w->pools, old);
        return;
    }
    cell_hold(w->pools, old);
    step_bytes(w, cell, base, first, end);
    if (*cell == old) {
        cell_drop(w->pools, old);
        return;
    }
    cell_drop(w->pools, memo->from);
    cell_drop(w->pools, memo->to);
    cell_hold(w->pools, *cell);
    *memo = (struct cell_memo){old, *cell, first, end};
}

/* Whole cells first..end (exclusive).  Cells in one state that follow each other are one step. */
static void touch_cells(const struct walk *w, uint32_t *cell, uint64_t base, uint32_t first,
                        uint32_t end)
{
    const uint32_t begin = first;

    if (extent_is(cell[first]) &&
        step_extent(w, cell[first], base + (uint64_t)first * SHADOW_CELL,
                    (end - first) * SHADOW_CELL))
        return;
    while (first < end) {
        uint32_t state = plain_cell(w->pools, &cell[first], first), last, next;

        if (state & SHADOW_FINER) {
            cell_touch_bytes(w, &cell[first], base + (uint64_t)first * SHADOW_CELL, 0,
                             SHADOW_CELL);
            first++;
            continue;
        }
        last = shadow_run(cell, first, end);
        while (last < end && extent_state(w->pools, cell[last]) == state) {
            plain_cell(w->pools, &cell[last], last);
            last = shadow_run(cell, last, end);
        }
        next = w->step(w->context, state, base + (uint64_t)first * SHADOW_CELL,
                       (uint64_t)(last - first) * SHADOW_CELL);
        if (first == begin && last == end && end - begin >= EXTENT_CELLS &&
            end - begin < SHADOW_CELLS)
            next = new_extent(w->pools, base + (uint64_t)begin * SHADOW_CELL,
                              (end - begin) * SHADOW_CELL, next);
        shadow_fill(cell, first, last, next);
        first = last;
    }
}

/* Bytes first..end (exclusive) of a page with cells. */
void cells_touch(const struct walk *w, uint32_t *cell, uint64_t base, uint32_t first,
                        uint32_t end)
{
    uint32_t head = first / SHADOW_CELL, tail = end / SHADOW_CELL;

    if (first % SHADOW_CELL) {
        uint32_t stop = head == tail ? end % SHADOW_CELL : SHADOW_CELL;

        cell_touch_bytes(w, &cell[head], base + (uint64_t)head * SHADOW_CELL, first % SHADOW_CELL,
                    stop);
        if (head++ == tail)
            return;
    }
    if (head < tail)
        touch_cells(w, cell, base, head, tail);
    if (end % SHADOW_CELL)
        cell_touch_bytes(w, &cell[tail], base + (uint64_t)tail * SHADOW_CELL, 0, end % SHADOW_CELL);
}
