/* Which bytes instructions touch, as far as that is known before the run.  Internal to the room. */
#ifndef ASM_SYNC_TOUCH_H
#define ASM_SYNC_TOUCH_H

#include "module.h"
#include "profile.h"

enum { SYNC_NO_PIPE = PTO_PIPE_COUNT };

/* The pipe that carries an instruction out; S for those of the scalar unit that touch memory;
 * SYNC_NO_PIPE for all others. */
unsigned sync_pipe(const struct pto_profile *profile, const struct pto_core_code *core,
                   const struct pto_insn *insn);
/* May the two touch the same bytes, one of them writing?  Slots and places that only the run knows
 * may be any; two windows of one object in global memory may be the same. */
bool sync_conflict(const struct pto_kernel *kernel, const struct pto_core_code *core,
                   const struct pto_insn *a, const struct pto_insn *b);

#endif
