/* A rank: an actor that owns everything that changes while it advances.
 *
 * Nothing outside it is touched meanwhile except its outbox, so that ranks may be advanced in any
 * order, and by different threads, within a window (run/sched.c). */
#ifndef PTO_MACHINE_RANK_H
#define PTO_MACHINE_RANK_H

#include "arena.h"
#include "core.h"
#include "message.h"
#include "object.h"

/* Durations that depend on nothing but the profile and the rank. */
enum duration {
    COST_SCALAR, /* a scalar instruction */
    COST_ISSUE,  /* S puts an entry into a queue */
    COST_FLAG,   /* a pipe sets or takes a flag, or passes a barrier */
    COST_LOAD,
    COST_STORE,
    COST_TEST,
    COST_NOTIFY,
    COST_WAKE, /* from the signal that ends a wait to S going on */
    COST_SYNC_ALL,
    COST_CROSS, /* a cross-core flag on its way */
    COST_LAUNCH,
    COST_DURATIONS
};

/* Lines that the program has printed and that the caller has not seen yet.  It gets those of
 * several ranks when all have come as far, those of one at once. */
struct printed {
    char *text;
    const char *core;
    uint64_t time;
};

struct cache;
struct core_parts;
struct backlog;

#define AT_WORK_MESSAGE UINT32_MAX /* a message lands */

/* By lines of the host's caches, which do not hold all of many ranks: a pass over the ranks touches
 * the first line of each, an event the lines of what it is about. */
struct rank {
    /* When is it to be advanced, and is there something to collect? */
    struct eventq events;
    struct message **inbox; /* binary heap by (arrival, source, sequence) */
    uint64_t dies_at;    /* it does nothing from then on, and nothing reaches it; else never */
    uint32_t inbox_size, outbox_size;
    unsigned warnings;
    bool dead;           /* it has faulted: it does nothing more */
    bool between_launches;
    bool at_pace;        /* it takes what the profile says: neither slower nor with jitter */
    bool died;           /* nothing can run any more, and it died before it had ended */
    uint64_t launch_at;

    /* Every event. */
    struct pto_vm *vm;
    uint64_t now;
    uint64_t over_at; /* the latest of what its units have done and of arrivals: a signal that
                         changes after it and that nobody waits for holds up no run */
    struct core *core;
    uint64_t pace_until; /* it is as slow as this before then; ENGINE_NEVER: for good */
    struct core *called; /* its S goes on at this instant, behind the unit at work (wake.h) */
    uint64_t retired, insns; /* queue entries, scalar instructions */

    /* What things take; the last of them few instructions ask for. */
    uint64_t duration[COST_DURATIONS]; /* picoseconds, of a rank as slow as this one (cost.c) */
    uint32_t at_work;       /* key of the node of the unit at work, or AT_WORK_MESSAGE */
    int number;
    unsigned printed_lines;
    uint32_t due;           /* instructions in the backlog */
    struct backlog *backlog; /* NULL: bytes move when instructions complete */
    struct op_args *args;   /* room for the operands of the instruction at work: the thread's */
    unsigned launch;        /* current; vm->launches: all done */
    unsigned objects;

    /* Transfers and messages. */
    struct object *object;
    struct cache *cache; /* made with the first access; a profile without a second level: never */
    uint64_t gm_free_at, l2_free_at, egress_free_at;
    uint64_t line_ps;    /* what a line of its cache takes global memory */
    struct links links;

    struct message **outbox;
    uint64_t sequence;
    uint32_t outbox_capacity, inbox_capacity;
    unsigned cross_in_flight; /* counts of cross-core flags that are still on their way */
    uint32_t slow_milli; /* cost factor, 1000 = 1 */
    struct pto_gm_use gm_use; /* of the phase that starts */

    struct pto_rank_stats stats;

    /* What comes once in a while. */
    struct pto_arena arena; /* texts of faults and remarks, and pipes */
    struct core_parts *parts; /* of all of them on machines that go step by step; else NULL */
    unsigned cores, active; /* active: sub-cores of the launch that have not drained */
    unsigned ended;  /* of them, those whose S has ended */
    unsigned late;   /* number of one that had not come to sync_all when somebody looked */
    uint64_t *given; /* sums of what inputs hold before the run, and of the parameters; NULL */
    uint64_t memory_bytes; /* of all objects, each to the end of its last line of the cache */
    void (*work_off)(struct rank *rank); /* moves the bytes of the backlog (due.h) */
    struct pto_fault fault;
    struct pto_fault *warning; /* what its launches left behind, in the order of its time */
    struct printed *printed;
    unsigned warning_capacity, printed_capacity;
    struct pto_event *event; /* not yet seen by the observers */
    unsigned events_gathered, event_capacity;
    struct pto_arena values; /* what these were told of registers */
    struct turn *turn; /* under way, and some that have left */
    uint32_t turns, turn_capacity;
    char unused[8];
};
_Static_assert(offsetof(struct rank, vm) == PTO_HOST_LINE, "a pass over the ranks takes one line");
_Static_assert(offsetof(struct rank, duration) == 2 * PTO_HOST_LINE, "every event takes one more");
_Static_assert(offsetof(struct rank, object) == 4 * PTO_HOST_LINE, "transfers begin a line");
_Static_assert(offsetof(struct rank, stats) == 6 * PTO_HOST_LINE, "statistics begin a line");
_Static_assert(sizeof(struct rank) % PTO_HOST_LINE == 0, "each begins a line of its own");

#endif
