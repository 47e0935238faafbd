/* What every pipe knows to be complete, along the program.
 *
 * The state is sets of bits, one for each instruction that a pipe carries out and one for the waits
 * of each sync.  known[q][0] holds i: all instances of i issued so far are complete before what q
 * is given next.  known[q][n]: all those for which expression n had the value that it has now.
 * token[c][..] the same for whoever takes the token of c; of a channel by slots, layer n of its own
 * expression holds for every slot, of the instances with this slot.  Of a register that windows
 * move with, layer n holds i as well if its instances had other values since the register began to
 * grow, as layer n + 1 has those of before.  Where ways meet, what both
 * know is known; a loop is gone through until nothing changes.
 *
 * S's own stores are complete for S at once, but issue does not tell pipes of them: flags of S and
 * dsb do, of those to global memory only what dcci has written back.  S `knows` a store if flags
 * may tell of it. */
#include <stdlib.h>
#include <string.h>

#include "sync/line.h"

enum { PIPES = PTO_PIPE_COUNT, NOWHERE = UINT32_MAX };

struct flow {
    struct order *order;
    unsigned layers;
    uint32_t words, sure, size; /* of a set; of what is met by AND; of the state */
    uint64_t *now, **saved;     /* saved: by branch, what it arrives with */
    uint64_t *all[PIPES];       /* what each pipe carries out, its waits included */
    uint64_t *stores, *far;     /* of S; of these, to global memory */
    bool *taken;                /* by sync: between wait and set */
    bool reached, changed, one, *clash; /* one: the first need is enough */
};

static uint64_t *known(const struct flow *f, unsigned pipe, unsigned layer)
{
    return f->now + ((size_t)pipe * f->layers + layer) * f->words;
}

static uint64_t *token(const struct flow *f, uint32_t sync, unsigned layer)
{
    return f->now + (((size_t)PIPES + sync) * f->layers + layer) * f->words;
}

/* Syncs whose token may be there. */
static uint64_t *pending(const struct flow *f)
{
    return f->now + f->sure;
}

static bool has(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

static void add(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static void take_out(uint64_t *set, uint32_t bit)
{
    set[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

static void unite(const struct flow *f, uint64_t *to, const uint64_t *with)
{
    for (uint32_t i = 0; i < f->words; i++)
        to[i] |= with[i];
}

/* The same without stores of S. */
static void unite_issued(const struct flow *f, uint64_t *to, const uint64_t *with)
{
    for (uint32_t i = 0; i < f->words; i++)
        to[i] |= with[i] & ~f->stores[i];
}

static uint32_t wait_bit(const struct flow *f, uint32_t sync)
{
    return f->order->bits + sync;
}

static void set_needed(struct flow *f, struct need need)
{
    struct order *o = f->order;

    if (f->clash)
        return;
    PTO_GROW(o->need, o->needs, o->need_room);
    o->need[o->needs++] = need;
}

/* An instance of `bit` is under way.  `keys`: expressions that choose its slots. */
static void begin(struct flow *f, uint32_t bit, unsigned keys)
{
    const struct order *o = f->order;

    for (unsigned n = 0; n < f->layers; n++) {
        if (o->slots.slot[n].kind == SLOT_BEFORE)
            continue;
        for (unsigned q = 0; q < PIPES; q++)
            take_out(known(f, q, n), bit);
        for (uint32_t c = 0; c < o->syncs; c++)
            if (!(n && f->taken[c] && o->sync[c].slot == n && keys >> n & 1))
                take_out(token(f, c, n), bit);
    }
}

/* A set of a layer when its expression has another value: what holds for all values, and of a
 * register that grows what was before it did. */
static void renew(const struct flow *f, uint64_t *set, const uint64_t *always,
                  const uint64_t *before, unsigned n)
{
    memcpy(set, always, f->words * sizeof *set);
    if (f->order->slots.slot[n].kind == SLOT_PLACE)
        unite(f, set, before);
}

static void forget_slot(struct flow *f, unsigned n)
{
    const struct order *o = f->order;

    for (unsigned q = 0; q < PIPES; q++)
        renew(f, known(f, q, n), known(f, q, 0), known(f, q, n + 1), n);
    for (uint32_t c = 0; c < o->syncs; c++)
        if (o->sync[c].kind != SYNC_CHANNEL || o->sync[c].slot != n)
            renew(f, token(f, c, n), token(f, c, 0), token(f, c, n + 1), n);
}

/* May the sync set its event here: is the wait of `other`, which may have the same one, over? */
static bool is_free(const struct flow *f, uint32_t sync, uint32_t other)
{
    const struct sync *a = &f->order->sync[sync], *b = &f->order->sync[other];
    unsigned layer = a->slot == b->slot ? a->slot : 0;

    return has(known(f, a->from, layer), wait_bit(f, other));
}

static void compare_events(struct flow *f, uint32_t sync)
{
    const struct order *o = f->order;

    for (uint32_t c = 0; c < o->syncs; c++) {
        const struct sync *other = &o->sync[c];

        if (c == sync || other->off || other->kind == SYNC_BARRIER ||
            other->from != o->sync[sync].from || other->to != o->sync[sync].to ||
            (!has(pending(f), c) && is_free(f, sync, c)))
            continue;
        f->clash[(size_t)sync * o->syncs + c] = true;
        f->clash[(size_t)c * o->syncs + sync] = true;
    }
}

static void set_token(struct flow *f, uint32_t at, const struct mark *mark)
{
    const struct sync *sync = &f->order->sync[mark->sync];
    bool others = sync->kind == SYNC_CHANNEL && sync->slot && mark->kind == MARK_SET;

    if (mark->kind == MARK_SET && !is_free(f, mark->sync, mark->sync)) {
        set_needed(f, (struct need){.event = true, .from = mark->sync, .to = at});
        add(known(f, sync->from, 0), wait_bit(f, mark->sync));
    }
    if (f->clash)
        compare_events(f, mark->sync);
    for (unsigned n = 0; n < f->layers; n++) {
        const uint64_t *from = known(f, sync->from, n), *all = f->all[sync->from];
        uint64_t *to = token(f, mark->sync, n);

        for (uint32_t i = 0; i < f->words; i++)
            to[i] = (from[i] | all[i]) & (others ? to[i] : UINT64_MAX);
    }
    f->taken[mark->sync] = false;
    add(pending(f), mark->sync);
}

/* S issues everything: what it waited for is known to all. */
static void tell_all(struct flow *f)
{
    for (unsigned q = 0; q < PIPES; q++)
        for (unsigned n = 0; q != PTO_PIPE_S && n < f->layers; n++)
            unite_issued(f, known(f, q, n), known(f, PTO_PIPE_S, n));
}

/* Flags of S tell from here on of what instruction `at` has written back, NOWHERE: of all. */
static void write_back(struct flow *f, uint32_t at)
{
    const struct order *o = f->order;

    for (uint32_t i = 0; i < o->bits; i++)
        if (has(f->far, i) && (at == NOWHERE || line_is_back(o, o->at[i], at)))
            for (unsigned n = 0; n < f->layers; n++)
                add(known(f, PTO_PIPE_S, n), i);
}

/* dsb: all know the stores that S knows. */
static void publish(struct flow *f)
{
    for (unsigned q = 0; q < PIPES; q++)
        for (unsigned n = 0; q != PTO_PIPE_S && n < f->layers; n++)
            unite(f, known(f, q, n), known(f, PTO_PIPE_S, n));
}

static void take_token(struct flow *f, const struct mark *mark)
{
    const struct sync *sync = &f->order->sync[mark->sync];
    unsigned keys = sync->slot ? 1u << sync->slot : 0;

    if (mark->kind == MARK_DRAIN)
        for (unsigned n = 0; n < f->layers; n++)
            unite(f, known(f, sync->to, n), token(f, mark->sync, sync->slot));
    for (unsigned n = 0; n < f->layers; n++)
        unite(f, known(f, sync->to, n), token(f, mark->sync, n));
    if (mark->kind != MARK_DRAIN)
        f->taken[mark->sync] = true;
    begin(f, wait_bit(f, mark->sync), keys);
    if (sync->kind != SYNC_CHANNEL || !sync->slot || mark->kind == MARK_DRAIN)
        take_out(pending(f), mark->sync);
    if (sync->to != PTO_PIPE_S)
        return;
    add(known(f, PTO_PIPE_S, 0), wait_bit(f, mark->sync));
    for (unsigned n = 0; n < f->layers; n++)
        unite(f, known(f, PTO_PIPE_S, n), known(f, PTO_PIPE_S, 0));
    tell_all(f);
}

static void pass_barrier(struct flow *f, unsigned pipe)
{
    if (pipe == PTO_PIPE_ALL) {
        for (uint32_t i = 0; i < f->sure; i++)
            f->now[i] |= ~f->stores[i % f->words];
    } else if (pipe == PTO_PIPE_S) {
        write_back(f, NOWHERE);
        publish(f);
    } else {
        for (unsigned n = 0; n < f->layers; n++)
            unite(f, known(f, pipe, n), f->all[pipe]);
    }
}

static void pass_mark(struct flow *f, uint32_t at)
{
    const struct mark *mark = &f->order->mark[at];

    if (f->order->sync[mark->sync].off)
        return;
    if (mark->kind == MARK_BARRIER)
        pass_barrier(f, f->order->sync[mark->sync].to);
    else if (mark->kind == MARK_SET || mark->kind == MARK_INIT)
        set_token(f, at, mark);
    else
        take_token(f, mark);
}

/* What i and j touch alike, and the pipe of j does not know to be complete. */
static unsigned missing(const struct flow *f, uint32_t i, uint32_t j)
{
    const struct order *o = f->order;
    unsigned kinds = o->kinds[(size_t)i * o->bits + j], from = o->pipe[o->at[i]];
    unsigned to = o->pipe[o->at[j]];

    if (from == PTO_PIPE_S ? to == PTO_PIPE_S || !has(f->stores, i)
                           : from == to && !(o->profile->barrier_needed >> to & 1))
        return 0;
    for (unsigned n = 0; n < f->layers; n++)
        if (kinds >> n & 1 && has(known(f, to, n), i))
            kinds &= ~(1u << n);
    return kinds;
}

/* The nearest earlier one first, then those of earlier turns, the last one first. */
static void look_back(struct flow *f, uint32_t j)
{
    const struct order *o = f->order;
    unsigned to = o->pipe[o->at[j]];

    for (uint32_t k = 1; k <= o->bits; k++) {
        uint32_t i = (j + o->bits - k) % o->bits;
        unsigned kinds = missing(f, i, j);

        if (!kinds)
            continue;
        set_needed(f, (struct need){.from = i, .to = j, .kinds = kinds,
                                    .fence = has(f->far, i) && !has(known(f, PTO_PIPE_S, 0), i)});
        for (uint32_t earlier = 0; earlier < o->bits; earlier++)
            if (earlier <= i && o->pipe[o->at[earlier]] == o->pipe[o->at[i]])
                for (unsigned n = 0; n < f->layers; n++)
                    add(known(f, to, n), earlier);
    }
}

/* Is a store of S not known to all pipes? */
static bool is_held(const struct flow *f, uint32_t i)
{
    for (unsigned q = 0; has(f->stores, i) && q < PIPES; q++)
        if (!has(known(f, q, 0), i))
            return true;
    return false;
}

/* What several pipes or the DMA engine carry out may meet any store of S. */
static void look_at_stores(struct flow *f, uint32_t at)
{
    for (uint32_t i = 0; i < f->order->bits; i++)
        if (is_held(f, i)) {
            set_needed(f, (struct need){.all = true, .fence = true, .to = at});
            pass_barrier(f, PTO_PIPE_S);
            return;
        }
}

/* Everything is complete before an instruction that wants it so; before dsb, what it publishes. */
static void look_at_all(struct flow *f, uint32_t at)
{
    const struct order *o = f->order;
    bool some = o->core->code.insn[at].op == PTO_OP_DSB;

    for (uint32_t i = 0; i < o->bits; i++)
        if (o->pipe[o->at[i]] != PTO_PIPE_S && !has(known(f, PTO_PIPE_S, 0), i) &&
            (!some || sync_writes(&o->core->code.insn[o->at[i]], PTO_O_GM))) {
            set_needed(f, (struct need){.all = true, .to = at});
            pass_barrier(f, PTO_PIPE_ALL);
            return;
        }
}

static void begin_store(struct flow *f, uint32_t bit)
{
    begin(f, bit, 0);
    for (unsigned n = 0; !has(f->far, bit) && n < f->layers; n++)
        add(known(f, PTO_PIPE_S, n), bit);
}

static void execute(struct flow *f, uint32_t at)
{
    const struct order *o = f->order;
    const struct pto_insn *insn = &o->core->code.insn[at];
    enum pto_class class = pto_op_info(insn->op)->class;

    if (order_wants_all(insn))
        look_at_all(f, at);
    if (class == PTO_MACRO || class == PTO_ASYNC)
        look_at_stores(f, at);
    write_back(f, at);
    if (insn->op == PTO_OP_DSB)
        publish(f);
    if (o->pipe[at] != SYNC_NO_PIPE) {
        look_back(f, o->bit[at]);
        if (o->pipe[at] != PTO_PIPE_S)
            begin(f, o->bit[at], o->keys[at]);
        else if (has(f->stores, o->bit[at]))
            begin_store(f, o->bit[at]);
    }
    for (unsigned n = f->layers; n-- > 1;)
        if (o->kills[at] >> n & 1)
            forget_slot(f, n);
}

static void meet(struct flow *f, const uint64_t *other)
{
    if (!f->reached)
        memcpy(f->now, other, f->size * sizeof *f->now);
    for (uint32_t i = 0; f->reached && i < f->size; i++)
        f->now[i] = i < f->sure ? f->now[i] & other[i] : f->now[i] | other[i];
    f->reached = true;
}

/* Those that come in front of mark `mark` of instruction `at`, but not in front of the one before;
 * the end of its marks stands for the instruction itself. */
static void arrive(struct flow *f, uint32_t at, uint32_t first, uint32_t mark)
{
    const struct order *o = f->order;
    bool is_mark = mark < o->marks && o->mark[mark].at == at;

    for (uint32_t from = 0; from < o->core->code.insns; from++) {
        if (!f->saved[from] || blocks_target(o->core, from) != at ||
            (is_mark && !order_lands_before(o, &o->mark[mark], from)) ||
            (mark > first && order_lands_before(o, &o->mark[mark - 1], from)))
            continue;
        meet(f, f->saved[from]);
    }
}

static void leave(struct flow *f, uint32_t at)
{
    size_t size = f->size * sizeof *f->now;

    if (!f->reached)
        return;
    if (!f->saved[at]) {
        f->saved[at] = pto_xmalloc(size);
        f->changed = true;
    } else if (memcmp(f->saved[at], f->now, size) != 0) {
        f->changed = true;
    }
    memcpy(f->saved[at], f->now, size);
}

static void go_through(struct flow *f)
{
    const struct order *o = f->order;
    uint32_t mark = 0;

    memset(f->taken, 0, o->syncs * sizeof *f->taken);
    memset(f->now, 0xff, f->sure * sizeof *f->now);
    memset(f->now + f->sure, 0, (f->size - f->sure) * sizeof *f->now);
    f->reached = true;
    for (uint32_t at = 0; at < o->core->code.insns && !(f->one && o->needs); at++) {
        for (uint32_t first = mark;; mark++) {
            if (o->joins[at])
                arrive(f, at, first, mark);
            if (mark == o->marks || o->mark[mark].at != at)
                break;
            if (f->reached)
                pass_mark(f, mark);
        }
        if (f->reached)
            execute(f, at);
        if (blocks_target(o->core, at) >= 0)
            leave(f, at);
        if (blocks_leaves(o->core, at))
            f->reached = false;
    }
}

/* A bit is one of its pipe's, or a store of S. */
static void sort_insn(struct flow *f, uint32_t bit)
{
    const struct order *o = f->order;
    const struct pto_insn *insn = &o->core->code.insn[o->at[bit]];

    if (!sync_is_store(insn)) {
        add(f->all[o->pipe[o->at[bit]]], bit);
        return;
    }
    add(f->stores, bit);
    if (sync_writes(insn, PTO_O_GM))
        add(f->far, bit);
}

static void prepare(struct flow *f)
{
    const struct order *o = f->order;

    f->layers = o->slots.slots + 1;
    f->words = (o->bits + o->syncs + 63) / 64;
    f->sure = (PIPES + o->syncs) * f->layers * f->words;
    f->size = f->sure + (o->syncs + 63) / 64;
    f->now = pto_xcalloc(f->size + 1, sizeof *f->now);
    f->saved = pto_xcalloc((size_t)o->core->code.insns + 1, sizeof *f->saved);
    f->taken = pto_xcalloc((size_t)o->syncs + 1, sizeof *f->taken);
    for (unsigned q = 0; q < PIPES; q++)
        f->all[q] = pto_xcalloc((size_t)f->words + 1, sizeof *f->all[q]);
    f->stores = pto_xcalloc((size_t)f->words + 1, sizeof *f->stores);
    f->far = pto_xcalloc((size_t)f->words + 1, sizeof *f->far);
    for (uint32_t i = 0; i < o->bits; i++)
        sort_insn(f, i);
    for (uint32_t c = 0; c < o->syncs; c++)
        if (o->sync[c].kind != SYNC_BARRIER)
            add(f->all[o->sync[c].to], wait_bit(f, c));
}

static void discard(struct flow *f)
{
    for (uint32_t i = 0; i < f->order->core->code.insns; i++)
        free(f->saved[i]);
    for (unsigned q = 0; q < PIPES; q++)
        free(f->all[q]);
    free(f->stores);
    free(f->far);
    free(f->now);
    free(f->saved);
    free(f->taken);
}

static void check(struct flow *f)
{
    f->order->needs = 0;
    prepare(f);
    do {
        f->changed = false;
        go_through(f);
    } while (f->changed && !f->order->needs);
    discard(f);
}

void flow_check(struct order *o, bool *clash)
{
    struct flow f = {.order = o, .clash = clash};

    check(&f);
}

bool flow_holds(struct order *o)
{
    struct flow f = {.order = o, .one = true};

    check(&f);
    return o->needs == 0;
}
