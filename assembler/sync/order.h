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
    uint8_t *pipe, *keys, *kills;
    uint32_t *bit;      /* number among those that pipes carry out */
    /* of those, by number */
    uint32_t *at;
    uint8_t *kinds;     /* sync_conflict, a square */
    uint8_t *tried;     /* ways to order two of them, a square */
    uint32_t bits;
    struct sync *sync;
    uint32_t syncs, sync_room;
    struct mark *mark;  /* in the order of the program */
    uint32_t marks, mark_room;
    uint32_t sites;
    struct need *need;
    uint32_t needs, need_room;
};

void order_begin(struct order *order, const struct pto_profile *profile,
                 const struct pto_kernel *kernel, struct pto_core_code *core);
void order_free(struct order *order);
/* Does an instruction want all that was issued to be complete? */
bool order_wants_all(const struct pto_insn *insn);
/* Is a branch to `at` from instruction `from` in front of this mark at `at`, so that it goes
 * through it? */
bool order_lands_before(const struct order *order, const struct mark *mark, uint32_t from);
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
/* Is nothing left to order? */
bool flow_holds(struct order *order);
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
/* emit.c: the program with all that was put in. */
void order_emit(struct order *order, struct pto_module *module);

#endif
