/* Which events the flags have. */
#include <stdlib.h>

#include "sync/order.h"

static uint32_t count_of(const struct order *o, const struct sync *sync)
{
    return sync->slot ? o->slots.slot[sync->slot].count : 1;
}

/* May the sync have the event when `other` has its own? */
static bool fits(const struct order *o, const bool *clash, uint32_t sync, unsigned event,
                 uint32_t other)
{
    const struct sync *a = &o->sync[sync], *b = &o->sync[other];

    if (a->from != b->from || a->to != b->to || event >= b->event + count_of(o, b) ||
        b->event >= event + count_of(o, a))
        return true;
    return !clash[(size_t)sync * o->syncs + other] &&
           (a->slot != b->slot || !a->slot || event == b->event);
}

static bool find_event(struct order *o, const bool *clash, const bool *done, uint32_t sync)
{
    unsigned count = count_of(o, &o->sync[sync]);

    for (unsigned event = 0; event + count <= o->profile->events; event++) {
        bool free = true;

        for (uint32_t c = 0; c < o->syncs && free; c++)
            free = !done[c] || fits(o, clash, sync, event, c);
        if (!free)
            continue;
        o->sync[sync].event = (uint8_t)event;
        return true;
    }
    return false;
}

/* Those with an event for each slot come first: from event 0 on the slot's register serves. */
bool events_assign(struct order *o)
{
    bool *clash = pto_xcalloc((size_t)o->syncs * o->syncs + 1, sizeof *clash);
    bool *done = pto_xcalloc((size_t)o->syncs + 1, sizeof *done), all = true;

    flow_check(o, clash);
    for (unsigned slots = 2; slots-- > 0;)
        for (uint32_t c = 0; c < o->syncs; c++) {
            const struct sync *sync = &o->sync[c];

            if (sync->off || sync->kind == SYNC_BARRIER || (sync->slot != 0) != (slots != 0))
                continue;
            done[c] = find_event(o, clash, done, c);
            all = all && done[c];
        }
    for (uint32_t c = 0, syncs = o->syncs; c < syncs; c++)
        if (!done[c] && !o->sync[c].off && o->sync[c].kind != SYNC_BARRIER && !plan_closer(o, c))
            plan_give_up(o, c);
    free(clash);
    free(done);
    return all;
}
