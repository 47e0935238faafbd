/* Whether flags are in balance, whatever way is taken.
 *
 * A token is in one of a few states: it is not there, it is there, it has been taken by a part that
 * gives it back, or it was set or taken for a slot whose number only a register held that has
 * another value by now.  Where ways meet it may be in any state that one of them brings; a loop is
 * gone through until nothing is new.  A flag is in balance if each of its marks finds its token in
 * the one state that it asks for, and the end finds none there.  Nothing is taken for granted of
 * where the marks stand; how they are reached is what emit.c makes of them. */
#include <stdlib.h>
#include <string.h>

#include "sync/order.h"

enum { GONE = 1, THERE = 2, TAKEN = 4, LOST = 8 };

struct balance {
    const struct order *order;
    uint8_t *now;      /* by sync: the states its token may be in */
    uint8_t *saved;    /* by branch and sync: what it arrives with; 0: it is not reached */
    bool *wrong;       /* by sync */
    bool reached, changed;
};

/* What a mark asks for, and leaves behind. */
static void pass_mark(struct balance *b, const struct mark *mark)
{
    const struct sync *sync = &b->order->sync[mark->sync];
    bool channel = sync->kind == SYNC_CHANNEL;
    unsigned wanted, left;

    switch (mark->kind) {
    case MARK_INIT:
        wanted = GONE, left = THERE;
        break;
    case MARK_DRAIN:
        wanted = THERE, left = GONE;
        break;
    case MARK_SET:
        wanted = channel ? TAKEN : GONE, left = THERE;
        break;
    case MARK_WAIT:
        wanted = THERE, left = channel ? TAKEN : GONE;
        break;
    default:
        return;
    }
    if (b->now[mark->sync] != wanted)
        b->wrong[mark->sync] = true;
    b->now[mark->sync] = (uint8_t)left;
}

/* Numbers of slots that registers of the text hold are others from here on. */
static void pass_insn(struct balance *b, uint32_t at)
{
    const struct order *o = b->order;

    if (!(o->traits[at] & TRAIT_KILLS))
        return;
    for (uint32_t c = 0; c < o->syncs; c++) {
        const struct sync *sync = &o->sync[c];
        unsigned held = sync->kind == SYNC_CHANNEL ? TAKEN : THERE;

        if (sync->slot && o->kills[at] >> sync->slot & 1 && !order_keeps_event(o, sync) &&
            b->now[c] & held)
            b->now[c] = (uint8_t)((b->now[c] & ~held) | LOST);
    }
}

static void arrive(struct balance *b, uint32_t at, uint32_t first, uint32_t mark)
{
    const struct order *o = b->order;

    for (uint32_t from = o->comes[at]; from != SYNC_NOWHERE; from = o->comes_next[from]) {
        const uint8_t *saved = b->saved + (size_t)o->branch[from] * o->syncs;

        if (!saved[0] || !order_comes_at(o, at, first, mark, from))
            continue;
        for (uint32_t c = 0; c < o->syncs; c++)
            b->now[c] = (uint8_t)(saved[c] | (b->reached ? b->now[c] : 0));
        b->reached = true;
    }
}

static void leave(struct balance *b, uint32_t at)
{
    const struct order *o = b->order;
    uint8_t *saved = b->saved + (size_t)o->branch[at] * o->syncs;

    if (!b->reached || memcmp(saved, b->now, o->syncs) == 0)
        return;
    memcpy(saved, b->now, o->syncs);
    b->changed = b->changed || o->target[at] <= at;
}

static void go_through(struct balance *b)
{
    const struct order *o = b->order;
    uint32_t mark = 0;

    memset(b->now, GONE, o->syncs);
    b->reached = true;
    for (uint32_t at = 0; at < o->core->code.insns; at++) {
        for (uint32_t first = mark;; mark++) {
            arrive(b, at, first, mark);
            if (mark == o->marks || o->mark[mark].at != at)
                break;
            if (b->reached)
                pass_mark(b, &o->mark[mark]);
        }
        if (b->reached)
            pass_insn(b, at);
        if (o->target[at] != SYNC_NOWHERE)
            leave(b, at);
        if (o->traits[at] & TRAIT_LEAVES) {
            for (uint32_t c = 0; b->reached && o->target[at] == SYNC_NOWHERE && c < o->syncs; c++)
                b->wrong[c] = b->wrong[c] || b->now[c] != GONE;
            b->reached = false;
        }
    }
}

bool balance_prove(struct order *o)
{
    uint32_t syncs = o->syncs;
    struct balance b = {.order = o,
                        .now = pto_xcalloc((size_t)syncs + 1, 1),
                        .saved = pto_xcalloc((size_t)o->branches * syncs + 1, 1),
                        .wrong = pto_xcalloc((size_t)syncs + 1, sizeof *b.wrong)};
    bool all = true;

    do {
        b.changed = false;
        if (syncs)
            go_through(&b);
    } while (b.changed);
    for (uint32_t c = 0; c < syncs; c++) {
        if (!b.wrong[c] || o->sync[c].off)
            continue;
        all = false;
        plan_give_up(o, c);
    }
    free(b.now);
    free(b.saved);
    free(b.wrong);
    return all;
}
