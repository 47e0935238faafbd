/* Bytes apart from time: instructions of a rank that are complete and whose bytes have not moved
 * yet (docs/decisions/0022-bytes-apart-from-time.md).
 *
 * A queue for each AI core, in the order of completion, so that all that lies on chip is worked at
 * in that order; and no instruction enters a queue while its window of global memory meets one of
 * another queue that it must not pass.  So the queues may be worked off in any order, and by
 * several threads.  That happens all at once, on behalf of the thread that advances the rank:
 * whenever somebody wants to see bytes (due.h), an instruction comes that must not wait, or the
 * backlog is long. */
#ifndef PTO_MACHINE_BACKLOG_H
#define PTO_MACHINE_BACKLOG_H

#include "machine.h"

/* For a rank that is advanced alone; until backlog_free. */
void backlog_create(struct rank *rank);
void backlog_free(struct rank *rank);

/* The tile instruction completes.  True: its bytes will move later, and before anybody sees them.
 * False: the caller moves them now, and nothing is left in the backlog. */
bool backlog_takes(struct core *core, unsigned pipe, const struct entry *entry);
/* The caller has moved them, without a fault. */
void backlog_learn(const struct core *core, const struct entry *entry);

#endif
