/* The pipes of a sub-core: bounded queues worked in order, asynchronously to everything else. */
#ifndef PTO_UNITS_PIPE_H
#define PTO_UNITS_PIPE_H

#include "machine/machine.h"

/* The pipe's event has come: complete what is due, start what can start. */
void pipe_run(struct core *core, unsigned pipe);

#endif
