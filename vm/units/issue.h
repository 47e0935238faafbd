/* Issue: operands are resolved and checked, and work enters the queues. */
#ifndef PTO_UNITS_ISSUE_H
#define PTO_UNITS_ISSUE_H

#include "machine/machine.h"

enum issue_result {
    ISSUE_DONE,  /* go on with the next instruction */
    ISSUE_STALL, /* S stalls; the same instruction is executed again later */
    ISSUE_FAULT
};

/* A tile instruction. */
enum issue_result issue_tile(struct core *core, const struct ready_op *op);

#endif
