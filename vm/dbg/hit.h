/* The breakpoints that hold where the machine stops, with what each of them caught. */
#ifndef PTO_DBG_HIT_H
#define PTO_DBG_HIT_H

#include "dbg/state.h"

/* Are they one event, at which several breakpoints hold? */
bool hit_is_same(const struct pto_event *a, const struct pto_event *b);
/* A breakpoint holds at an event.  Several events of one step may be caught, of which the first
 * ones are kept; but one instruction may touch the bytes of a watchpoint more than once, and the
 * first finding of a step is told alone, as others mostly follow from it. */
void hit_note(struct dbg *dbg, const struct dbg_break *b, const struct pto_event *event);
/* Has none before it the same number? */
bool hit_is_first(const struct dbg *dbg, unsigned hit);
/* The machine goes on: nothing holds. */
void hit_forget(struct dbg *dbg);

#endif
