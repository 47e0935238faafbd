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

/* Lines that the program has printed and that the caller has not seen yet.  Like events it gets
 * them at the window's end where threads share the ranks of a window, else at once. */
struct printed {
    char *text;
    const char *core;
    uint64_t time;
};

struct cache;
struct core_parts;
struct backlog;

#define AT_WORK_MESSAGE UINT32_MAX /* a message lands */

struct rank {
    struct pto_vm *vm;
    int number;
    uint64_t now;
    uint64_t over_at; /* the latest of what its units have done and of arrivals: a signal that
                         changes after it and that nobody waits for holds up no run */
    struct eventq events;
    struct core *called;    /* its S goes on at this instant, behind the unit at work (wake.h) */
    uint32_t at_work;       /* key of the node of the unit at work, or AT_WORK_MESSAGE */
    struct op_args *args;   /* room for the operands of the instruction at work: the thread's */
    struct pto_arena arena; /* texts of faults and remarks */
    struct message **inbox; /* binary heap by (arrival, source, sequence) */
    uint32_t inbox_size, inbox_capacity;
    struct message **outbox;
    uint32_t outbox_size, outbox_capacity;
    uint64_t sequence;
    struct core *core;
    struct core_parts *parts; /* of all of them on machines that go step by step; else NULL */
    unsigned cores, active; /* active: sub-cores of the launch that have not drained */
    unsigned ended;  /* of them, those whose S has ended */
    unsigned late;   /* number of one that had not come to sync_all when somebody looked */
    unsigned cross_in_flight; /* counts of cross-core flags that are still on their way */
    unsigned launch;        /* current; vm->launches: all done */
    bool between_launches;
    uint64_t launch_at;
    struct object *object;
    unsigned objects;
    uint64_t *given; /* sums of what inputs hold before the run, and of the parameters; NULL */
    uint64_t memory_bytes; /* of all objects, each to the end of its last line of the cache */
    struct links links;
    uint64_t gm_free_at, l2_free_at, egress_free_at;
    struct cache *cache; /* made with the first access; a profile without a second level: never */
    uint32_t slow_milli; /* cost factor, 1000 = 1 */
    uint64_t pace_until; /* it is as slow as this before then; ENGINE_NEVER: for good */
    bool at_pace;        /* it takes what the profile says: neither slower nor with jitter */
    uint64_t dies_at;    /* it does nothing from then on, and nothing reaches it; else never */
    uint64_t duration[COST_DURATIONS]; /* picoseconds, of a rank as slow as this one (cost.c) */
    uint64_t line_ps;    /* what a line of its cache takes global memory */
    struct pto_rank_stats stats;
    struct pto_gm_use gm_use; /* of the phase that starts */
    uint64_t retired, insns; /* queue entries, scalar instructions */
    struct backlog *backlog; /* NULL: bytes move when instructions complete */
    uint32_t due;           /* instructions in it */
    void (*work_off)(struct rank *rank); /* moves their bytes (due.h) */
    bool dead;              /* it has faulted: it does nothing more */
    bool died;              /* nothing can run any more, and it died before it had ended */
    struct pto_fault fault;
    struct pto_fault *warning; /* what its launches left behind, in the order of its time */
    unsigned warnings, warning_capacity;
    struct printed *printed;
    unsigned printed_lines, printed_capacity;
    struct pto_event *event; /* not yet seen by the observers */
    unsigned events_gathered, event_capacity;
    struct pto_arena values; /* what these were told of registers */
};

#endif
