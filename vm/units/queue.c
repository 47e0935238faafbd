#include "queue.h"

#include <stdlib.h>

#include "machine/observe.h"
#include "machine/probe.h"
#include "machine/wake.h"

static struct entry *ring_entry(struct core *core, unsigned number)
{
    struct pto_vm *vm = core->rank->vm;
    struct pipe *pipe = &core->pipe[number];

    if (!pipe->ring)
        pipe->ring = pto_xcalloc(vm->ring_mask + 1, sizeof *pipe->ring);
    return pipe_entry(vm, pipe, pipe->tail);
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
            free(pipe_entry(core->rank->vm, pipe, i)->payload);
        free(pipe->ring);
    }
}
