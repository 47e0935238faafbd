/* Moments of a run that the debugger can return to: snapshots of the machine, and of what the
 * debugger knew.  They are taken while the machine runs, every so many events; what they may take
 * is limited, and where it is reached every second one goes.  A run that a checker watches has
 * none: what it knows is not part of them. */
#ifndef PTO_DBG_HISTORY_H
#define PTO_DBG_HISTORY_H

#include "dbg/state.h"

/* Before the machine runs: the start is the first moment. */
void history_begin(struct dbg *dbg);
/* At every event: the machine pauses where a moment is due. */
void history_note(struct dbg *dbg);
/* The machine has paused: was it for a moment?  Then it is taken, and the machine goes on. */
bool history_take(struct dbg *dbg);
/* To the last moment before the event of this number; false: there is none. */
bool history_return(struct dbg *dbg, uint64_t event);
/* Number of events at that moment, without going there; false: there is none. */
bool history_moment(const struct dbg *dbg, uint64_t event, uint64_t *events);
/* Number of events at the last moment before the first event at or after this time; false: there
 * is none. */
bool history_before(const struct dbg *dbg, uint64_t time_ps, uint64_t *events);
/* The machine is about to run to this event, near which somebody will want to be again. */
void history_expect(struct dbg *dbg, uint64_t event);
/* Keep within the limit, which has changed. */
void history_thin(struct dbg *dbg);
/* The run is another one from this event on: what was kept behind it goes. */
void history_cut(struct dbg *dbg, uint64_t event);
/* The machine goes. */
void history_forget(struct dbg *dbg);

#endif
