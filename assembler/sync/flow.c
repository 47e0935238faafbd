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
 * What is known of one bit never depends on another's.  So a part of the words can be gone through
 * by itself, and a sync from which no pipe learns anything of a bit may be left out as far as this
 * bit goes.
 *
 * S's own stores are complete for S at once, but issue does not tell pipes of them: flags of S and
 * dsb do, of those to global memory only what dcci has written back.  S `knows` a store if flags
 * may tell of it. */
#include "sync/flow.h"

#include <stdlib.h>
#include <string.h>

/* Those in a word that touch what instruction `j` does, and that its pipe does not know to be
 * complete. */
static uint64_t missing(const struct flow *f, uint32_t j, uint32_t w)
{
    const struct order *o = f->order;
    unsigned to = o->pipe[o->at[j]];
    size_t place = (size_t)j * o->words + f->part->word[w];
    uint64_t bits = 0;

    for (unsigned n = 0; n < f->now.layers; n++)
        if (o->meets[n])
            bits |= o->meets[n][place] & ~flow_known(f, to, n)[w];
    return bits & ~f->ignored[to][w];
}

/* Instruction i has to be complete before j, and so are those before it on its pipe. */
static void need_insn(struct flow *f, uint32_t i, uint32_t j)
{
    const struct order *o = f->order;
    unsigned to = o->pipe[o->at[j]], from = o->pipe[o->at[i]];
    struct need need = {.from = i, .to = j};

    for (unsigned n = 0; n < f->now.layers; n++)
        if (order_kinds(o, i, j) >> n & 1 && !flow_has(f, flow_known(f, to, n), i))
            need.kinds |= 1u << n;
    need.fence = o->far[i / 64] >> (i % 64) & 1 && !flow_has(f, flow_known(f, PTO_PIPE_S, 0), i);
    flow_need(f, need);
    for (unsigned n = 0; n < f->now.layers; n++)
        for (uint32_t w = 0; w <= i / 64; w++)
            flow_known(f, to, n)[w] |= o->by_pipe[from][w] & (w < i / 64 ? UINT64_MAX
                                                                     : UINT64_MAX >> (63 - i % 64));
}

/* Those in words first-1 down to `last`, of the bits of `mask` in the first one. */
static void look_down(struct flow *f, uint32_t j, uint32_t first, uint32_t last, uint64_t mask)
{
    for (uint32_t w = first; w-- > last; mask = UINT64_MAX) {
        uint64_t bits;

        while ((bits = missing(f, j, w) & mask) != 0)
            need_insn(f, 64 * w + 63 - (uint32_t)__builtin_clzll(bits), j);
    }
}

/* The nearest earlier one first, then those of earlier turns, the last one first. */
static void look_back(struct flow *f, uint32_t j)
{
    uint64_t any = 0;

    for (uint32_t w = 0; w < f->insn_words; w++)
        any |= missing(f, j, w);
    if (!any)
        return;
    if (f->one) {
        f->failed = true;
        return;
    }
    look_down(f, j, j / 64 + 1, 0, (UINT64_C(1) << (j % 64)) - 1);
    look_down(f, j, f->insn_words, 0, UINT64_MAX);
}

/* What several pipes or the DMA engine carry out may meet any store of S, whoever is told of stores
 * those to global memory. */
static void look_at_stores(struct flow *f, uint32_t at)
{
    const uint64_t *met = f->order->traits[at] & TRAIT_SERIES ? f->stores : f->far;
    uint64_t held = 0;

    for (uint32_t w = 0; w < f->insn_words; w++)
        for (unsigned q = 0; q < PTO_PIPE_COUNT; q++)
            held |= met[w] & ~flow_known(f, q, 0)[w];
    if (!held)
        return;
    flow_need(f, (struct need){.all = true, .fence = true, .to = at});
    flow_pass_fence(f);
}

/* Everything is complete before an instruction that wants it so; before dsb, what it publishes. */
static void look_at_all(struct flow *f, uint32_t at)
{
    const struct order *o = f->order;
    bool some = o->traits[at] & TRAIT_DSB;
    uint64_t held = 0;

    for (uint32_t w = 0; w < f->insn_words; w++) {
        uint32_t word = f->part->word[w];

        held |= (some ? o->publish[word] : ~o->by_pipe[PTO_PIPE_S][word]) &
                ~flow_known(f, PTO_PIPE_S, 0)[w];
    }
    if (!held)
        return;
    flow_need(f, (struct need){.all = true, .to = at});
    flow_pass_barrier(f, PTO_PIPE_ALL);
}

static void begin_store(struct flow *f, uint32_t bit)
{
    flow_begin(f, bit, 0);
    for (unsigned n = 0; !(f->order->far[bit / 64] >> (bit % 64) & 1) && n < f->now.layers; n++)
        flow_add(f, flow_known(f, PTO_PIPE_S, n), bit);
}

static void execute(struct flow *f, uint32_t at)
{
    const struct order *o = f->order;
    unsigned traits = o->traits[at];
    uint32_t bit = o->bit[at];

    if (traits & TRAIT_ALL)
        look_at_all(f, at);
    if (traits & (TRAIT_SERIES | TRAIT_TELLS))
        look_at_stores(f, at);
    if (traits & TRAIT_DCCI)
        flow_write_back(f, at);
    if (traits & TRAIT_DSB)
        flow_publish(f);
    if (o->pipe[at] != SYNC_NO_PIPE) {
        look_back(f, bit);
        if (o->pipe[at] != PTO_PIPE_S)
            flow_begin(f, bit, o->keys[at]);
        else if (o->stores[bit / 64] >> (bit % 64) & 1)
            begin_store(f, bit);
    }
    for (unsigned n = f->now.layers; traits & TRAIT_KILLS && n-- > 1;)
        if (o->kills[at] >> n & 1)
            flow_forget_slot(f, n);
}

/* What a branch brings; of a part, it may not have been looked at yet. */
static struct saved **brought(struct flow *f, uint32_t branch)
{
    if (f->without && !f->saved[branch])
        f->saved[branch] = without_branch(f->without, branch);
    return &f->saved[branch];
}

/* Branches that come in front of mark `mark` of instruction `at`. */
static void arrive(struct flow *f, uint32_t at, uint32_t first, uint32_t mark)
{
    const struct order *o = f->order;

    for (uint32_t from = o->comes[at]; from != SYNC_NOWHERE; from = o->comes_next[from]) {
        const struct saved *saved;

        if (!order_comes_at(o, at, first, mark, from))
            continue;
        saved = *brought(f, o->branch[from]);
        if (!saved)
            continue;
        if (f->reached)
            state_meet(&f->now, saved);
        else
            state_restore(&f->now, saved);
        f->reached = true;
    }
}

/* What a branch backward brings is news for those who have gone on without it. */
static void leave(struct flow *f, uint32_t at)
{
    const struct order *o = f->order;

    if (!f->reached || !state_save(&f->now, brought(f, o->branch[at])))
        return;
    if (f->due)
        f->due[o->target[at] / f->step] = true;
    else if (o->target[at] <= at)
        f->changed = true;
}

void flow_walk(struct flow *f, uint32_t from, uint32_t to)
{
    const struct order *o = f->order;
    uint32_t mark = order_first_mark(o, from);

    for (uint32_t at = from; at < to && !(f->one && f->failed); at++) {
        for (uint32_t first = mark;; mark++) {
            if (o->joins[at])
                arrive(f, at, first, mark);
            if (mark == o->marks || o->mark[mark].at != at)
                break;
            if (f->reached)
                flow_pass_mark(f, mark);
        }
        if (f->reached)
            execute(f, at);
        if (o->target[at] != SYNC_NOWHERE)
            leave(f, at);
        if (o->traits[at] & TRAIT_LEAVES)
            f->reached = false;
    }
}

void flow_start(struct flow *f)
{
    memset(f->taken, 0, f->order->syncs * sizeof *f->taken);
    state_clear(&f->now);
    f->changed = false;
    f->reached = true;
}

static void prepare_word(struct flow *f, uint32_t w)
{
    const struct order *o = f->order;
    uint32_t word = f->part->word[w];

    f->place[word] = w;
    if (word >= o->words) {
        uint32_t first = 64 * (word - o->words);

        for (uint32_t c = first; c < first + 64 && c < o->syncs; c++)
            if (o->sync[c].kind != SYNC_BARRIER)
                f->all[o->sync[c].to][w] |= UINT64_C(1) << (c % 64);
        return;
    }
    f->insn_words = w + 1;
    f->stores[w] = o->stores[word];
    f->far[w] = o->far[word];
    for (unsigned q = 0; q < PTO_PIPE_COUNT; q++) {
        f->all[q][w] = o->by_pipe[q][word] & ~o->stores[word];
        f->ignored[q][w] = q == PTO_PIPE_S ? o->by_pipe[q][word]
                                           : o->by_pipe[PTO_PIPE_S][word] & ~o->stores[word];
        if (!(o->profile->barrier_needed >> q & 1))
            f->ignored[q][w] |= o->by_pipe[q][word];
    }
}

void flow_begin_part(struct flow *f)
{
    const struct order *o = f->order;
    uint32_t words = f->words = f->part->words;
    uint64_t *set;

    f->place = pto_xmalloc(((size_t)flow_words(o) + 1) * sizeof *f->place);
    memset(f->place, 0xff, flow_words(o) * sizeof *f->place);
    f->saved = pto_xcalloc((size_t)o->branches + 1, sizeof *f->saved);
    f->taken = pto_xcalloc((size_t)o->syncs + 1, sizeof *f->taken);
    set = f->sets = pto_xcalloc((2 * PTO_PIPE_COUNT + 2) * (size_t)words + 1, sizeof *set);
    for (unsigned q = 0; q < PTO_PIPE_COUNT; q++, set += 2 * (size_t)words) {
        f->all[q] = set;
        f->ignored[q] = set + words;
    }
    f->stores = set;
    f->far = set + words;
    state_begin(&f->now, o->slots.slots + 1, words, o->syncs);
    for (uint32_t w = 0; w < words; w++)
        prepare_word(f, w);
}

void flow_end_part(struct flow *f)
{
    for (uint32_t i = 0; i < f->order->branches; i++)
        free(f->saved[i]);
    state_free(&f->now);
    free(f->place);
    free(f->sets);
    free(f->saved);
    free(f->taken);
}

void flow_settle(struct flow *f)
{
    do {
        flow_start(f);
        flow_walk(f, 0, f->order->core->code.insns);
    } while (f->changed && !f->failed);
}

uint32_t *flow_all(const struct order *o, struct flow_part *part)
{
    uint32_t *word = pto_xmalloc(((size_t)flow_words(o) + 1) * sizeof *word);

    *part = (struct flow_part){.word = word, .words = flow_words(o)};
    for (uint32_t w = 0; w < part->words; w++)
        word[w] = w;
    return word;
}

void flow_check(struct order *o, bool *clash)
{
    struct flow_part part;
    uint32_t *word = flow_all(o, &part);
    struct flow f = {.order = o, .part = &part, .clash = clash};
    uint64_t *alike = pto_xcalloc((size_t)PTO_PIPE_COUNT * part.words + 1, sizeof *alike);

    for (unsigned q = 0; q < PTO_PIPE_COUNT; q++)
        f.alike[q] = alike + (size_t)q * part.words;
    for (uint32_t c = 0; c < o->syncs; c++)
        if (o->sync[c].kind != SYNC_BARRIER && !o->sync[c].off)
            f.alike[o->sync[c].from][flow_wait_bit(o, c) / 64] |= UINT64_C(1) << (c % 64);
    o->needs = 0;
    flow_begin_part(&f);
    flow_settle(&f);
    flow_end_part(&f);
    free(alike);
    free(word);
}
