/* What the files of this room share: looking at a sub-core of the machine. */
#ifndef PTO_LOOK_LOOK_H
#define PTO_LOOK_LOOK_H

#include "machine/queue.h"
#include "wait.h"

struct pto_wait look_wait(const struct core *core, unsigned queue);
/* Does the sub-core take part in a sync_all of this scope? */
bool look_takes_part(const struct core *core, int scope);
/* Has the sub-core anything to do with the launch that its rank is in? */
bool look_is_running(const struct core *core);
/* Add the loop around instruction `pc` of a busy scalar unit, and what it polls, if there is one.
 */
void look_tell_loop(const struct core *core, uint32_t pc, struct pto_buf *out);

#endif
