/* What somebody changes by hand: a register, bytes, the next instruction of S.
 *
 * A change belongs to the event where the machine stood.  From there on the run is another one,
 * which is deterministic like the first: whoever goes back in it and runs on makes the change again
 * where it was made.  Whoever comes to that event, or before it, is on the run as it was, and the
 * change is gone. */
#ifndef PTO_DBG_CHANGE_H
#define PTO_DBG_CHANGE_H

#include "dbg/state.h"

/* Make it now, at the place where the machine stands, and take over what it owns.  False: it cannot
 * be, and is answered. */
bool change_make(struct dbg *dbg, const struct dbg_change *what);
/* The machine is back where it was after so many events: what was changed later is not yet. */
void change_undo(struct dbg *dbg, uint64_t events);
/* It stands at an event: make those again that belong there.  Was there one? */
bool change_redo(struct dbg *dbg);
/* It stays there: what is ahead, or belongs to this event, is gone.  Was there one?  Then its event
 * is *event. */
bool change_settle(struct dbg *dbg, uint64_t *event);
/* A copy of those that are there, for somebody who wants to come back to them. */
struct dbg_change *change_copy(const struct dbg *dbg, unsigned *count);
void change_free_copy(struct dbg_change *change, unsigned count);
/* Are those of a copy the ones that are there? */
bool change_are_same(const struct dbg *dbg, const struct dbg_change *change, unsigned count);
/* Let those of a copy take the place of those that are there.  The event from which on the run is
 * another one now; UINT64_MAX: it is the same. */
uint64_t change_replace(struct dbg *dbg, const struct dbg_change *change, unsigned count);
/* All are gone, without a word. */
void change_forget(struct dbg *dbg);
/* The command `info changes`. */
bool change_info(struct dbg *dbg, const char *args);

#endif
