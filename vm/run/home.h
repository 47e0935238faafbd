/* The end of a run that several processes shared: process 0 takes over all ranks. */
#ifndef PTO_RUN_HOME_H
#define PTO_RUN_HOME_H

#include "machine/machine.h"

/* Every process gives its ranks away; on process 0 the machine is then what it would be had it run
 * them all, but for on-chip memories, bytes on their way, and objects that nobody asks for. */
void home_gather(struct pto_vm *vm);

#endif
