/* What flags, barriers and the beginnings of instructions do to what pipes know. */
#include <string.h>

#include "sync/flow.h"
#include "sync/line.h"

static void learn(const struct flow *f, uint64_t *to, uint32_t word, uint64_t bits)
{
    if (!(bits & ~to[word]))
        return;
    to[word] |= bits;
    if (f->gain)
        f->gain[word] = true;
}

static void unite(const struct flow *f, uint64_t *to, const uint64_t *with)
{
    for (uint32_t i = 0; i < f->words; i++)
        learn(f, to, i, with[i]);
}

/* The same without stores of S. */
static void unite_issued(const struct flow *f, uint64_t *to, const uint64_t *with)
{
    for (uint32_t i = 0; i < f->words; i++)
        learn(f, to, i, with[i] & ~f->stores[i]);
}

void flow_need(struct flow *f, struct need need)
{
    struct order *o = f->order;

    if (f->clash)
        return;
    f->failed = true;
    if (f->one)
        return;
    PTO_GROW(o->need, o->needs, o->need_room);
    o->need[o->needs++] = need;
}

/* An instance of `bit` is under way.  `keys`: expressions that choose its slots. */
void flow_begin(struct flow *f, uint32_t bit, unsigned keys)
{
    const struct order *o = f->order;
    uint32_t place = f->place[bit / 64];
    uint64_t others = ~(UINT64_C(1) << (bit % 64));

    if (place == SYNC_NOWHERE)
        return;
    for (unsigned n = 0; n < f->now.layers; n++) {
        if (o->slots.slot[n].kind == SLOT_BEFORE)
            continue;
        for (unsigned q = 0; q < PTO_PIPE_COUNT; q++)
            flow_known(f, q, n)[place] &= others;
        for (uint32_t i = 0; i < f->now.lives; i++) {
            uint32_t c = f->now.live[i];

            if (!(n && f->taken[c] && o->sync[c].slot == n && keys >> n & 1))
                flow_token(f, c, n)[place] &= others;
        }
    }
}

/* A layer of sets when its expression has another value: what holds for all values, and of a
 * register that grows what was before it did. */
static void renew(const struct flow *f, uint64_t *sets, unsigned n)
{
    uint64_t *set = sets + (size_t)n * f->words;

    memcpy(set, sets, f->words * sizeof *set);
    for (uint32_t i = 0; f->order->slots.slot[n].kind == SLOT_PLACE && i < f->words; i++)
        set[i] |= set[f->words + i];
}

void flow_forget_slot(struct flow *f, unsigned n)
{
    for (unsigned q = 0; q < PTO_PIPE_COUNT; q++)
        renew(f, flow_known(f, q, 0), n);
    for (uint32_t i = 0; i < f->now.lives; i++) {
        const struct sync *sync = &f->order->sync[f->now.live[i]];

        if (sync->kind != SYNC_CHANNEL || sync->slot != n)
            renew(f, flow_token(f, f->now.live[i], 0), n);
    }
}

/* May the sync set its event here: is the wait of `other`, which may have the same one, over? */
static bool is_free(const struct flow *f, uint32_t sync, uint32_t other)
{
    const struct sync *a = &f->order->sync[sync], *b = &f->order->sync[other];
    unsigned layer = a->slot == b->slot ? a->slot : 0;

    return flow_has(f, flow_known(f, a->from, layer), flow_wait_bit(f->order, other));
}

static void add_clash(struct flow *f, uint32_t a, uint32_t b)
{
    if (a == b)
        return;
    f->clash[(size_t)a * f->order->syncs + b] = true;
    f->clash[(size_t)b * f->order->syncs + a] = true;
}

/* With whom that has the same pipes it cannot share: those whose waits are not known to be over,
 * and those whose tokens are there. */
static void compare_events(struct flow *f, uint32_t sync)
{
    const struct order *o = f->order;
    const struct sync *a = &o->sync[sync];
    const uint64_t *waits = f->all[a->to], *own = f->alike[a->from];
    const uint64_t *known = flow_known(f, a->from, 0);

    for (uint32_t w = o->words; w < f->words; w++) {
        uint64_t left = waits[w] & own[w] & (a->slot ? UINT64_MAX : ~known[w]);

        for (; left; left &= left - 1) {
            uint32_t c = 64 * (w - o->words) + (uint32_t)__builtin_ctzll(left);

            if (!is_free(f, sync, c))
                add_clash(f, sync, c);
        }
    }
    for (uint32_t i = 0; i < f->now.lives; i++) {
        const struct sync *other = &o->sync[f->now.live[i]];

        if (other->from == a->from && other->to == a->to)
            add_clash(f, sync, f->now.live[i]);
    }
}

static void set_token(struct flow *f, uint32_t at, const struct mark *mark)
{
    const struct sync *sync = &f->order->sync[mark->sync];
    bool others = sync->kind == SYNC_CHANNEL && sync->slot && mark->kind == MARK_SET;

    if (mark->kind == MARK_SET && !is_free(f, mark->sync, mark->sync)) {
        flow_need(f, (struct need){.event = true, .from = mark->sync, .to = at});
        flow_add(f, flow_known(f, sync->from, 0), flow_wait_bit(f->order, mark->sync));
    }
    if (f->clash)
        compare_events(f, mark->sync);
    for (unsigned n = 0; n < f->now.layers; n++) {
        const uint64_t *from = flow_known(f, sync->from, n), *all = f->all[sync->from];
        uint64_t *to = flow_token(f, mark->sync, n);

        for (uint32_t i = 0; i < f->words; i++)
            to[i] = (from[i] | all[i]) & (others ? to[i] : UINT64_MAX);
    }
    f->taken[mark->sync] = false;
    state_add_live(&f->now, mark->sync);
}

/* S issues everything: what it waited for is known to all. */
static void tell_all(struct flow *f)
{
    for (unsigned q = 0; q < PTO_PIPE_COUNT; q++)
        for (unsigned n = 0; q != PTO_PIPE_S && n < f->now.layers; n++)
            unite_issued(f, flow_known(f, q, n), flow_known(f, PTO_PIPE_S, n));
}

/* Flags of S tell from here on of what instruction `at` has written back, SYNC_NOWHERE: of all. */
void flow_write_back(struct flow *f, uint32_t at)
{
    const struct order *o = f->order;

    for (uint32_t w = 0; w < f->insn_words; w++)
        for (uint64_t left = f->far[w]; left; left &= left - 1) {
            uint32_t i = 64 * f->part->word[w] + (uint32_t)__builtin_ctzll(left);

            if (at == SYNC_NOWHERE || line_is_back(o, o->at[i], at))
                for (unsigned n = 0; n < f->now.layers; n++)
                    learn(f, flow_known(f, PTO_PIPE_S, n), w, left & -left);
        }
}

/* dsb: all know the stores that S knows. */
void flow_publish(struct flow *f)
{
    for (unsigned q = 0; q < PTO_PIPE_COUNT; q++)
        for (unsigned n = 0; q != PTO_PIPE_S && n < f->now.layers; n++)
            unite(f, flow_known(f, q, n), flow_known(f, PTO_PIPE_S, n));
}

/* The token is not there any more.  Of a channel by slots those of the other slots are. */
static void drop_token(struct flow *f, const struct mark *mark)
{
    const struct sync *sync = &f->order->sync[mark->sync];

    if (mark->kind != MARK_DRAIN)
        f->taken[mark->sync] = true;
    if (sync->kind != SYNC_CHANNEL || !sync->slot || mark->kind == MARK_DRAIN)
        state_drop_live(&f->now, mark->sync);
}

static void take_token(struct flow *f, const struct mark *mark)
{
    const struct sync *sync = &f->order->sync[mark->sync];
    unsigned keys = sync->slot ? 1u << sync->slot : 0;
    uint32_t wait = flow_wait_bit(f->order, mark->sync);

    for (unsigned n = 0; n < f->now.layers; n++) {
        if (mark->kind == MARK_DRAIN)
            unite(f, flow_known(f, sync->to, n), flow_token(f, mark->sync, sync->slot));
        unite(f, flow_known(f, sync->to, n), flow_token(f, mark->sync, n));
    }
    drop_token(f, mark);
    flow_begin(f, wait, keys);
    if (sync->to != PTO_PIPE_S)
        return;
    flow_add(f, flow_known(f, PTO_PIPE_S, 0), wait);
    for (unsigned n = 0; n < f->now.layers; n++)
        unite(f, flow_known(f, PTO_PIPE_S, n), flow_known(f, PTO_PIPE_S, 0));
    tell_all(f);
}

void flow_pass_barrier(struct flow *f, unsigned pipe)
{
    for (unsigned n = 0; n < f->now.layers; n++) {
        if (pipe != PTO_PIPE_ALL) {
            unite(f, flow_known(f, pipe, n), f->all[pipe]);
            continue;
        }
        for (unsigned q = 0; q < PTO_PIPE_COUNT; q++)
            for (uint32_t i = 0; i < f->words; i++)
                learn(f, flow_known(f, q, n), i, ~f->stores[i]);
        for (uint32_t c = 0; c < f->now.lives; c++)
            for (uint32_t i = 0; i < f->words; i++)
                learn(f, flow_token(f, f->now.live[c], n), i, ~f->stores[i]);
    }
}

/* Stores of S are written back and published. */
void flow_pass_fence(struct flow *f)
{
    flow_write_back(f, SYNC_NOWHERE);
    flow_publish(f);
}

void flow_pass_mark(struct flow *f, uint32_t at)
{
    const struct mark *mark = &f->order->mark[at];
    const struct sync *sync = &f->order->sync[mark->sync];

    if (sync->off)
        return;
    if (f->gains)
        f->gain = f->gains + (size_t)at * f->words;
    if (mark->kind == MARK_SET || mark->kind == MARK_INIT)
        set_token(f, at, mark);
    else if (mark->kind != MARK_BARRIER)
        take_token(f, mark);
    else if (sync->to == PTO_PIPE_S)
        flow_pass_fence(f);
    else
        flow_pass_barrier(f, sync->to);
    f->gain = NULL;
}
