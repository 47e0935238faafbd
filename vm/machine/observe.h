/* The one place that calls observers. */
#ifndef PTO_MACHINE_OBSERVE_H
#define PTO_MACHINE_OBSERVE_H

#include "machine.h"

/* Is anybody looking?  Events are only composed if so. */
static inline bool observed(const struct core *core)
{
    return __builtin_expect(core->rank->vm->observers != 0, 0);
}

/* Does anybody ask why? */
static inline bool asks_why(const struct core *core)
{
    return __builtin_expect(core->rank->vm->causes, 0);
}

/* Send an event about a sub-core; rank, core, module and instruction (at pc) are filled in. */
void observe_core(const struct core *core, uint32_t pc, struct pto_event event);
/* Send an event about a rank as a whole. */
void observe_rank(struct rank *rank, struct pto_event event);
/* Keep it for later. */
void observe_gather(struct rank *rank, const struct pto_event *event);
/* How many values of registers an event has that was gathered. */
uint64_t observe_values_count(const struct pto_event *event);
/* Show the observers what the rank has gathered while threads or processes advanced
 * it beside others. */
void observe_flush(struct rank *rank);
void observe_free(struct rank *rank);

#endif
