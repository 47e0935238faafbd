/* The pipes of a sub-core: bounded queues worked in order, asynchronously to everything else. */
#ifndef PTO_UNITS_PIPE_H
#define PTO_UNITS_PIPE_H

#include "machine/machine.h"

static inline bool pipe_full(const struct core *core, unsigned pipe)
{
    return core->pipe[pipe].tail - core->pipe[pipe].head == core->rank->vm->profile.queue_depth;
}

static inline bool pipe_empty(const struct core *core, unsigned pipe)
{
    return core->pipe[pipe].tail == core->pipe[pipe].head;
}

/* Are all pipes of the sub-core empty? */
bool pipe_all_empty(const struct core *core);
/* A free entry at the end of a queue that is not full, with the scalar unit's time and pc. */
struct entry *pipe_entry_new(struct core *core, unsigned pipe, enum entry_kind kind);
/* The entry is filled: the pipe may see it from its issue time on. */
void pipe_issue(struct core *core, unsigned pipe);
/* The pipe's event has come: complete what is due, start what can start. */
void pipe_run(struct core *core, unsigned pipe);
/* What the function of a tile entry would see now.  A remote destination gets a payload. */
void pipe_fill_args(struct core *core, struct entry *entry, struct op_args *args);
/* Look at the pipe again now: a token came, or a reply. */
void pipe_wake(struct core *core, unsigned pipe);

#endif
