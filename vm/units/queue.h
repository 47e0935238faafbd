/* The end of a pipe's queue where the scalar unit puts its work. */
#ifndef PTO_UNITS_QUEUE_H
#define PTO_UNITS_QUEUE_H

#include "machine/queue.h"
#include "machine/wake.h"

/* There is room in the queue, but not in its ring: a larger one. */
void queue_make_room(struct core *core, unsigned pipe);
/* Those who watch see the entry at the end of the queue. */
void queue_tell(struct core *core, unsigned pipe);
/* All queues of the sub-core are empty and stay so: keep what completed last, to be looked at. */
void queue_release(struct core *core);
void queue_free(struct core *core);

/* A free entry at the end of the queue with S's time and pc; NULL if the queue is full: S then
 * stalls until there is room. */
static inline struct entry *queue_entry(struct core *core, unsigned number, enum entry_kind kind)
{
    struct pipe *pipe = core->pipe[number];
    struct entry *entry;

    if (pipe->tail - pipe->head >= pipe->room) {
        if (pipe_full(core, number)) {
            core->stall = STALL_QUEUE;
            core->stall_pipe = (uint8_t)number;
            return NULL;
        }
        queue_make_room(core, number);
        pipe = core->pipe[number]; /* which may be made only now */
    }
    entry = pipe_entry(pipe, pipe->tail);
    entry->kind = (uint8_t)kind;
    entry->pc = core->pc;
    entry->issue = core->time;
    entry->complete = ENGINE_NEVER;
    entry->payload = NULL;
    return entry;
}

/* The entry is filled: the pipe may see it from its issue time on. */
static inline void queue_push(struct core *core, unsigned number)
{
    struct pipe *pipe = core->pipe[number];
    uint64_t when = max_u64(core->time, pipe->free_at);

    queue_fetch(pipe, pipe->tail + ENTRIES_AHEAD);
    if (is_watched(core->rank->vm))
        queue_tell(core, number);
    if (pipe->next == pipe->tail++ &&
        (pipe->node.place == EVENT_IDLE || pipe->node.time > when))
        wake_queue(core, number, when);
}

#endif
