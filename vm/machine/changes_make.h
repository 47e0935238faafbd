/* What options and the topology's file say of changes, as spells of wires and ranks. */
#ifndef PTO_MACHINE_CHANGES_MAKE_H
#define PTO_MACHINE_CHANGES_MAKE_H

#include "diag.h"
#include "status.h"
#include "vm.h"

enum pto_status changes_create(struct pto_vm *vm, struct pto_diags *diags);
void changes_free(struct pto_vm *vm);

#endif
