/* The fetch_adds of one word, and what is known of their order: fetch.c has the records and the
 * proofs by numbers, fetch_turn.c those by who lets whom come. */
#ifndef PTO_CHECK_FETCH_H
#define PTO_CHECK_FETCH_H

#include "check/internal.h"

struct fetch {
    struct release *release; /* what it tells */
    int64_t value, delta;
    int64_t gate;            /* the least value with which S would have gone the same way */
    int64_t need;            /* the least that would have been as good: the same, or `value` */
    uint32_t resets;         /* of the word's, before it */
    bool first;              /* the count had been set back */
};

struct fetch_word {
    int rank;
    uint32_t object, next;   /* next: in its slot, + 1 */
    uint64_t offset;
    struct fetch *fetch;     /* in their order */
    uint32_t fetches, capacity;
    struct release **reset;  /* by fetch_adds and TNOTIFYs */
    uint32_t resets, reset_capacity;
    int64_t base, expected;  /* what it began with since then; what comes next */
    bool used;               /* anybody has looked at it */
    bool back;               /* it has been set back since the last of them */
    bool broken;             /* proves nothing */
};

/* The fetch_adds of a word, and up to which epoch each knows every S.  Those from `begin` to `end`
 * are looked at: a word that is set back begins afresh. */
struct fetch_order {
    const struct fetch_word *word;
    uint32_t begin, end;
    uint32_t cores;
    uint32_t *known;  /* [fetch][core] */
    int64_t *missing; /* [core], see prove_reader */
};

/* Does everybody of the word's other lives come before the reader, or behind it, and has the word
 * been set back before it? */
bool fetch_is_apart(const struct fetch_order *order, uint32_t reader);
bool fetch_knows(const struct fetch_order *order, uint32_t i, uint32_t other);
/* The reader has read the sender's add, and knows what it tells of. */
void fetch_prove(struct pto_check *check, const struct fetch_order *order, uint32_t reader,
                 uint32_t sender);
/* So do all that know the reader. */
void fetch_pass_on(const struct fetch_order *order, uint32_t reader);
/* fetch_way.c, while S is at the fetch_add: `gate` and `need`; values below `low` do not come. */
void fetch_find_need(const struct core *core, int64_t low, struct fetch *fetch);
/* A TNOTIFY changes the word. */
void fetch_meet_notify(struct pto_check *check, int rank, uint32_t object, uint64_t offset,
                       struct release *release, int64_t value, bool set);
/* fetch_turn.c */
void fetch_turns(struct pto_check *check, const struct fetch_order *order, uint64_t *steps);

#endif
