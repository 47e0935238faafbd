/* Where programs have to publish what others are told of.  Internal to the room. */
#ifndef ASM_SYNC_PUBLISH_H
#define ASM_SYNC_PUBLISH_H

#include "module.h"

/* Does an instruction tell other sub-cores or ranks how far this one is?  fetch_add may, but most
 * only count. */
bool publish_tells(const struct pto_insn *insn);
/* Where a dsb is missing: in front of an instruction, or of the loop that begins with it; and in
 * front of the dsb a dcci. */
enum publish_place { PUBLISH_HERE = 1, PUBLISH_BEFORE_LOOP = 2, PUBLISH_CACHE = 4 };
/* By instruction, malloc'ed: a mask.  Whoever is told needs a dsb behind what S has stored in
 * global memory.  A TNOTIFY needs one behind stores of pipes and behind what other sub-cores say
 * that they have stored; what tells other sub-cores, behind stores to other ranks, which only their
 * issuer can publish. */
uint8_t *publish_find(const struct pto_kernel *kernel, const struct pto_core_code *core);

#endif
