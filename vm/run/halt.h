/* Where the ranks of a run stand that a fault or a limit has ended.  What the machine does ahead of
 * its clock, and the events that it spares, depend on who watches; where a run stands does not. */
#ifndef PTO_RUN_HALT_H
#define PTO_RUN_HALT_H

#include "machine/machine.h"

/* The rank has done all that comes before `end`, unless it has faulted earlier itself; `goes_on`:
 * something is yet to come for it. */
void halt_rank(struct rank *rank, uint64_t end, bool goes_on);
/* The rank has come to the limit on simulated time: its clock stands there. */
void halt_at_time_limit(struct rank *rank);

#endif
