/* Running the machine to a goal, watching its events, and going to a position. */
#ifndef PTO_DBG_RUN_H
#define PTO_DBG_RUN_H

#include "dbg/state.h"

/* The observer of the machine. */
void run_observe(void *context, const struct pto_event *event);
/* Run to the goal, a breakpoint, Ctrl-C or the end, and tell where it stopped. */
bool run_to(struct dbg *dbg, struct dbg_goal goal);
/* The instruction of the fault that ended the run, with the values that it had. */
void run_say_fault(struct dbg *dbg);
/* The position of the next event of this number; answers what is there. */
bool run_goto(struct dbg *dbg, uint64_t event);
/* Look over the events before the present position: the number of the `back`-th last instruction
 * of the focused sub-core, or of the last stop at a breakpoint; 0: there is none.  Leaves the
 * machine at its start. */
bool run_find_before(struct dbg *dbg, bool breakpoints, uint64_t back, uint64_t *event);

#endif
