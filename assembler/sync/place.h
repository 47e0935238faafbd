/* Windows of global memory that cannot meet.  Internal to the room. */
#ifndef ASM_SYNC_PLACE_H
#define ASM_SYNC_PLACE_H

#include "sync/slots.h"

/* Are the windows of two operands of one object apart for certain?  Or do they meet only, within
 * a run of a loop, in turns in which the register that is put into `reg` has one value: it grows by
 * no less than the windows' extent.  `steps`: see place_find_steps. */
enum place_kind { PLACE_ANY, PLACE_APART, PLACE_BY_REGISTER };
enum place_kind place_compare(const struct pto_kernel *kernel, const struct pto_core_code *core,
                              const struct pto_insn *a, const struct pto_gm_ref *x,
                              const struct pto_insn *b, const struct pto_gm_ref *y,
                              const int64_t *steps, uint16_t *reg);
/* The least step of all that each register grows by; 0: it may be none. */
void place_find_steps(const struct pto_core_code *core, int64_t steps[PTO_MAX_REGISTERS]);
/* Does an instruction increase the register? */
bool place_grows(const struct pto_insn *insn, uint16_t reg);

#endif
