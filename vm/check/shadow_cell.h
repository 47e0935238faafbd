/* Pages with cells, private to the shadow memory (shadow.c): a state for every 32 bytes, or one for
 * every byte of them, or for several cells at once.
 *
 * Cells that one access has brought into one state are an extent: each of them has its number, and
 * the extent has their state.  The same bytes again, as those of a tile mostly are, cost a look at
 * the first cell.  Who touches a part of an extent, or more, makes plain cells of it before. */
#ifndef PTO_CHECK_SHADOW_CELL_H
#define PTO_CHECK_SHADOW_CELL_H

#include "check/shadow_form.h"

/* An array of `width` numbers that is filled with `value`; returns its number with SHADOW_FINER. */
uint32_t pool_take(struct shadow_pool *pool, uint32_t width, uint32_t value);
void pool_give(struct shadow_pool *pool, uint32_t id);

/* What an access has made of a cell: it makes the same of all cells that are alike. */
struct cell_memo {
    uint32_t from, to, first, end; /* end 0: nothing yet */
};
enum { CELL_MEMOS = 8 };

struct walk {
    struct shadow_pools *pools;
    shadow_step *step;
    void *context;
    struct cell_memo *memo; /* CELL_MEMOS, of pieces; NULL: there is only one */
};

/* A cell whose bytes are all in `state`, but have a number each: its number. */
uint32_t cell_new_bytes(struct shadow_pools *pools, uint32_t state);
/* One more, or less, refers to the bytes of a cell; nothing happens if they have no numbers. */
static inline void cell_hold(struct shadow_pools *pools, uint32_t cell)
{
    if (cell & SHADOW_FINER)
        pool_at(&pools->cell, cell)[SHADOW_CELL]++;
}
static inline void cell_drop(struct shadow_pools *pools, uint32_t cell)
{
    if (cell & SHADOW_FINER && --pool_at(&pools->cell, cell)[SHADOW_CELL] == 0)
        pool_give(&pools->cell, cell);
}
/* All cells of a page are given back. */
void cells_release(struct shadow_pools *pools, uint32_t *cell);
/* An extent that begins at `offset` of the region goes on in the next page, if what begins there is
 * one of the same state; `here`, `there`: arrays of cells of the two pages. */
void extent_join(struct shadow_pools *pools, uint32_t here, uint32_t there, uint64_t offset);

/* Bytes first..end (exclusive) of the cell at byte `base` of the region, one of several pieces; of
 * the page there. */
void cell_touch_alike(const struct walk *w, uint32_t *cell, uint64_t base, uint32_t first,
                      uint32_t end);
void cells_touch(const struct walk *w, uint32_t *cell, uint64_t base, uint32_t first,
                 uint32_t end);

/* The word at `offset` of the region, as S takes it and pipes put sums and peaks of rows: the same.
 * False: its cell is shared, or in one state. */
bool cell_step_word(struct shadow_pools *pools, uint32_t *cell, uint64_t offset, shadow_step *step,
                    void *context);

#endif
