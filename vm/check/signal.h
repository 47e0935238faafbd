/* Signals: words that TNOTIFY changes, who notifies them and who waits for them.  Private to the
 * files signal*.c and doubt.c; docs/decisions/0009-signals-have-values.md has the model. */
#ifndef PTO_CHECK_SIGNAL_H
#define PTO_CHECK_SIGNAL_H

#include "check/internal.h"

/* One notify of a word. */
struct told {
    struct release *release;
    int64_t value, sum; /* sum: of all that its sender has added so far */
    uint32_t landed;    /* its number among all notifies of the word, from 1 */
    bool set;
};

/* Who notifies a word: what it told, in order.  `folded` notifies before told[0] are part of the
 * word's base. */
struct sender {
    uint32_t core, folded, folded_to; /* folded_to: `landed` of the last of them */
    int64_t folded_sum;
    struct told *told;
    uint32_t count, capacity;
    uint32_t sets, falls;        /* among told: set operations, additions of less than 0 */
    struct release *last_folded; /* for newcomers; or NULL */
};

/* A wait that has passed, kept while notifies may land that could have come first. */
struct passed {
    struct frame before; /* what its sub-core knew */
    uint32_t epoch, pc;
    uint32_t landed;     /* notifies of the word at that time */
    uint8_t comparison;
    bool blocks;         /* TWAIT, not TTEST */
    bool all;            /* it needed all that had landed, and learned it: `learned` is unset */
    bool followed;       /* the next notify that landed is behind it */
    int64_t value;
    int64_t total;       /* `all`: the word's value */
    uint64_t time;
    const struct ready_code *code;
    uint32_t senders;    /* how many the word had: */
    union {              /* notifies of each that the wait knows of now, see learned_of */
        uint32_t one, *many;
    } learned;
};

struct waiter {
    uint32_t core;
    struct passed *passed;
    uint32_t count, capacity;
    uint32_t own;            /* number of the sub-core among the senders; UINT32_MAX: it is none */
    bool late;               /* it may not know of notifies that are folded */
    uint32_t *used, used_of; /* notifies of each sender that its waits have used; or, if it
                              * has used all that landed up to a time, what was then: */
    struct used_all {
        bool known;
        uint32_t landed;
        int64_t total, own_sum; /* of the word; of what the sub-core itself had added */
    } used_all;
    bool again;              /* a TWAIT was satisfied by those that earlier ones used */
    uint32_t pc;             /* of that one */
    uint64_t time;
    const struct ready_code *code;
};

struct signal_place {
    int rank;
    uint32_t object;
    uint64_t offset;
};

/* A word that is notified. */
struct signal {
    struct signal_place place;
    int64_t first, base, now; /* at first; before the notifies that are kept; by now */
    uint32_t landed, fresh;   /* notifies; those since the word was tidied */
    uint32_t unsteady;        /* sets and additions of less than 0 among those that are kept; 0: */
    int64_t total, least;     /* ... the value; none of those that are kept adds less than that */
    uint32_t chain;           /* from this one on, every notify knew of the one before it */
    uint32_t forced;          /* notifies that had landed when some were folded unknown */
    bool crowned;             /* the sender of the latest knew of all others */
    struct sender *sender;
    uint32_t senders, sender_capacity, latest; /* latest: whose notify landed last */
    struct waiter *waiter;
    uint32_t waiters, waiter_capacity, last_waiter;
    uint32_t *passing, passings, passing_capacity; /* waiters that passed since the latest landed */
};

/* Of one sender: notifies that have landed in every state, and that may have. */
struct span {
    uint32_t must, may;
};

/* Spans of all senders of a word: on the stack, if they are few. */
enum { FEW_SPANS = 8 };
struct spans {
    struct span few[FEW_SPANS], *of; /* of: NULL before spans_make */
};

struct range {
    int64_t low, high;
};

/* A condition on a word. */
struct condition {
    uint8_t comparison;
    int64_t value;
};

/* The values that a word can have within its spans, if no sender ever sets it: `known`.  And does
 * the condition that is asked about need all that may have landed? */
struct signal_sum {
    bool known, all_needed;
    struct range range;
};

/* A point in the program of a sub-core's S: a notify or a wait. */
struct point {
    uint32_t core, epoch;
};

/* A wait learned what it could not rely on: with other costs another notify would have let it pass.
 * Names hold in every run of the same launches. */
struct doubt {
    uint32_t core, epoch; /* of the wait */
    int rank;
    uint32_t object;
    uint64_t offset;
    uint32_t sender, limit; /* what it can rely on: notifies of the sender up to this epoch */
};

/* A notify without which a wait can end, by another one. */
struct vague {
    uint32_t number; /* in its process */
    uint32_t epoch; /* of the wait */
    struct party wait;
    struct release *release;
    struct signal_place place;
    struct stamp stamp;
};

/* signal_value.c: room for all senders; the caller fills it, and gives it back. */
void spans_make(struct spans *spans, const struct signal *signal);
void spans_free(struct spans *spans);
/* Does notify `b` come after the point in every order? */
bool signal_is_behind(const struct release *b, struct point a);
/* How many of the notifies [0, limit) of a sender are not behind the point; at least `low`. */
uint32_t signal_count_before(const struct sender *sender, uint32_t low, uint32_t limit,
                             struct point point);
/* How many have an epoch up to this. */
uint32_t signal_count_up_to(const struct sender *sender, uint32_t epoch);
/* Up to which epoch does somebody at the point, who knows `frame`, know a sub-core's S? */
uint32_t signal_epoch_known(const struct frame *frame, struct point self, uint32_t core);
bool signal_holds(struct condition c, int64_t value);
/* Has some state a value for which the condition holds?  Has the one that takes everything surely?
 * If not, *set is the last set operation of such a state, NULL: it has none. */
bool signal_can_be(const struct signal *signal, const struct span *span, struct condition c);
bool signal_can_fail(const struct signal *signal, const struct span *span, struct condition c,
                     const struct release **set);
/* The same for the state that takes only what must have come. */
bool signal_surely(const struct signal *signal, const struct span *span, struct condition c);
/* How many notifies of a sender the condition needs; changes nothing in the end.  `sum`: of these
 * spans, so that asking for every sender takes no longer than twice. */
struct signal_sum signal_sum(const struct signal *signal, const struct span *span,
                             struct condition c);
uint32_t signal_needed(const struct signal *signal, struct span *span, struct condition c,
                       uint32_t sender, const struct signal_sum *sum);
/* Has the state that takes what must have come one value?  Then what it is. */
bool signal_settled_value(const struct signal *signal, const struct span *span, int64_t *value);
/* The value after the first notifies of a sender, if there are no others. */
int64_t signal_value_after(const struct signal *signal, uint32_t sender, uint32_t count);

/* What a word keeps of a sum. */
static inline int64_t signal_wrapped(int64_t value)
{
    return (int32_t)(uint32_t)value;
}

/* The last notify of a sender. */
static inline struct release *signal_last_of(const struct sender *sender)
{
    return sender->count ? sender->told[sender->count - 1].release : sender->last_folded;
}
/* What its notifies that are kept have added, up to a number of them, or all. */
static inline int64_t signal_sum_up_to(const struct sender *sender, uint32_t count)
{
    return count ? sender->told[count - 1].sum : sender->folded_sum;
}
static inline int64_t signal_kept_sum(const struct sender *sender)
{
    return signal_sum_up_to(sender, sender->count) - sender->folded_sum;
}
/* How many of them were among the first `landed` notifies of the word. */
uint32_t signal_count_landed(const struct sender *sender, uint32_t landed);
/* Does a condition that holds need all that has landed?  false: perhaps. */
bool signal_needs_all(const struct signal *signal, struct condition c);

/* signal.c: number of a sub-core among the senders, UINT32_MAX: it is none. */
uint32_t signal_number_of(const struct signal *signal, uint32_t core);

/* signal_wait.c: a wait passes that knew `before` when it began. */
void signal_wait_passes(struct pto_check *check, struct check_core *core, struct signal *signal,
                        const struct frame *before);
/* A wait never passed: the run is a deadlock. */
void signal_wait_sleeps(struct pto_check *check, struct check_core *core, struct signal *signal,
                        const struct frame *before);
/* Judge and forget the first `count` waits, or all; `complete`: no more notifies will come that are
 * not behind them. */
void signal_close_waits(struct pto_check *check, const struct signal *signal,
                        struct waiter *waiter, uint32_t count, bool complete);
void signal_close(struct pto_check *check, struct signal *signal, bool complete);

/* signal_fold.c: a notify has landed: judge and forget what is complete, from time to time. */
void signal_tidy(struct pto_check *check, struct signal *signal);
/* A wait comes to those that are kept: without notifies nothing else makes room for it. */
void signal_cut_waits(struct pto_check *check, const struct signal *signal,
                      struct waiter *waiter);
/* The word has another value than its notifies gave it. */
void signal_begin_afresh(struct pto_check *check, struct signal *signal, int64_t value);

/* signal_reuse.c: a wait has passed; spans as it found them, which are used up.  At the end. */
void reuse_note(const struct signal *signal, struct waiter *waiter, const struct passed *passed,
                struct span *span);
/* The same for a wait that needs all that has landed. */
void reuse_note_all(const struct signal *signal, struct waiter *waiter,
                    const struct passed *passed);
/* What a waiter has used, or all of them, sender by sender. */
void reuse_spell_out(const struct signal *signal, struct waiter *waiter);
void reuse_spell_out_all(struct signal *signal);
void reuse_finish(struct pto_check *check, struct signal *signal);

/* signal_table.c: the signal at a place, NULL: never notified; get makes one with this value. */
struct signal *signal_find(const struct pto_check *check, int rank, uint32_t object,
                           uint64_t offset);
struct signal *signal_get(struct pto_check *check, int rank, uint32_t object, uint64_t offset,
                          int32_t value);
/* Put the word into a finding. */
void signal_locate(struct pto_check *check, struct found *found,
                   const struct signal_place *place);
/* All of them by place; the caller frees the list. */
struct signal **signal_list(const struct pto_check *check);
/* doubt.c: what the run before found about this wait and sender, or NULL; a new doubt, with what
 * the wait can rely on. */
const struct doubt *doubt_find(const struct pto_check *check, const struct signal *signal,
                               struct point wait, uint32_t sender);
void doubt_add(struct pto_check *check, const struct signal *signal, struct point wait,
               uint32_t sender, uint32_t limit);
/* A wait can end without this notify.  At the end (vague_finish): which races come of it, as
 * findings. */
void vague_add(struct pto_check *check, const struct signal *signal, struct party wait,
               uint32_t epoch, struct release *release);

#endif
