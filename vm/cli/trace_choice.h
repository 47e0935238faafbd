/* What a trace is to hold, as the command line says. */
#ifndef PTO_CLI_TRACE_CHOICE_H
#define PTO_CLI_TRACE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* What events of a trace stand for; the categories that viewers show. */
#define TRACE_KIND_LIST                                                                            \
    TRACE_KIND(PIPE, "pipe")       /* phases of pipes and of the DMA engine */                     \
    TRACE_KIND(WAIT, "wait")       /* what pipes and scalar units wait for */                      \
    TRACE_KIND(FLAG, "flag")       /* flags set and taken, with arrows */                          \
    TRACE_KIND(SCALAR, "scalar")   /* what takes a scalar unit time of its own */                  \
    TRACE_KIND(LINK, "link")       /* messages between ranks, with arrows */                       \
    TRACE_KIND(REGION, "region")   /* kernels, and regions that they name */                       \
    TRACE_KIND(COUNTER, "counter") /* queues, memory, cache, links */                              \
    TRACE_KIND(FINDING, "finding") /* of --check, and the fault that ended a run */

enum trace_kind {
#define TRACE_KIND(id, name) TRACE_##id,
    TRACE_KIND_LIST
#undef TRACE_KIND
    TRACE_KINDS
};

struct trace_ranks {
    int first, last;
};

struct trace_choice {
    uint64_t most;              /* events; the rest is counted */
    uint64_t from_ps, to_ps;    /* what touches this time */
    uint64_t interval_ps;       /* of counters */
    struct trace_ranks *rank;   /* none: all */
    unsigned ranks;
    const char **core;          /* patterns; none: all */
    unsigned cores;
    uint32_t pipes;             /* a bit for each queue */
    uint32_t kinds;             /* a bit for each kind */
    bool insight;               /* for MindStudio Insight, else for Chrome's viewer and Perfetto */
};

const char *trace_kind_name(enum trace_kind kind);

#endif
