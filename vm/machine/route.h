/* Whoever uses a way that is down faults. */
#ifndef PTO_MACHINE_ROUTE_H
#define PTO_MACHINE_ROUTE_H

#include "machine.h"

/* What to do about a link that went down while something was on its way over it. */
#define ROUTE_MENDED "choose a route that avoids this link, or be done before it goes down"

/* Microseconds for "%.3f", cut off as other times that are shown. */
static inline double route_us(uint64_t ps)
{
    return (double)(ps / 1000) / 1e3;
}

/* The first time from `since` to `until` at which the way to another rank, or the way back, is
 * down; ENGINE_NEVER: there is none. */
uint64_t route_breaks(const struct rank *rank, int peer, uint64_t since, uint64_t until);
/* If there is one, the instruction at `pc` faults on `queue` at `until`: false.  `hint`: how to do
 * without a way that was down before. */
bool route_check(struct core *core, uint32_t pc, unsigned queue, int peer, uint64_t since,
                 uint64_t until, const char *hint);

static inline bool route_holds(struct core *core, uint32_t pc, unsigned queue, int peer,
                               uint64_t since, uint64_t until, const char *hint)
{
    return !core->rank->vm->changes.downs ||
           route_check(core, pc, queue, peer, since, until, hint);
}

#endif
