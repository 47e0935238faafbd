/* Counters of a trace: bytes by intervals of time, and how full queues were. */
#ifndef PTO_TRACE_METER_H
#define PTO_TRACE_METER_H

#include "trace/timeline.h"

struct trace_meters;

struct trace_meters *trace_meters_start(struct timeline *out, const struct trace_choice *choice,
                                        const struct pto_profile *profile);
/* A phase starts: bytes of global memory, and of the link that they leave over. */
void trace_meters_phase(struct trace_meters *m, const struct pto_event *event);
/* Bytes leave for another rank by themselves: those of replies. */
void trace_meters_send(struct trace_meters *m, const struct pto_event *event);
/* Those of a reply that takes turns with others, from when it begins to. */
void trace_meters_leaving(struct trace_meters *m, const struct pto_event *event);
/* What is still to be told. */
void trace_meters_end(struct trace_meters *m);
void trace_meters_free(struct trace_meters *m);

/* How many entries a queue holds. */
struct trace_depth {
    uint64_t interval;      /* the one in hand */
    uint32_t now, most;     /* entries, and the most in that interval */
    uint32_t told;
};
/* There are so many from then on. */
void trace_depth_set(struct trace_meters *m, struct trace_depth *depth, const struct pto_event *at,
                     uint64_t when, uint32_t entries);
/* The last interval, of a queue of a sub-core. */
void trace_depth_end(struct trace_meters *m, struct trace_depth *depth, const struct pto_event *at);

#endif
