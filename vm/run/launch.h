/* Launches: how a rank starts a kernel on its sub-cores, notices its end and goes on. */
#ifndef PTO_RUN_LAUNCH_H
#define PTO_RUN_LAUNCH_H

#include "machine/machine.h"

struct news;

/* Put the built-in values into the core's registers: for a program, or for a kernel's set-up. */
void launch_fill_sys(struct core *core, const struct pto_kernel *kernel);
/* Start the rank's current launch now. */
void launch_begin(struct rank *rank);
/* A sub-core has ended and its pipes are empty. */
void launch_core_ended(struct core *core);
/* The launch ends for a rank when its sub-cores have, and no count of a cross-core flag is on its
 * way. */
void launch_end_if_done(struct rank *rank);
/* Has the rank run all launches? */
bool launch_all_done(const struct rank *rank);
/* With --join: what there is to tell of the ranks of this process, and, where every rank of all has
 * ended the current launch, the start of the next one. */
void launch_look(const struct pto_vm *vm, struct news *news);
void launch_join(struct pto_vm *vm, const struct news *news);

#endif
