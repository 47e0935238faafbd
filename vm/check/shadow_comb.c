/* Pages whose states repeat with the stride of the windows that touch them. */
#include <stdlib.h>

#include "arena.h"
#include "check/shadow.h"

uint32_t comb_shift(uint32_t period, uint64_t offset, uint32_t length)
{
    return (uint32_t)__builtin_ctzll(period | offset | length | SHADOW_CELL);
}

static struct shadow_comb *make(uint32_t period, uint32_t shift)
{
    struct shadow_comb *comb =
        pto_xmalloc(sizeof *comb + (period >> shift) * sizeof *comb->state);

    comb->period = period;
    comb->shift = shift;
    return comb;
}

uint32_t comb_take(struct shadow_pools *pools, uint32_t period, uint32_t shift, uint32_t state)
{
    struct shadow_comb *comb = make(period, shift);
    uint32_t id;

    shadow_fill(comb->state, 0, comb_units(comb), state);
    if (pools->spare_combs) {
        id = pools->spare_comb[--pools->spare_combs];
    } else {
        PTO_GROW(pools->comb, pools->combs, pools->comb_capacity);
        id = pools->combs++;
    }
    pools->comb[id] = comb;
    return id | SHADOW_COMB;
}

void comb_refine(struct shadow_pools *pools, uint32_t id, uint32_t shift)
{
    struct shadow_comb *old = comb_at(pools, id), *comb;

    if (old->shift <= shift)
        return;
    comb = make(old->period, shift);
    for (uint32_t i = 0; i < comb_units(comb); i++)
        comb->state[i] = old->state[i >> (old->shift - shift)];
    pools->comb[id & ~SHADOW_COMB] = comb;
    free(old);
}

void comb_give(struct shadow_pools *pools, uint32_t id)
{
    id &= ~SHADOW_COMB;
    free(pools->comb[id]);
    pools->comb[id] = NULL;
    PTO_GROW(pools->spare_comb, pools->spare_combs, pools->spare_comb_capacity);
    pools->spare_comb[pools->spare_combs++] = id;
}

void combs_free(struct shadow_pools *pools)
{
    for (uint32_t i = 0; i < pools->combs; i++)
        free(pools->comb[i]);
    free(pools->comb);
    free(pools->spare_comb);
}

/* Bytes first..end (exclusive) of the period; `offset`: that of the first in the region. */
static void step_part(struct shadow_comb *comb, uint32_t first, uint32_t end, uint64_t offset,
                      shadow_step *step, void *context)
{
    const uint32_t shift = comb->shift, begin = first >> shift, stop = end >> shift;

    for (uint32_t at = begin; at < stop;) {
        uint32_t last = shadow_run(comb->state, at, stop);

        shadow_fill(comb->state, at, last,
                    step(context, comb->state[at], offset + ((uint64_t)(at - begin) << shift),
                         (uint64_t)(last - at) << shift));
        at = last;
    }
}

void comb_step(struct shadow_comb *comb, uint64_t offset, uint32_t length, shadow_step *step,
               void *context)
{
    uint32_t first = (uint32_t)(offset % comb->period), end = first + length;

    if (end <= comb->period) {
        step_part(comb, first, end, offset, step, context);
        return;
    }
    step_part(comb, first, comb->period, offset, step, context);
    step_part(comb, 0, end - comb->period, offset + (comb->period - first), step, context);
}

bool comb_is_uniform(const struct shadow_comb *comb)
{
    return shadow_run(comb->state, 0, comb_units(comb)) == comb_units(comb);
}

void comb_copy_cells(const struct shadow_comb *comb, uint64_t base, uint32_t *cell)
{
    const uint32_t units = comb_units(comb);
    uint32_t at = (uint32_t)(base % comb->period) / SHADOW_CELL;

    for (uint32_t c = 0; c < SHADOW_CELLS; c++) {
        cell[c] = comb->state[at];
        at = at + 1 < units ? at + 1 : 0;
    }
}

void comb_copy(const struct shadow_comb *comb, uint64_t offset, uint32_t count, uint32_t *state)
{
    uint32_t at = (uint32_t)(offset % comb->period);

    for (uint32_t i = 0; i < count; i++) {
        state[i] = comb->state[at >> comb->shift];
        at = at + 1 < comb->period ? at + 1 : 0;
    }
}
