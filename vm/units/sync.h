/* Synchronisation as the scalar unit sees it: what it puts into queues, what it waits for. */
#ifndef PTO_UNITS_SYNC_H
#define PTO_UNITS_SYNC_H

#include "issue.h"

/* Does the instruction act on the world at S's own time (instead of entering a queue)? */
bool sync_needs_clock(const struct ready_op *op);
enum issue_result sync_execute(struct core *core, const struct ready_op *op);

#endif
