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
    pools->extent[id] = (struct shadow_extent){offset, length, state, length, {0, 0}};
    return id | SHADOW_EXTENT;
}

static void give_extent(struct shadow_pools *pools, uint32_t cell)
{
    PTO_GROW(pools->spare_extent, pools->spare_extents, pools->spare_extent_capacity);
    pools->spare_extent[pools->spare_extents++] = cell & ~SHADOW_EXTENT;
}

/* All cells of an extent that is in two pages. */
static void fill_pages(struct shadow_pools *pools, const struct shadow_extent *extent,
                       uint32_t value)
{
    uint32_t first = (uint32_t)(extent->offset % SHADOW_PAGE / SHADOW_CELL);

    shadow_fill(pool_at(&pools->page, extent->page[0]), first, SHADOW_CELLS, value);
    shadow_fill(pool_at(&pools->page, extent->page[1]), 0,
                (extent->length - extent->here) / SHADOW_CELL, value);
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
    if (extent.here == extent.length)
        shadow_fill(cell - index, first, first + extent.length / SHADOW_CELL, extent.state);
    else
        fill_pages(pools, &extent, extent.state);
    return extent.state;
}

void extent_join(struct shadow_pools *pools, uint32_t here, uint32_t there, uint64_t offset)
{
    const uint32_t *next = pool_at(&pools->page, there);
    uint32_t cell = pool_at(&pools->page, here)[offset % SHADOW_PAGE / SHADOW_CELL];
    struct shadow_extent *first, *second;

    if (!extent_is(cell) || !extent_is(next[0]))
        return;
    first = extent_at(pools, cell);
    second = extent_at(pools, next[0]);
    if (first->offset != offset || first->offset + first->length != second->offset ||
        first->state != second->state || second->here != second->length)
        return;
    first->length += second->length;
    first->page[0] = here;
    first->page[1] = there;
    give_extent(pools, next[0]);
    fill_pages(pools, first, cell);
}

/* Are these bytes an extent?  Then they are stepped. */
static bool step_extent(const struct walk *w, uint32_t cell, uint64_t offset, uint32_t length)
{
    struct shadow_extent *extent = extent_at(w->pools, cell);

    if (extent->offset != offset || extent->length != length)
        return false;
    extent->state = w->step(w->context, extent->state, offset, extent->here);
    return true;
}

/* Cells of one extent, or that share their bytes, often follow each other. */
void cells_release(struct shadow_pools *pools, uint32_t *cell)
{
    for (uint32_t c = 0, next; c < SHADOW_CELLS; c = next) {
        next = shadow_run(cell, c, SHADOW_CELLS);
        plain_cell(pools, &cell[c], c);
        for (uint32_t i = c; cell[c] & SHADOW_FINER && i < next; i++)
            cell_drop(pools, cell[c]);
    }
}

/* ---- an access ---- */

/* Bytes first..end (exclusive) of a cell have got one state: have all?  They seldom go with their
 * neighbours. */
static inline bool is_uniform(const uint32_t *byte, uint32_t first, uint32_t end)
{
    if ((first > 0 && byte[first - 1] != byte[first]) ||
        (end < SHADOW_CELL && byte[end] != byte[end - 1]))
        return false;
    return shadow_run(byte, 0, SHADOW_CELL) == SHADOW_CELL;
}

/* Where the bytes in the state of the first one end: most often they are one word. */
static inline uint32_t run_of_bytes(const uint32_t *byte, uint32_t first, uint32_t end)
{
    const uint32_t state = byte[first];

    if (end - first == SHADOW_LANES &&
        shadow_four_are(&byte[first], (shadow_lanes){state, state, state, state}))
        return end;
    return shadow_run(byte, first, end);
}

/* Cells of which all bytes are in one state lose the numbers for them as soon as they are touched
 * again: several pieces that take whole cells leave such. */
static inline void step_bytes(const struct walk *w, uint32_t *cell, uint64_t base,
                              uint32_t first, uint32_t end)
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
        uint32_t last = run_of_bytes(byte, at, end), old = byte[at];
        uint32_t next = w->step(w->context, old, base + at, last - at);

        if (next != old)
            shadow_fill(byte, at, last, next);
        at = last;
    }
    if (is_uniform(byte, first, end)) {
        uint32_t state = byte[0];

        cell_drop(w->pools, *cell);
        *cell = state;
    }
}

/* The same for one of several pieces.  A memo holds its cells, so that they stay what they were.
 * Where nothing changes there is only somebody who looks, at every cell. */
void cell_touch_alike(const struct walk *w, uint32_t *cell, uint64_t base, uint32_t first,
                      uint32_t end)
{
    struct cell_memo *memo = &w->memo[first / 4 % CELL_MEMOS];
    uint32_t old = plain_cell(w->pools, cell, (uint32_t)(base % SHADOW_PAGE / SHADOW_CELL));

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

/* Bytes first..end (exclusive) of cell `index` of the page at `base`. */
static inline void touch_bytes(const struct walk *w, uint32_t *cell, uint64_t base,
                               uint32_t index, uint32_t first, uint32_t end)
{
    base += (uint64_t)index * SHADOW_CELL;
    if (w->memo) {
        cell_touch_alike(w, &cell[index], base, first, end);
        return;
    }
    plain_cell(w->pools, &cell[index], index);
    step_bytes(w, &cell[index], base, first, end);
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
            touch_bytes(w, cell, base, first++, 0, SHADOW_CELL);
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

bool cell_step_word(struct shadow_pools *pools, uint32_t *cell, uint64_t offset, shadow_step *step,
                    void *context)
{
    const uint32_t first = (uint32_t)(offset % SHADOW_CELL), end = first + SHADOW_LANES;
    uint32_t *byte, old, next;

    if (!(*cell & SHADOW_FINER))
        return false;
    byte = pool_at(&pools->cell, *cell);
    old = byte[first];
    if (byte[SHADOW_CELL] != 1 ||
        !shadow_four_are(&byte[first], (shadow_lanes){old, old, old, old}))
        return false;
    next = step(context, old, offset, SHADOW_LANES);
    if (next != old)
        memcpy(&byte[first], &(shadow_lanes){next, next, next, next}, sizeof(shadow_lanes));
    if (byte[first ? first - 1 : end] == next && shadow_run(byte, 0, SHADOW_CELL) == SHADOW_CELL) {
        cell_drop(pools, *cell);
        *cell = next;
    }
    return true;
}

/* Bytes first..end (exclusive) of a page with cells. */
void cells_touch(const struct walk *w, uint32_t *cell, uint64_t base, uint32_t first, uint32_t end)
{
    uint32_t head = first / SHADOW_CELL, tail = end / SHADOW_CELL;
    uint32_t from = first % SHADOW_CELL, to = end % SHADOW_CELL;

    if (end - first == SHADOW_LANES && from <= SHADOW_CELL - SHADOW_LANES && !w->memo &&
        cell_step_word(w->pools, &cell[head], base + first, w->step, w->context))
        return;
    if (head == tail) {
        touch_bytes(w, cell, base, head, from, to);
        return;
    }
    if (from)
        touch_bytes(w, cell, base, head++, from, SHADOW_CELL);
    if (head < tail)
        touch_cells(w, cell, base, head, tail);
    if (to)
        touch_bytes(w, cell, base, tail, 0, to);
}
