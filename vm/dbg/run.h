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
/* A watchpoint's bytes are touched; `later`: the machine is to stop at the next event.  `number`:
 * of the event that it belongs to. */
void run_touched(struct dbg *dbg, struct dbg_break *b, const struct pto_event *event,
                 uint64_t number, bool later);
/* Run towards the goal without telling anything. */
void run_machine(struct dbg *dbg, struct dbg_goal goal);
/* After it: move the focus to what happened and say it. */
void run_settle(struct dbg *dbg);
/* After an interruption a person goes on at the prompt; what is left of a script is not done. */
bool run_goes_on(struct dbg *dbg);
/* Remember the line and the macro use that the focused sub-core is in: goals leave them. */
void run_note_line(struct dbg *dbg);
/* Has the machine ended, by itself or by a fault? */
bool run_is_over(const struct dbg *dbg);

#endif
