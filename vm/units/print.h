/* What a program writes for its author: print and TPRINT. */
#ifndef PTO_UNITS_PRINT_H
#define PTO_UNITS_PRINT_H

#include "machine/machine.h"

void print_values(struct core *core, const struct ready_op *op);
/* The elements as they are at S's time, one row a line; false after a fault. */
bool print_tile(struct core *core, const struct ready_op *op);
bool print_window(struct core *core, const struct ready_op *op);

#endif
