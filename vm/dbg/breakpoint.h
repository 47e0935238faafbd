/* Breakpoints: where they are, when they hold, the list. */
#ifndef PTO_DBG_BREAKPOINT_H
#define PTO_DBG_BREAKPOINT_H

#include "dbg/state.h"

/* First, at every event: have the values of watched expressions changed? */
void breakpoint_look(struct dbg *dbg, const struct pto_event *event, bool arrival);
/* The first breakpoint that stops the machine at this event, or NULL; counts hits and ignored ones
 * and notes all that stop it.  `arrival`: S has come to the instruction of a scalar event. */
const struct dbg_break *breakpoint_hit(struct dbg *dbg, const struct pto_event *event,
                                       bool arrival);
/* One of them, at an event that it is about (dbg_break.changed); the second counts the hit. */
bool breakpoint_holds(struct dbg *dbg, const struct dbg_break *b, const struct pto_event *event);
bool breakpoint_stops(struct dbg *dbg, struct dbg_break *b, const struct pto_event *event);
/* What holds at the stop: "Breakpoint 3, Watchpoint 4, " and the event, unless S just arrived. */
void breakpoint_say_hits(struct dbg *dbg);
/* What it owns. */
void breakpoint_free(struct dbg_break *b);
/* Would any enabled breakpoint hold, counts aside? */
bool breakpoint_matches_any(struct dbg *dbg, const struct pto_event *event, bool arrival);
/* The place to which S has come at its event; NULL: none of them. */
const struct dbg_place *breakpoint_arrival(struct dbg *dbg, const struct dbg_places *places,
                                           const struct pto_event *event);
/* Append one from the text after the place: [rank N] [core NAME] [if CONDITION].  Takes over
 * `places`; NULL: answered. */
struct dbg_break *breakpoint_add(struct dbg *dbg, const struct dbg_break *what, const char *rest);
/* With --check: stop at findings. */
void breakpoint_catch_findings(struct dbg *dbg);
struct dbg_break *breakpoint_find(struct dbg *dbg, unsigned number);
void breakpoint_delete(struct dbg *dbg, unsigned number);
/* After a stop: temporary ones that were hit are gone. */
void breakpoint_drop_temporary(struct dbg *dbg);
void breakpoint_say(struct dbg *dbg, const struct dbg_break *b);
void breakpoint_free_all(struct dbg *dbg);

#endif
