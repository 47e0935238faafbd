/* Issue: operands are resolved and checked, and work enters the queues. */
#ifndef PTO_UNITS_ISSUE_H
#define PTO_UNITS_ISSUE_H

#include "machine/machine.h"

enum issue_result {
    ISSUE_DONE,  /* go on with the next instruction */
    ISSUE_STALL, /* S stalls; the same instruction is executed again later */
    ISSUE_FAULT
};

/* A tile instruction, into the entry at the end of its queue. */
enum issue_result issue_tile(struct core *core, const struct ready_op *op, struct entry *entry);
/* A flag or a barrier that enters a queue. */
enum issue_result issue_flag(struct core *core, const struct ready_op *op);
/* Does the profile have this event?  If not, it is a fault. */
bool issue_check_event(struct core *core, uint64_t event);

#endif
