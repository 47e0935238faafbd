/* What holds without one more of the syncs.
 *
 * All is gone through once, and what is known is kept at every branch and every few instructions,
 * and of each mark the words of which a pipe learns something from it.  Without a sync, only these
 * words may be known less: they are gone through again from the steps where it stands, lowest
 * first, onward for as long as a step is come to with something else than before.  Nothing can be
 * known more, so that what is found is what going through all would find; mostly it is an
 * instruction close by that needs what is missing. */
#include <stdlib.h>
#include <string.h>

#include "sync/flow.h"

enum {
    LEAST_STEP = 32,        /* instructions */
    MOST_BYTES = 64 << 20   /* of what is kept at steps */
};

struct without {
    struct order *order;
    uint32_t *word;
    struct flow_part all;
    struct flow base;
    uint32_t step, steps;
    struct saved **at_step; /* what the step before comes with; NULL: it does not */
    bool *taken;            /* by step and sync */
    bool *off;              /* by sync */
    uint32_t *first, *next; /* marks of a sync; behind a mark, the next of its sync */
    /* Of the sync that is looked at. */
    struct flow_part part;
    uint32_t *part_word;
    uint64_t *dead;
    struct flow flow;
    struct state_cut cut;
    struct saved **part_at;
    bool *due, *walked;     /* by step */
    bool *gains;
};

static void find_marks(struct without *w)
{
    const struct order *o = w->order;

    w->first = pto_xmalloc(((size_t)o->syncs + 1) * sizeof *w->first);
    w->next = pto_xmalloc(((size_t)o->marks + 1) * sizeof *w->next);
    memset(w->first, 0xff, o->syncs * sizeof *w->first);
    for (uint32_t i = o->marks; i-- > 0;) {
        w->next[i] = w->first[o->mark[i].sync];
        w->first[o->mark[i].sync] = i;
    }
}

/* Steps are so long that what is kept at them has room. */
static void find_steps(struct without *w)
{
    const struct state *now = &w->base.now;
    uint32_t insns = w->order->core->code.insns;
    uint64_t bytes = (uint64_t)(PTO_PIPE_COUNT + now->most) * now->layers * now->words * 8;
    uint64_t step = bytes * insns / MOST_BYTES + 1;

    w->step = step < LEAST_STEP ? LEAST_STEP : step > insns ? insns : (uint32_t)step;
    w->steps = (insns + w->step - 1) / w->step;
    w->at_step = pto_xcalloc((size_t)w->steps + 1, sizeof *w->at_step);
    w->part_at = pto_xcalloc((size_t)w->steps + 1, sizeof *w->part_at);
    w->due = pto_xcalloc((size_t)w->steps + 1, sizeof *w->due);
    w->walked = pto_xcalloc((size_t)w->steps + 1, sizeof *w->walked);
    w->taken = pto_xcalloc((size_t)w->steps * w->order->syncs + 1, sizeof *w->taken);
}

static uint32_t end_of(const struct without *w, uint32_t step)
{
    uint32_t from = step * w->step, insns = w->order->core->code.insns;

    return insns - from < w->step ? insns : from + w->step;
}

/* Nothing is news any more: once more, to keep it. */
static void keep_steps(struct without *w)
{
    const struct order *o = w->order;

    w->gains = pto_xcalloc((size_t)o->marks * w->all.words + 1, sizeof *w->gains);
    w->base.gains = pto_xcalloc((size_t)o->marks * w->all.words + 1, sizeof *w->gains);
    flow_start(&w->base);
    for (uint32_t i = 0; i < w->steps; i++) {
        if (w->base.reached)
            state_save(&w->base.now, &w->at_step[i]);
        memcpy(w->taken + (size_t)i * o->syncs, w->base.taken, o->syncs * sizeof *w->taken);
        flow_walk(&w->base, i * w->step, end_of(w, i));
    }
}

struct without *without_begin(struct order *o)
{
    struct without *w = pto_xcalloc(1, sizeof *w);

    w->order = o;
    w->word = flow_all(o, &w->all);
    w->part_word = pto_xcalloc((size_t)w->all.words + 1, sizeof *w->part_word);
    w->dead = pto_xcalloc((size_t)w->all.words + 1, sizeof *w->dead);
    w->off = pto_xcalloc((size_t)o->syncs + 1, sizeof *w->off);
    for (uint32_t c = 0; c < o->syncs; c++)
        w->off[c] = o->sync[c].off;
    find_marks(w);
    w->base = (struct flow){.order = o, .part = &w->all, .one = true};
    flow_begin_part(&w->base);
    flow_settle(&w->base);
    if (w->base.failed) {
        without_end(w);
        return NULL;
    }
    find_steps(w);
    keep_steps(w);
    return w;
}

void without_end(struct without *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->steps; i++)
        free(w->at_step[i]);
    flow_end_part(&w->base);
    free(w->base.gains);
    free(w->at_step);
    free(w->part_at);
    free(w->due);
    free(w->walked);
    free(w->taken);
    free(w->off);
    free(w->first);
    free(w->next);
    free(w->word);
    free(w->part_word);
    free(w->dead);
    free(w->gains);
    free(w);
}

struct saved *without_branch(const struct without *w, uint32_t branch)
{
    return w->base.saved[branch] ? state_cut(&w->cut, w->base.saved[branch]) : NULL;
}

/* Bits of waits that are not there any more: nobody asks for them. */
static uint64_t dead_bits(const struct without *w, uint32_t word)
{
    const struct order *o = w->order;
    uint32_t first = 64 * (word - o->words);
    uint64_t bits = 0;

    for (uint32_t c = first; word >= o->words && c < first + 64 && c < o->syncs; c++)
        bits |= (uint64_t)w->off[c] << (c % 64);
    return bits;
}

/* The words of which the sync tells something, and the steps where it stands. */
static void find_part(struct without *w, uint32_t sync)
{
    w->part = (struct flow_part){.word = w->part_word};
    for (uint32_t i = 0; i < w->all.words; i++) {
        bool gains = false;

        for (uint32_t m = w->first[sync]; m != SYNC_NOWHERE && !gains; m = w->next[m])
            gains = w->base.gains[(size_t)m * w->all.words + i];
        if (!gains)
            continue;
        w->dead[w->part.words] = dead_bits(w, i);
        w->part_word[w->part.words++] = i;
    }
    for (uint32_t m = w->first[sync]; m != SYNC_NOWHERE; m = w->next[m])
        w->due[w->order->mark[m].at / w->step] = true;
}

/* What step `step` is come to with. */
static struct saved **part_at(struct without *w, uint32_t step)
{
    if (!w->part_at[step] && w->at_step[step])
        w->part_at[step] = state_cut(&w->cut, w->at_step[step]);
    return &w->part_at[step];
}

/* What was found of a step is found again. */
static void forget_gains(struct without *w, uint32_t step)
{
    uint32_t first = order_first_mark(w->order, step * w->step);
    uint32_t last = order_first_mark(w->order, end_of(w, step));

    memset(w->gains + (size_t)first * w->part.words, 0, (size_t)(last - first) * w->part.words);
}

static void walk_part(struct without *w, uint32_t step)
{
    struct flow *f = &w->flow;
    struct saved *saved = *part_at(w, step);
    uint32_t syncs = w->order->syncs;

    w->due[step] = false;
    w->walked[step] = true;
    f->reached = saved != NULL;
    if (saved)
        state_restore(&f->now, saved);
    else
        f->now.lives = 0;
    memcpy(f->taken, w->taken + (size_t)step * syncs, syncs * sizeof *f->taken);
    forget_gains(w, step);
    flow_walk(f, step * w->step, end_of(w, step));
    if (step + 1 < w->steps && f->reached && state_save(&f->now, part_at(w, step + 1)))
        w->due[step + 1] = true;
}

/* A step that branches come back to is walked again before those behind it. */
static void walk_all(struct without *w)
{
    for (uint32_t i = 0; i < w->steps && !w->flow.failed;) {
        uint32_t behind = i + 1;

        if (w->due[i]) {
            walk_part(w, i);
            i = 0;
        }
        while (i < behind && !w->due[i])
            i++;
    }
}

/* The part as it has been found becomes that of all. */
static void keep_part(struct without *w)
{
    const struct order *o = w->order;

    for (uint32_t i = 0; i < w->steps; i++)
        if (w->part_at[i])
            state_paste(&w->cut, w->at_step[i], w->part_at[i]);
    for (uint32_t b = 0; b < o->branches; b++)
        if (w->flow.saved[b])
            state_paste(&w->cut, w->base.saved[b], w->flow.saved[b]);
    for (uint32_t m = 0; m < o->marks; m++)
        for (uint32_t i = 0; i < w->part.words && w->walked[o->mark[m].at / w->step]; i++)
            w->base.gains[(size_t)m * w->all.words + w->part_word[i]] =
                w->gains[(size_t)m * w->part.words + i];
}

static void forget_part(struct without *w)
{
    for (uint32_t i = 0; i < w->steps; i++) {
        free(w->part_at[i]);
        w->part_at[i] = NULL;
        w->due[i] = w->walked[i] = false;
    }
}

bool without_holds(struct without *w, uint32_t sync)
{
    w->off[sync] = true;
    find_part(w, sync);
    if (w->part.words) {
        w->flow = (struct flow){.order = w->order, .part = &w->part, .one = true,
                                .gains = w->gains, .without = w, .due = w->due, .step = w->step};
        w->cut = (struct state_cut){&w->base.now, &w->flow.now, w->part_word, w->dead, w->off};
        flow_begin_part(&w->flow);
        walk_all(w);
        if (w->flow.failed)
            w->off[sync] = false;
        else
            keep_part(w);
        flow_end_part(&w->flow);
    }
    forget_part(w);
    return w->off[sync];
}
