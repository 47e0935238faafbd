/* The fetch_adds of words, what else adds to them and waits for them, and what their values prove:
 * fetch.c has the records, fetch_way.c what S does with a value, fetch_sum.c which values a word
 * can have, and fetch_turn.c the proofs. */
#ifndef PTO_CHECK_FETCH_H
#define PTO_CHECK_FETCH_H

#include "check/signal.h"

/* ---- fetch_way.c ---- */

/* What S does with a value: operations on temporaries, of which number 0 is the value. */
enum way_end { WAY_COMPUTES, WAY_BRANCHES, WAY_KEEPS /* of use behind the way */ };
struct way_op {
    uint16_t op; /* enum pto_op */
    uint8_t end; /* enum way_end */
    bool taken;
    uint8_t d, temp[3]; /* 255: the constant */
    uint64_t constant[3];
};
struct way {
    uint32_t ops, mask; /* mask: the bits of the value that it depends on */
    bool ordered;       /* it adds, subtracts and compares, no more */
    bool waits;         /* TWAIT or TTEST, for this: */
    struct condition condition;
    struct way_op op[];
};

/* While S is at the fetch_add; NULL: it does nothing with the value. */
struct way *way_of_core(struct pto_check *check, const struct core *core, int64_t value);
struct way *way_of_wait(struct condition c);
/* Would S go the same way with that value, and (`alike`) leave the same behind? */
bool way_goes(const struct way *way, int64_t value, bool alike);
bool way_is_same(const struct way *a, const struct way *b);

/* Is a register of use from an instruction on? */
struct fetch_live {
    const struct pto_code *code;
    uint32_t from, reg;
    bool live;
};
struct fetch_live *fetch_live_slot(struct pto_check *check, uint32_t hash);

/* ---- records ---- */

/* A fetch_add, or a TNOTIFY that adds, or a wait. */
struct fetch {
    struct release *release; /* what it tells */
    struct way *way;         /* NULL: any value would do */
    int64_t value, delta;
    uint32_t life;
};

/* A word from a value that it was given on: by a TNOTIFY, or by plain stores, which are in order
 * with the fetch_adds, or race. */
struct fetch_life {
    int rank;
    uint32_t object, next;  /* next: in its slot, + 1 */
    uint64_t offset;
    uint32_t older;         /* the life before, + 1 */
    struct release *begun;  /* by that TNOTIFY, or NULL */
    int64_t base, now;
    uint32_t kept;          /* fetches */
    bool newest, broken;    /* broken: it proves nothing */
};

/* Are they of one word? */
static inline bool fetch_life_is_of(const struct fetch_life *life, const struct fetch_life *other)
{
    return life->rank == other->rank && life->object == other->object &&
           life->offset == other->offset;
}

/* The reader has read the sender's add, and knows what it tells of. */
void fetch_prove(struct pto_check *check, const struct fetch *reader, const struct fetch *sender);
/* fetch_turn.c: those of one rank, in their order, and all lives; steps: of the whole run. */
void fetch_play(struct pto_check *check, struct fetch *const *fetch, uint32_t fetches,
                const struct fetch_life *life, uint32_t lives, uint64_t *steps);

#endif
