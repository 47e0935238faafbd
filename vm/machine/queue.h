/* The queues of a sub-core as everybody may look at them: its pipes and its DMA engine.  Only their
 * own units change them (units/queue.c, pipe.c, dma.c). */
#ifndef PTO_MACHINE_QUEUE_H
#define PTO_MACHINE_QUEUE_H

#include "machine.h"

static inline struct entry *pipe_entry(const struct pipe *pipe, uint32_t counter)
{
    return &pipe->ring[counter & pipe->mask];
}

/* The host's caches need not hold the entries of all queues of many ranks: those that come soon are
 * fetched. */
enum { ENTRIES_AHEAD = 2 };
static inline void queue_fetch(const struct pipe *pipe, uint32_t counter)
{
    const char *entry = (const char *)pipe_entry(pipe, counter);

    __builtin_prefetch(entry);
    __builtin_prefetch(entry + sizeof(struct entry) / 2);
}

/* Does the head wait for a flag or for earlier work?  It may be known that it will before its time
 * has come. */
static inline bool pipe_waits(const struct pipe *pipe, uint64_t now)
{
    bool comes = pipe->node.place != EVENT_IDLE && pipe->node.time == pipe->wait_since;

    return pipe->next != pipe->tail && pipe->wait_since <= now && !comes;
}

/* What observers call the entry at a counter: 0 is none. */
static inline uint64_t entry_number(uint32_t counter)
{
    return (uint64_t)counter + 1;
}

/* The entry that a pipe is completing; S has none. */
static inline uint64_t head_number(const struct core *core, unsigned pipe)
{
    return pipe == PTO_PIPE_S ? 0 : entry_number(core->pipe[pipe]->head);
}

static inline bool pipe_full(const struct core *core, unsigned pipe)
{
    return core->pipe[pipe]->tail - core->pipe[pipe]->head == core->rank->vm->profile.queue_depth;
}

static inline bool pipe_empty(const struct core *core, unsigned pipe)
{
    return core->pipe[pipe]->tail == core->pipe[pipe]->head;
}

/* Are all pipes of the sub-core empty? */
static inline bool pipes_empty(const struct core *core)
{
    for (unsigned pipe = PTO_PIPE_S + 1; pipe < PTO_PIPE_COUNT; pipe++)
        if (!pipe_empty(core, pipe))
            return false;
    return true;
}

static inline bool dma_idle(const struct core *core)
{
    return core->dma->head == core->dma->tail;
}

/* A submission that is in the queue of the DMA engine, by its number in the launch. */
static inline struct submission *dma_submission(const struct core *core, uint64_t number)
{
    return &core->dma->ring[number % core->rank->vm->profile.async_limit];
}

#endif
