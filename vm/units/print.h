/* What a program writes for its author: print and TPRINT.
 *
 * Lines gather in their rank, until all ranks have come as far (run/sched.c). */
#ifndef PTO_UNITS_PRINT_H
#define PTO_UNITS_PRINT_H

#include "machine/machine.h"

void print_values(struct core *core, const struct ready_op *op);
/* The elements as they are at S's time, one row a line; false after a fault. */
bool print_tile(struct core *core, const struct ready_op *op);
bool print_window(struct core *core, const struct ready_op *op);

/* Hand over to the caller the lines that were printed until then, by (time, rank); drop others. */
void print_flush(struct pto_vm *vm, uint64_t until);
void print_free(struct rank *rank);

#endif
