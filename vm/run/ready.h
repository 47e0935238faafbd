/* From a verified program to the form that runs: names become numbers, operands become register
 * indices and prepared views.  The only place where that happens. */
#ifndef PTO_RUN_READY_H
#define PTO_RUN_READY_H

#include "machine/machine.h"

/* The ready form of a kernel, made when it is launched first.  Memory from the machine's arena. */
struct ready_kernel *ready_kernel(struct pto_vm *vm, const struct pto_program *program,
                                  const struct pto_kernel *kernel);

#endif
