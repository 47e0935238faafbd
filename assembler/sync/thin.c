/* Flags and barriers that the rest makes unnecessary. */
#include "sync/order.h"

static bool is_costly(const struct sync *sync)
{
    return sync->kind == SYNC_BARRIER &&
           (sync->to == PTO_PIPE_ALL || sync->to == PTO_PIPE_S);
}

/* The costliest first, barriers of one pipe last. */
static void leave_out(struct order *o, struct without *without, uint32_t first)
{
    for (unsigned turn = 0; turn < 3; turn++)
        for (uint32_t c = first; c < o->syncs; c++) {
            struct sync *sync = &o->sync[c];
            unsigned when = is_costly(sync) ? 0 : sync->kind == SYNC_BARRIER ? 2 : 1;

            if (when != turn || sync->off || sync->fixed)
                continue;
            sync->off = true;
            sync->off = without_holds(without, c);
        }
}

void thin_out(struct order *o, uint32_t first)
{
    struct without *without = without_begin(o);

    if (without)
        leave_out(o, without, first);
    without_end(without);
    order_forget_off(o);
}
