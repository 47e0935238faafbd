/* Loads of the scalar unit that its cache may answer with old bytes.  Internal to the room. */
#ifndef ASM_SYNC_STALE_H
#define ASM_SYNC_STALE_H

#include "sync/order.h"

/* Is it a load of S from an object that the kernel writes somewhere? */
bool stale_is_load(const struct pto_kernel *kernel, const struct pto_insn *insn);
/* By instruction, malloc'ed: does it need a dcci in front of it, behind its waits?  A load of S
 * does where the pipes of this sub-core, a fetch_add, or whoever an instruction on the way has
 * waited for may have written since the last one; a fetch_add where S may have stored. */
bool *stale_find(const struct order *order);

#endif
