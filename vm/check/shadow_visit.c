/* The states that occur in a region: a run of equal ones is shown once. */
#include "check/shadow.h"

struct visitor {
    const struct shadow_pools *pools;
    void (*visit)(void *context, uint32_t state);
    void *context;
};

static void visit_numbers(const struct visitor *v, const uint32_t *state, uint32_t count)
{
    for (uint32_t i = 0; i < count; i = shadow_run(state, i, count))
        v->visit(v->context, state[i]);
}

/* Cells that share their bytes and follow each other are a run, too, and so are those of an extent
 * and their neighbours in the same state. */
static void visit_cells(const struct visitor *v, const uint32_t *cell)
{
    uint32_t last = 0;

    for (uint32_t c = 0; c < SHADOW_CELLS; c = shadow_run(cell, c, SHADOW_CELLS)) {
        uint32_t now = cell[c];

        if (extent_is(now))
            now = extent_at(v->pools, now)->state;
        if (c > 0 && now == last)
            continue;
        last = now;
        if (now & SHADOW_FINER)
            visit_numbers(v, pool_at(&v->pools->cell, now), SHADOW_CELL);
        else
            v->visit(v->context, now);
    }
}

void shadow_visit(const struct shadow *shadow, const struct shadow_pools *pools,
                  void (*visit)(void *context, uint32_t state), void *context)
{
    const struct visitor v = {pools, visit, context};

    for (uint64_t i = 0; shadow->page && i < shadow->pages; i++) {
        uint32_t page = shadow->page[i];

        if (page & SHADOW_COMB)
            visit_numbers(&v, comb_at(pools, page)->state, comb_units(comb_at(pools, page)));
        else if (page & SHADOW_FINER)
            visit_cells(&v, pool_at(&pools->page, page));
        else
            visit(context, page);
    }
}
