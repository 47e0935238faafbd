/* The synchronisation between the pipes of a sub-core, in programs that are assembled already. */
#ifndef ASM_SYNC_SYNC_H
#define ASM_SYNC_SYNC_H

#include "module.h"
#include "profile.h"

/* Take all flags and barriers of pipes out of all programs; flags between sub-cores, fences and
 * signals stay. */
void sync_remove(struct pto_module *module);
/* The same, and `pipe_barrier ALL` behind every instruction that a pipe executes: it completes
 * before anything later starts; `dcci` and `dsb` behind every store of S.  `publish`: and what
 * others are told of is published first. */
void sync_in_order(struct pto_module *module, bool publish);
/* The same, but flags and barriers where instructions touch bytes of earlier ones. */
void sync_automatic(struct pto_module *module, const struct pto_profile *profile, bool publish);

#endif
