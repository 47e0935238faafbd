#include "queue.h"

#include <stdlib.h>

#include "machine/observe.h"
#include "machine/probe.h"
#include "machine/wake.h"

enum { FIRST_ENTRIES = 4 }; /* of a ring: all that most pipes ever have at a time */

/* A ring of twice the size, with the same entries. */
static void grow(struct pipe *pipe, uint32_t full_mask)
{
    uint32_t entries = pipe->ring ? pipe->mask + 1 : 0;
    uint32_t mask = entries ? 2 * entries - 1 : FIRST_ENTRIES - 1;
    struct entry *ring;

    mask = mask < full_mask ? mask : full_mask;
    ring = pto_xcalloc(mask + 1, sizeof *ring);
    for (uint32_t i = 1; i <= entries; i++)
        ring[(pipe->tail - i) & mask] = *pipe_entry(pipe, pipe->tail - i);
    free(pipe->ring);
    pipe->ring = ring;
    pipe->mask = mask;
}

/* Only a ring of full size is ever full: the entry before the head stays to be looked at. */
static struct entry *ring_entry(struct core *core, unsigned number)
{
    uint32_t full_mask = core->rank->vm->ring_mask;
    struct pipe *pipe = &core->pipe[number];

    if (!pipe->ring || (pipe->tail - pipe->head == pipe->mask && pipe->mask < full_mask))
        grow(pipe, full_mask);
    return pipe_entry(pipe, pipe->tail);
}

struct entry *queue_entry(struct core *core, unsigned pipe, enum entry_kind kind)
{
    struct entry *entry;

    if (pipe_full(core, pipe)) {
        core->stall = STALL_QUEUE;
        core->stall_pipe = (uint8_t)pipe;
        return NULL;
    }
    entry = ring_entry(core, pipe);
    entry->kind = (uint8_t)kind;
    entry->pc = core->pc;
    entry->issue = core->time;
    entry->complete = ENGINE_NEVER;
    entry->payload = NULL;
    return entry;
}

void queue_push(struct core *core, unsigned number)
{
    struct pipe *pipe = &core->pipe[number];
    uint64_t when = max_u64(core->time, pipe->free_at);

    if (observed(core))
        observe_core(core, core->pc, (struct pto_event){.kind = PTO_EV_ISSUE,
                                                        .pipe = (uint8_t)number,
                                                        .time_ps = core->time,
                                                        .entry = entry_number(pipe->tail)});
    PROBE(core->rank->vm, issue, core, number);
    if (pipe->next == pipe->tail++ &&
        (pipe->node.place == EVENT_IDLE || pipe->node.time > when))
        wake_queue(core, number, when);
}

void queue_free(struct core *core)
{
    for (unsigned number = 0; number < PTO_PIPE_COUNT; number++) {
        struct pipe *pipe = &core->pipe[number];

        for (uint32_t i = pipe->head; i != pipe->tail; i++)
            free(pipe_entry(pipe, i)->payload);
        free(pipe->ring);
    }
}
