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
/* TPUT, TGET or a collective (macro.c): chunk after chunk; stalls in between when a queue is full. */
enum issue_result issue_macro(struct core *core, const struct ready_op *op);
/* An entry without operands (flag, barrier) for `pipe`; NULL if the queue is full, S then stalls. */
struct entry *issue_entry(struct core *core, unsigned pipe, enum entry_kind kind);

#endif
