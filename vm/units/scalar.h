/* The scalar unit: executes a sub-core's program and issues work to the pipes.
 *
 * It runs ahead of the event queue over instructions that touch registers and queues only; every
 * queue entry carries its issue time.  Whatever looks at or changes the world outside (memory,
 * flags, signals, the clock) happens at an event of S, at its own simulated time. */
#ifndef PTO_UNITS_SCALAR_H
#define PTO_UNITS_SCALAR_H

#include "machine/machine.h"

/* S's event has come, or it may go on: execute until it stalls or ends. */
void scalar_run(struct core *core);
/* Run a set-up on a core without pipes; false after a fault (in core->rank->fault). */
bool scalar_setup(struct core *core);

#endif
