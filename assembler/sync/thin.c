/* Flags and barriers that the rest makes unnecessary.
 *
 * What a sync tells is found for all of them in one go.  One that tells nothing new is left out;
 * for each other one only the bits that it tells something of are gone through again without it,
 * from where the first of them begins to count. */
#include <stdlib.h>
#include <string.h>

#include "sync/order.h"

struct thin {
    struct order *order;
    uint32_t words;   /* of a set */
    uint32_t *starts; /* by word: where its bits begin to count */
    bool *gains;      /* by sync and word */
    bool *found;      /* the same of a part */
    uint32_t *word;   /* of the part */
};

static bool is_costly(const struct sync *sync)
{
    return sync->kind == SYNC_BARRIER &&
           (sync->to == PTO_PIPE_ALL || sync->to == PTO_PIPE_S);
}

/* Bit `bit` counts from the item of the outermost block that holds this. */
static void count_from(struct thin *t, uint32_t bit, uint32_t block, uint32_t at)
{
    const struct blocks *blocks = &t->order->blocks;
    uint32_t first = blocks->block[0].opaque ? 0 : blocks_item(blocks, 0, block, at).first;

    if (first < t->starts[bit / 64])
        t->starts[bit / 64] = first;
}

static void find_starts(struct thin *t)
{
    const struct order *o = t->order;

    memset(t->starts, 0xff, t->words * sizeof *t->starts);
    for (uint32_t i = 0; i < o->bits; i++)
        count_from(t, i, o->blocks.of[o->at[i]], o->at[i]);
    for (uint32_t i = 0; i < o->marks; i++)
        count_from(t, flow_wait_bit(o, o->mark[i].sync), o->mark[i].block, o->mark[i].at);
}

/* The words of which the sync tells something. */
static struct flow_part part_of(const struct thin *t, uint32_t sync)
{
    struct flow_part part = {.word = t->word, .start = SYNC_NOWHERE};

    for (uint32_t w = 0; w < t->words; w++) {
        if (!t->gains[(size_t)sync * t->words + w])
            continue;
        t->word[part.words++] = w;
        if (t->starts[w] < part.start)
            part.start = t->starts[w];
    }
    return part;
}

static void keep_gains(struct thin *t, const struct flow_part *part)
{
    for (uint32_t c = 0; c < t->order->syncs; c++)
        for (uint32_t w = 0; w < part->words; w++)
            t->gains[(size_t)c * t->words + part->word[w]] =
                t->found[(size_t)c * part->words + w];
}

static bool holds_without(struct thin *t, uint32_t sync)
{
    struct flow_part part = part_of(t, sync);

    if (!part.words)
        return true;
    if (!flow_holds(t->order, &part, t->found))
        return false;
    keep_gains(t, &part);
    return true;
}

/* False: something is not ordered as it is. */
static bool find_gains(struct thin *t)
{
    struct flow_part all = {.word = t->word, .words = t->words};

    for (uint32_t w = 0; w < t->words; w++)
        t->word[w] = w;
    return flow_holds(t->order, &all, t->gains);
}

/* The costliest first, barriers of one pipe last. */
static void leave_out(struct thin *t, uint32_t first)
{
    for (unsigned turn = 0; turn < 3; turn++)
        for (uint32_t c = first; c < t->order->syncs; c++) {
            struct sync *sync = &t->order->sync[c];
            unsigned when = is_costly(sync) ? 0 : sync->kind == SYNC_BARRIER ? 2 : 1;

            if (when != turn || sync->off || sync->fixed)
                continue;
            sync->off = true;
            sync->off = holds_without(t, c);
        }
}

void thin_out(struct order *o, uint32_t first)
{
    uint32_t words = flow_words(o);
    size_t size = (size_t)o->syncs * words + 1;
    struct thin t = {.order = o,
                     .words = words,
                     .starts = pto_xcalloc((size_t)words + 1, sizeof *t.starts),
                     .gains = pto_xcalloc(size, sizeof *t.gains),
                     .found = pto_xcalloc(size, sizeof *t.found),
                     .word = pto_xcalloc((size_t)words + 1, sizeof *t.word)};

    find_starts(&t);
    if (find_gains(&t))
        leave_out(&t, first);
    free(t.starts);
    free(t.gains);
    free(t.found);
    free(t.word);
    order_forget_off(o);
}
