#include "check/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "check/shadow_cell.h"
#include "machine/core.h"

enum { FEW_PIECES = 3 };

static void pool_free(struct shadow_pool *pool)
{
    for (uint32_t i = 0; i < pool->blocks; i++)
        free(pool->block[i]);
    free(pool->block);
    free(pool->spare);
}

void shadow_pools_free(struct shadow_pools *pools)
{
    pool_free(&pools->page);
    pool_free(&pools->cell);
    combs_free(pools);
    free(pools->extent);
    free(pools->spare_extent);
}

/* ---- regions ---- */

void shadow_init(struct shadow *shadow, uint64_t size, uint32_t initial)
{
    *shadow = (struct shadow){
        .size = size,
        .pages = (size + SHADOW_PAGE - 1) / SHADOW_PAGE,
        .initial = initial,
    };
}

static __attribute__((noinline)) void make_pages(struct shadow *shadow)
{
    shadow->page = pto_xmalloc(shadow->pages * sizeof *shadow->page);
    for (uint64_t i = 0; i < shadow->pages; i++)
        shadow->page[i] = shadow->initial;
}

static inline void open_pages(struct shadow *shadow)
{
    if (!shadow->page)
        make_pages(shadow);
}

/* The whole page is in one state from now on. */
static void make_uniform(struct shadow_pools *pools, uint32_t *page, uint32_t state)
{
    if (*page & SHADOW_FINER) {
        cells_release(pools, pool_at(&pools->page, *page));
        pool_give(&pools->page, *page);
    } else if (*page & SHADOW_COMB) {
        comb_give(pools, *page);
    }
    *page = state;
}

void shadow_reset(struct shadow *shadow, struct shadow_pools *pools)
{
    for (uint64_t i = 0; shadow->page && i < shadow->pages; i++)
        make_uniform(pools, &shadow->page[i], shadow->initial);
}

void shadow_free(struct shadow *shadow)
{
    free(shadow->page);
    shadow->page = NULL;
}

/* ---- an access ---- */

/* The cell whose first byte stands at `offset` of the region, of a comb of smaller units. */
static uint32_t cell_of_comb(struct shadow_pools *pools, const struct shadow_comb *comb,
                             uint64_t offset)
{
    uint32_t state[SHADOW_CELL], cell;

    comb_copy(comb, offset, SHADOW_CELL, state);
    if (shadow_run(state, 0, SHADOW_CELL) == SHADOW_CELL)
        return state[0];
    cell = cell_new_bytes(pools, 0);
    memcpy(pool_at(&pools->cell, cell), state, sizeof state);
    return cell;
}

/* A comb whose bytes are touched in another pattern. */
static void expand(struct shadow_pools *pools, uint32_t *page, uint64_t base)
{
    uint32_t number = *page, *cell;
    const struct shadow_comb *comb = comb_at(pools, number);

    *page = pool_take(&pools->page, SHADOW_CELLS, 0);
    cell = pool_at(&pools->page, *page);
    if (comb_has_cells(comb))
        comb_copy_cells(comb, base, cell);
    else
        for (uint32_t c = 0; c < SHADOW_CELLS; c++)
            cell[c] = cell_of_comb(pools, comb, base + (uint64_t)c * SHADOW_CELL);
    comb_give(pools, number);
}

/* All bytes of a page that is a comb. */
static void touch_whole_comb(const struct walk *w, uint32_t *page, uint64_t base)
{
    struct shadow_comb *comb = comb_at(w->pools, *page);

    comb_step(comb, base, comb->period, w->step, w->context);
    if (comb_is_uniform(comb))
        make_uniform(w->pools, page, comb->state[0]);
}

static void touch_page(const struct walk *w, uint32_t *page, uint64_t base, uint32_t first,
                       uint32_t end, bool whole)
{
    uint32_t *cell, old = *page;

    if (old & SHADOW_COMB && whole) {
        touch_whole_comb(w, page, base);
        return;
    }
    if (old & SHADOW_COMB)
        expand(w->pools, page, base);
    else if (!(old & SHADOW_FINER)) {
        uint32_t next = w->step(w->context, old, base + first, end - first);

        if (next == old)
            return;
        if (whole) {
            *page = next;
            return;
        }
        *page = pool_take(&w->pools->page, SHADOW_CELLS, old);
    }
    cell = pool_at(&w->pools->page, *page);
    cells_touch(w, cell, base, first, end);
    if (!whole)
        return;
    if (!(cell[0] & SHADOW_FINER) && shadow_run(cell, 0, SHADOW_CELLS) == SHADOW_CELLS)
        make_uniform(w->pools, page, cell[0]);
}

/* Two pages that have cells, of which a piece has taken a part each. */
static void join_pages(const struct walk *w, const struct shadow *shadow, uint64_t offset)
{
    const uint32_t *page = &shadow->page[offset / SHADOW_PAGE];

    if (page[0] & page[1] & SHADOW_FINER)
        extent_join(w->pools, page[0], page[1], offset);
}

static void touch_piece(const struct walk *w, struct shadow *shadow, uint64_t offset,
                        uint64_t length)
{
    const uint64_t begin = offset, end = offset + length;

    for (uint64_t page = offset / SHADOW_PAGE; offset < end; page++) {
        uint64_t base = page * SHADOW_PAGE;
        uint64_t stop = min_u64(base + SHADOW_PAGE, end);

        if (!shadow_step_extent(shadow, w->pools, offset, stop - offset, w->step, w->context))
            touch_page(w, &shadow->page[page], base, (uint32_t)(offset - base),
                       (uint32_t)(stop - base),
                       offset == base && (stop == base + SHADOW_PAGE || stop == shadow->size));
        offset = stop;
    }
    if (length <= SHADOW_PAGE && (begin ^ (end - 1)) >= SHADOW_PAGE && end % SHADOW_CELL == 0)
        join_pages(w, shadow, begin);
}

/* All bytes of a page that are in step with the piece at `offset`; false: the page is in another
 * pattern. */
static bool touch_in_step(const struct walk *w, uint32_t *page, uint64_t offset, uint32_t length,
                          uint32_t period)
{
    uint32_t old = *page, shift = comb_shift(period, offset, length);

    if (old & SHADOW_FINER || (old & SHADOW_COMB && comb_at(w->pools, old)->period != period))
        return false;
    if (old & SHADOW_COMB)
        comb_refine(w->pools, old, shift);
    else
        *page = comb_take(w->pools, period, shift, old);
    comb_step(comb_at(w->pools, *page), offset, length, w->step, w->context);
    return true;
}

/* Do the pieces lie in the same bytes of cells, one in each of them? */
static bool is_column(const struct effect_pieces *p)
{
    return p->step % SHADOW_CELL == 0 && p->offset % SHADOW_CELL + p->length <= SHADOW_CELL;
}

/* Such pieces, `count` from `offset` on, in the page at byte `base`, which has cells. */
static void touch_column(const struct walk *w, uint32_t *cell, uint64_t base,
                         const struct effect_pieces *p, uint64_t offset, uint64_t count)
{
    uint32_t first = (uint32_t)(offset % SHADOW_CELL), end = first + (uint32_t)p->length;
    const struct cell_memo *memo = &w->memo[first / 4 % CELL_MEMOS];

    while (count > 0) {
        uint32_t *at = &cell[(offset - base) / SHADOW_CELL], alike = 0;

        while (alike < count && memo->from == *at && memo->first == first && memo->end == end) {
            *at = memo->to;
            at += p->step / SHADOW_CELL;
            alike++;
        }
        if (memo->to & SHADOW_FINER)
            pool_at(&w->pools->cell, memo->to)[SHADOW_CELL] += alike;
        if (memo->from & SHADOW_FINER)
            pool_at(&w->pools->cell, memo->from)[SHADOW_CELL] -= alike; /* the memo holds one */
        offset += alike * p->step;
        count -= alike;
        if (count == 0)
            return;
        cell_touch_alike(w, at, offset - first, first, end);
        offset += p->step;
        count--;
    }
}

/* What of the pieces lies in a page; they have more than one, close together. */
static void touch_teeth(const struct walk *w, struct shadow *shadow,
                        const struct effect_pieces *p, uint64_t page)
{
    uint64_t base = page * SHADOW_PAGE, stop = min_u64(base + SHADOW_PAGE, shadow->size);
    uint64_t ended = p->offset + p->length;
    uint64_t first = ended > base ? 0 : (base - ended) / p->step + 1;
    uint64_t end = min_u64((stop - p->offset + p->step - 1) / p->step, p->count);
    bool from_start = first > 0 || ended <= base + p->step;
    bool to_end = end < p->count || p->offset + p->count * p->step >= stop;

    if (from_start && to_end && stop - base >= p->step &&
        touch_in_step(w, &shadow->page[page], p->offset + first * p->step, (uint32_t)p->length,
                      (uint32_t)p->step))
        return;
    for (uint64_t i = first; i < end; i++) {
        uint64_t at = p->offset + i * p->step, last = min_u64(at + p->length, stop);

        if (shadow->page[page] & SHADOW_FINER && w->memo && is_column(p)) {
            touch_column(w, pool_at(&w->pools->page, shadow->page[page]), base, p, at, end - i);
            return;
        }
        at = max_u64(at, base);
        touch_page(w, &shadow->page[page], base, (uint32_t)(at - base), (uint32_t)(last - base),
                   false);
    }
}

static void touch_pieces(const struct walk *w, struct shadow *shadow,
                         const struct effect_pieces *pieces, uint64_t end)
{
    if (pieces->step <= SHADOW_PERIOD)
        for (uint64_t page = pieces->offset / SHADOW_PAGE; page * SHADOW_PAGE < end; page++)
            touch_teeth(w, shadow, pieces, page);
    else
        for (uint64_t i = 0; i < pieces->count; i++) {
            uint64_t offset = pieces->offset + i * pieces->step;

            if (!shadow_step_extent(shadow, w->pools, offset, pieces->length, w->step, w->context))
                touch_piece(w, shadow, offset, pieces->length);
        }
}

/* A piece of a page that has cells, as most are: it leaves it so. */
static bool touch_within_page(const struct walk *w, struct shadow *shadow, uint64_t offset,
                              uint64_t length)
{
    uint32_t page = shadow->page[offset / SHADOW_PAGE];
    uint32_t first = (uint32_t)(offset % SHADOW_PAGE), end = first + (uint32_t)length;

    if (!(page & SHADOW_FINER) || length > SHADOW_PAGE / 2 || end > SHADOW_PAGE ||
        length == shadow->size)
        return false;
    cells_touch(w, pool_at(&w->pools->page, page), offset - first, first, end);
    return true;
}

/* The bytes of one piece, most often a word. */
static __attribute__((noinline)) void touch_one(struct shadow *shadow, struct shadow_pools *pools,
                                                uint64_t offset, uint64_t length,
                                                shadow_step *step, void *context)
{
    const struct walk w = {pools, step, context, NULL};

    if (!length || offset + length > shadow->size)
        return;
    open_pages(shadow);
    if (!touch_within_page(&w, shadow, offset, length))
        touch_piece(&w, shadow, offset, length);
}

void shadow_touch_any(struct shadow *shadow, struct shadow_pools *pools, uint64_t offset,
                      uint64_t length, shadow_step *step, void *context)
{
    uint32_t page;

    if (length == SHADOW_LANES && offset % SHADOW_LANES == 0 && shadow->page &&
        offset + length <= shadow->size) {
        page = shadow->page[offset / SHADOW_PAGE];
        if (page & SHADOW_FINER &&
            cell_step_word(pools,
                           &pool_at(&pools->page, page)[offset % SHADOW_PAGE / SHADOW_CELL], offset,
                           step, context))
            return;
    }
    touch_one(shadow, pools, offset, length, step, context);
}

static void touch_many(struct shadow *shadow, struct shadow_pools *pools,
                       const struct effect_pieces *pieces, uint64_t end, shadow_step *step,
                       void *context)
{
    struct cell_memo memo[CELL_MEMOS] = {{0}};
    const struct walk w = {pools, step, context, memo};

    touch_pieces(&w, shadow, pieces, end);
    for (uint32_t i = 0; i < CELL_MEMOS; i++) {
        if (!memo[i].end)
            continue;
        cell_drop(pools, memo[i].from);
        cell_drop(pools, memo[i].to);
    }
}

/* Memos of few pieces cost more than they save. */
static void touch_several(struct shadow *shadow, struct shadow_pools *pools,
                          const struct effect_pieces *pieces, shadow_step *step, void *context)
{
    uint64_t end = pieces->offset + (pieces->count - 1) * pieces->step + pieces->length;

    if (!pieces->length || end > shadow->size)
        return;
    open_pages(shadow);
    if (pieces->count > FEW_PIECES)
        touch_many(shadow, pools, pieces, end, step, context);
    else
        touch_pieces(&(struct walk){pools, step, context, NULL}, shadow, pieces, end);
}

void shadow_touch(struct shadow *shadow, struct shadow_pools *pools,
                  const struct effect_pieces *pieces, shadow_step *step, void *context)
{
    if (pieces->count == 1)
        shadow_touch_piece(shadow, pools, pieces->offset, pieces->length, step, context);
    else
        touch_several(shadow, pools, pieces, step, context);
}
