/* What an instruction that completes has written: for those who look at its numbers. */
#ifndef PTO_LOOK_RESULT_H
#define PTO_LOOK_RESULT_H

#include "vm.h"

/* To be asked by an observer at PTO_EV_COMPLETE: is there a NaN among what the instruction wrote on
 * its own rank?  Bytes that were never written, which look like one, do not count. */
bool pto_vm_result_has_nan(struct pto_vm *vm, const struct pto_event *event);

#endif
