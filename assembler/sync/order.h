/* The order that is being put into a program: what its instructions touch, and the flags and
 * barriers so far.  Internal to the room. */
#ifndef ASM_SYNC_ORDER_H
#define ASM_SYNC_ORDER_H

#include "sync/blocks.h"
#include "sync/touch.h"

enum { SYNC_LAYERS = SYNC_SLOTS + 1 };

/* What is put in.
 *
 * A pair: set at one point, waited for at a later one of the same block.
 * A channel: a token for each slot, there before the program's outermost loop begins and taken out
 * behind it; in between, sites wait for it and give it back, each at two points of one block.  So
 * what a pipe does at the end of a turn is over before another goes on in the next turn; loops of
 * no turn and choices leave it as it is.
 * A barrier of one pipe or of all; of S: dcci and dsb, behind which all know S's own stores. */
enum sync_kind { SYNC_PAIR, SYNC_CHANNEL, SYNC_BARRIER };

struct sync {
    uint8_t kind, from, to; /* pipes; a barrier: `to` */
    uint8_t slot;           /* expression that chooses the token, SYNC_NO_SLOT: there is one */
    bool off;               /* left out */
    bool fixed;             /* not to be left out */
    uint8_t tried;          /* ways to make its event free again */
    uint8_t event;          /* the first of its events */
    uint16_t reg;           /* holds the event of a slot, 0: the slot's own register does */
};

enum mark_kind { MARK_SET, MARK_DRAIN, MARK_INIT, MARK_WAIT, MARK_BARRIER };

/* A point of a block where something stands before instruction `at`. */
struct mark {
    uint8_t kind; /* enum mark_kind */
    uint32_t at, block;
    int rank;     /* order at one point, then that of making */
    uint32_t sync, site;
    uint32_t pos; /* where it comes from */
};

/* Something that has to be complete before something else. */
struct need {
    bool event;        /* the wait of sync `from`, before mark `to` sets its event again; no mark
                        * may be added before it is looked at */
    bool all;          /* everything, before instruction `to` */
    bool fence;        /* stores of S that a flag does not tell of, or, with `all`, any of them */
    uint32_t from, to; /* instructions, or as above */
    unsigned kinds;    /* see sync_conflict */
};

enum { SYNC_NOWHERE = UINT32_MAX };

/* What an instruction is to the flow of what pipes know. */
enum trait {
    TRAIT_ALL = 1,     /* wants all that was issued to be complete; a dsb, what it publishes */
    TRAIT_DSB = 2,
    TRAIT_SERIES = 4,  /* several pipes or the DMA engine carry it out */
    TRAIT_DCCI = 8,
    TRAIT_LEAVES = 16, /* nothing follows it at the next one */
    TRAIT_KILLS = 32,  /* expressions have other values behind it */
    TRAIT_TELLS = 64   /* others are told: S's stores to global memory are published */
};

struct order {
    const struct pto_profile *profile;
    struct pto_core_code *core;
    struct blocks blocks;
    struct slots slots;
    struct touch touch;
    bool *joins, *moves;
    bool assigned[PTO_MAX_REGISTERS]; /* by any instruction */
    /* by instruction */
    bool *stale;        /* see stale_find */
    uint8_t *pipe, *keys, *kills, *traits;
    uint32_t *bit;      /* number among those that pipes carry out */
    uint32_t *target;   /* see blocks_target; SYNC_NOWHERE: none */
    uint32_t *branch, branches;   /* branches are numbered */
    uint32_t *comes, *comes_next; /* first branch to it; behind a branch, the next to there */
    /* of those that pipes carry out, by number */
    uint32_t *at;
    uint32_t bits;
    /* Sets of them: `words` words each. */
    uint32_t words;
    uint64_t *meets[SYNC_LAYERS]; /* by kind and number: those that it meets; NULL: none */
    uint64_t *tried[2];           /* by number: for which the first, the second way was */
    uint64_t *by_pipe[PTO_PIPE_COUNT];
    uint64_t *stores, *far; /* of S; of these, to global memory */
    uint64_t *publish;      /* of other pipes, to global memory */
    struct sync *sync;
    uint32_t syncs, sync_room;
    struct mark *mark;  /* in the order of the program */
    uint32_t marks, mark_room;
    uint32_t sites;
    struct need *need;
    uint32_t needs, need_room;
};

/* facts.c: what is to be known of a program before anything is put in.  `publish`: stores of S are
 * published before others are told. */
void order_begin(struct order *order, const struct pto_profile *profile,
                 const struct pto_kernel *kernel, struct pto_core_code *core, bool publish);
void order_free(struct order *order);
/* sync_conflict of two that pipes carry out, by their numbers. */
unsigned order_kinds(const struct order *order, uint32_t a, uint32_t b);
/* Ways that were tried to order two of them: 0 to 2. */
unsigned order_tried(const struct order *order, uint32_t from, uint32_t to);
void order_set_tried(struct order *order, uint32_t from, uint32_t to, unsigned ways);

/* Does the branch from instruction `from` come in front of mark `mark` of instruction `at`, but not
 * in front of the one before?  `first` is the first mark there; the end of the marks stands for
 * the instruction itself. */
bool order_comes_at(const struct order *order, uint32_t at, uint32_t first, uint32_t mark,
                    uint32_t from);
/* Marks of one instruction: mark[first..last-1]. */
uint32_t order_first_mark(const struct order *order, uint32_t at);
/* Put a mark where it belongs. */
void order_add_mark(struct order *order, struct mark mark);
void order_remove_marks(struct order *order, uint32_t sync, uint32_t site);
/* Take out the syncs that are off, and their marks; others get other numbers. */
void order_forget_off(struct order *order);

/* flow.c: collect in `need` what is not ordered yet; none: everything is.  `clash`, if given, gets
 * by pairs of syncs (a square) whether they cannot have the same event. */
void flow_check(struct order *order, bool *clash);
/* Bits of instructions on pipes, and behind them, in words of their own, of the syncs' waits. */
static inline uint32_t flow_wait_bit(const struct order *order, uint32_t sync)
{
    return 64 * order->words + sync;
}
static inline uint32_t flow_words(const struct order *order)
{
    return order->words + (order->syncs + 63) / 64;
}
/* without.c: all is ordered as it is (else NULL); is it, too, without one more of the syncs?  That
 * one is off already, and stays so if it is. */
struct without;
struct without *without_begin(struct order *order);
bool without_holds(struct without *without, uint32_t sync);
void without_end(struct without *without);
/* thin.c: leave out what the rest makes unnecessary, of syncs from `first` on. */
void thin_out(struct order *order, uint32_t first);
/* plan.c: put in what a need asks for. */
void plan_need(struct order *order, const struct need *need);
/* A barrier of all before or behind an instruction, to stay. */
void plan_fixed(struct order *order, uint32_t at, bool behind);
/* For a sync without an event: a barrier of all wherever it waits; or, of a pair, the set next to
 * the wait, so that the event is in use for less: false, it is there already. */
void plan_give_up(struct order *order, uint32_t sync);
bool plan_closer(struct order *order, uint32_t sync);
/* events.c: give all syncs their events.  One that finds none is changed, and false: what is
 * ordered has to be looked at again. */
bool events_assign(struct order *order);
/* balance.c: does every wait get its token, whatever way is taken, and is none left or set while
 * the last one is there?  A flag for which that is not certain becomes a barrier, and false: what
 * is ordered has to be looked at again.  All syncs have their events. */
bool balance_prove(struct order *order);
/* Is the event of a sync in a register of its own? */
static inline bool order_keeps_event(const struct order *o, const struct sync *sync)
{
    return sync->slot && (sync->event || o->slots.slot[sync->slot].steps);
}
/* emit.c: the program with all that was put in. */
void order_emit(struct order *order, struct pto_module *module);

#endif
