/* Lines of the scalar unit's cache: which stores a dcci with an element has written back, which
 * loads it makes fresh.  Internal to the room. */
#ifndef ASM_SYNC_LINE_H
#define ASM_SYNC_LINE_H

#include "sync/order.h"

/* Does instruction `at`, whenever it is executed, leave nothing in the cache of what instruction
 * `store`, an `st` to global memory, has stored so far?  A dcci may. */
bool line_is_back(const struct order *order, uint32_t store, uint32_t at);
/* Does it make what instruction `load` loads fresh? */
bool line_is_fresh(const struct order *order, uint32_t at, uint32_t load);

#endif
