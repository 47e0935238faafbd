/* What is between the walk along a program and what flags do on it.  Internal to the room. */
#ifndef ASM_SYNC_FLOW_H
#define ASM_SYNC_FLOW_H

#include "sync/order.h"
#include "sync/state.h"

/* Some words of all sets, ascending.  Bits are known apart from each other, so that these tell of
 * themselves. */
struct flow_part {
    const uint32_t *word;
    uint32_t words;
};

struct without;

struct flow {
    struct order *order;
    const struct flow_part *part;
    uint32_t words, insn_words; /* of the part; of these, of instructions */
    uint32_t *place;            /* by word: where it is in the part, SYNC_NOWHERE */
    struct state now;
    struct saved **saved;       /* by branch: what it arrives with */
    /* Sets of the part. */
    uint64_t *sets;
    uint64_t *all[PTO_PIPE_COUNT];       /* what each pipe carries out, its waits included */
    uint64_t *ignored[PTO_PIPE_COUNT];   /* what needs no order before what it carries out */
    uint64_t *stores, *far;     /* of S; of these, to global memory */
    bool *taken;                /* by sync: between wait and set */
    bool reached, changed;
    bool one, failed;           /* one: the first need is enough */
    bool *clash;
    uint64_t *alike[PTO_PIPE_COUNT]; /* for it: waits for flags of each pipe */
    bool *gains, *gain;         /* by mark and word of the part: does a pipe learn something of it;
                                 * of the mark that is passed */
    /* Of a part that is gone through again: what all is like; by steps of the program, which of
     * them branches have brought something new to. */
    const struct without *without;
    bool *due;
    uint32_t step;
};

static inline uint64_t *flow_known(const struct flow *f, unsigned pipe, unsigned layer)
{
    return state_known(&f->now, pipe, layer);
}

static inline uint64_t *flow_token(const struct flow *f, uint32_t sync, unsigned layer)
{
    return state_token(&f->now, sync, layer);
}

/* Is it in the set, or not in the part? */
static inline bool flow_has(const struct flow *f, const uint64_t *set, uint32_t bit)
{
    uint32_t place = f->place[bit / 64];

    return place == SYNC_NOWHERE || set[place] >> (bit % 64) & 1;
}

static inline void flow_add(const struct flow *f, uint64_t *set, uint32_t bit)
{
    uint32_t place = f->place[bit / 64];

    if (place != SYNC_NOWHERE)
        set[place] |= UINT64_C(1) << (bit % 64);
}

/* pass.c: something is needed; an instance of `bit` is under way, whose slots the expressions
 * `keys` choose; an expression has another value. */
void flow_need(struct flow *flow, struct need need);
void flow_begin(struct flow *flow, uint32_t bit, unsigned keys);
void flow_forget_slot(struct flow *flow, unsigned slot);
/* Behind a dcci at `at` flags of S tell of what it has written back, SYNC_NOWHERE: of all; behind a
 * dsb all pipes know the stores that S knows; behind both, as a fence. */
void flow_write_back(struct flow *flow, uint32_t at);
void flow_publish(struct flow *flow);
void flow_pass_fence(struct flow *flow);
void flow_pass_barrier(struct flow *flow, unsigned pipe);
void flow_pass_mark(struct flow *flow, uint32_t number);

/* flow.c: the words of all sets, which the caller frees. */
uint32_t *flow_all(const struct order *order, struct flow_part *part);
void flow_begin_part(struct flow *flow);
void flow_end_part(struct flow *flow);
/* Go through the program until nothing changes: each time from its start, all instructions. */
void flow_settle(struct flow *flow);
void flow_start(struct flow *flow);
void flow_walk(struct flow *flow, uint32_t from, uint32_t to);
/* without.c: what a branch brings, of a part. */
struct saved *without_branch(const struct without *without, uint32_t branch);

#endif
