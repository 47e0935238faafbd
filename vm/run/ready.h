/* From a verified program to the form that runs: names become numbers, operands become register
 * indices and prepared views.  The only place where that happens. */
#ifndef PTO_RUN_READY_H
#define PTO_RUN_READY_H

#include "machine/machine.h"

/* Prepare one program of a kernel (`core` NULL: its set-up).  Memory from the machine's arena. */
void ready_code(struct pto_vm *vm, const struct pto_program *program,
                const struct pto_kernel *kernel, const struct pto_core_code *core,
                struct ready_code *ready);

#endif
