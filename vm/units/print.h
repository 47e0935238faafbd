/* What a program writes for its author: print and TPRINT.
 *
 * Lines gather in their rank, so that ranks on different threads do not mix them. */
#ifndef PTO_UNITS_PRINT_H
#define PTO_UNITS_PRINT_H

#include "machine/machine.h"

void print_values(struct core *core, const struct ready_op *op);
/* The elements as they are at S's time, one row a line; false after a fault. */
bool print_tile(struct core *core, const struct ready_op *op);
bool print_window(struct core *core, const struct ready_op *op);

/* Hand the lines over to the caller. */
void print_flush(struct rank *rank);
void print_free(struct rank *rank);

#endif
