/* The checker inside: with --check its findings are events of the run, with numbers, at which
 * catchpoints stop. */
#ifndef PTO_DBG_FINDINGS_H
#define PTO_DBG_FINDINGS_H

#include "dbg/state.h"

/* Let the checker watch the machine that was built, if the options ask for it; before the machine
 * goes, it goes.  The observer sees findings like events of the machine. */
enum pto_status findings_attach(struct dbg *dbg, pto_observer *observer);
void findings_detach(struct dbg *dbg);
/* The run is over: what the checker concludes from its end is found, too. */
void findings_conclude(struct dbg *dbg, bool tell);
/* How many there are up to here; numbers are 1 to that. */
unsigned findings_count(const struct dbg *dbg);
/* What is wrong, with both parties and what to do. */
void findings_say(struct dbg *dbg, unsigned number);
/* The event of a finding, which may lie ahead; 0: none is known by this number. */
uint64_t findings_event(const struct dbg *dbg, unsigned number);
/* When its later party was at work; false: there is no such finding up to here. */
bool findings_time(struct dbg *dbg, unsigned number, uint64_t *time_ps);
/* The list, or one: the command `info findings`. */
bool findings_info(struct dbg *dbg, const char *args);
/* The run is another one from this event on: what was found behind it is forgotten. */
void findings_cut(struct dbg *dbg, uint64_t event);
void findings_forget(struct dbg *dbg);

#endif
