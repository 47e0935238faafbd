/* Memory that a machine takes for its run, known when the shapes of all objects are. */
#ifndef PTO_RUN_FOOTPRINT_H
#define PTO_RUN_FOOTPRINT_H

#include "machine/machine.h"

void footprint_measure(const struct pto_vm *vm, struct pto_memory *memory);
/* Does all of it fit into options.max_memory?  PTO_EMEMORY: no, and `diags` says what it is for. */
enum pto_status footprint_check(const struct pto_vm *vm, struct pto_diags *diags);

#endif
