/* A machine as a whole: its ranks, its launches, and what the caller asked for.
 *
 * Ownership.  A machine owns its launches and ranks; a rank owns its sub-cores, its global memory,
 * its messages and its texts (rank.h).  Launches, ready code and options do not change during a
 * run. */
#ifndef PTO_MACHINE_MACHINE_H
#define PTO_MACHINE_MACHINE_H

#include <stdatomic.h>

#include "changes.h"
#include "mapped.h"
#include "rank.h"
#include "topology.h"

enum { MAX_OBSERVERS = 6 };

/* A kernel in the form that runs: one for all launches of it. */
struct ready_kernel {
    struct ready_code setup;
    struct ready_code core[PTO_CORE_KINDS];
    int last; /* number of the latest launch of it */
};

struct launch {
    const struct pto_program *program;
    const struct pto_kernel *kernel;
    struct ready_kernel *ready;
    int earlier; /* number of the launch before of the same kernel, -1: none */
    /* Those of the earlier launch, where they are equal. */
    struct bound_object **bound; /* [rank][object of the kernel] */
    uint64_t **param;            /* [rank][parameter] */
};

/* What is asked for: to stop at once, or before the next window of several ranks. */
enum pause { PAUSE_NONE, PAUSE_NOW, PAUSE_BETWEEN };

struct probe_link;
struct crew;
struct carry;

struct parameter_value {
    const char *name;
    int rank; /* PTO_ALL_RANKS */
    bool is_float;
    bool used;
    uint64_t bits;
};

/* Contents given for an object, until pto_vm_prepare. */
struct binding {
    const char *name;
    const char *origin; /* what messages call the data; NULL: nothing */
    int rank; /* PTO_ALL_RANKS */
    uint8_t dtype;
    bool used;
    unsigned dims;
    uint64_t dim[PTO_MAX_DIMS];
    uint64_t bytes;
    const uint8_t *data; /* NULL: the caller fills the object after pto_vm_prepare */
    bool lent;           /* the data are the caller's; else the machine's until it is prepared */
};

struct pto_vm {
    struct pto_vm_options options;
    struct pto_profile profile;
    const struct op_set *ops;
    struct pto_arena arena;
    struct topology topology;
    struct wire *wire;
    struct changes changes; /* of wires and ranks, by time */
    struct poison poison;
    struct rank *rank;
    int ranks;
    int process;       /* this one */
    const int *owner;  /* of each rank: the process that has it; NULL: this one has all */
    const int *own;    /* ranks of this process, in order */
    int owns;          /* how many */
    struct carry *carry; /* what goes to other processes (units/carry.h); NULL: there are none */
    bool home; /* the run is over, and process 0 has all ranks */
    unsigned blocks;
    struct launch *launch;
    unsigned launches, launch_capacity;
    struct parameter_value *parameter;
    unsigned parameters, parameter_capacity;
    struct binding *binding;
    unsigned bindings, binding_capacity;
    struct opened *opened; /* objects */
    unsigned openeds, opened_capacity;
    struct message **sent; /* in the window at hand, while they are exchanged */
    uint32_t messages_sent, sent_capacity;
    uint64_t window; /* picoseconds: the smallest latency between ranks */
    uint64_t lead;   /* how far a process may be ahead of others: a window, or several */
    uint64_t reach;  /* the most that this can be, however the ranks are dealt */
    uint64_t most_insns; /* scalar instructions that a rank may execute */
    uint32_t ring_mask; /* of the largest rings, which hold the profile's queue depth */
    struct { pto_observer *function; void *context; bool causes; } observer[MAX_OBSERVERS];
    unsigned observers;
    bool causes; /* one of them asks why */
    bool values; /* one of them asks for the values of registers */
    struct probe_link *probe; /* those that watch, the latest first; NULL: none */
    bool watched; /* by an observer or by a probe */
    bool prepared, finished;
    atomic_int pause; /* enum pause; also set from a signal handler */
    atomic_bool stopped; /* every run pauses at once; set from other threads, too */
    bool resting;     /* with a carrier: all do, for they have heard that somebody asked for it */
    bool met;         /* with a carrier: the run has begun, and all know what others ask for */
    bool sizes_only; /* nothing is to run: inputs need not be there */
    enum pto_status status; /* PTO_OK while alive */
    struct pto_fault fault;
    bool parties_listed; /* the fault says who waits for whom (look/) */
    struct pto_fault *warning; /* of all ranks, by (time, rank) */
    unsigned warnings;
    /* Host threads that share the ranks of a window (run/sched.c). */
    unsigned threads;     /* the caller's included */
    struct crew *crew;    /* NULL: none but the caller's so far */
    struct op_args *args; /* of every thread */
    struct stock *stock;  /* the same (stock.h) */
    uint64_t window_end;  /* of the window in hand, exclusive */
    uint64_t windows;     /* so far */
    uint64_t effort;      /* what had been done when it began, in entries of average size */
    uint64_t recent_effort; /* four times the average of the last windows, by age */
    bool gathers;         /* ranks keep what observers are to see (rank.h) */
    atomic_bool printed;  /* ranks have lines that the caller has not seen */
};

/* Does this process advance the rank? */
static inline bool is_own(const struct pto_vm *vm, int rank)
{
    return !vm->owner || vm->owner[rank] == vm->process;
}

/* Does anybody look at what happens? */
static inline bool is_watched(const struct pto_vm *vm)
{
    return __builtin_expect(vm->watched, 0);
}

#endif
