#include "queue.h"

#include <stdlib.h>

#include "machine/observe.h"
#include "machine/parts.h"
#include "machine/probe.h"

enum { FIRST_ENTRIES = 4 }; /* of a ring: all that most pipes ever have at a time */

/* A ring of twice the size, with the same entries.  Only one of full size is ever full: in others
 * the entry before the head stays to be looked at. */
static __attribute__((noinline)) void grow(struct pipe *pipe, uint32_t full_mask, uint32_t depth)
{
    uint32_t entries = pipe->ring ? pipe->mask + 1 : 0;
    uint32_t mask = entries ? 2 * entries - 1 : FIRST_ENTRIES - 1;
    struct entry *ring;

    mask = mask < full_mask ? mask : full_mask;
    ring = pto_xcalloc_lines(mask + 1, sizeof *ring);
    for (uint32_t i = 1; i <= entries; i++)
        ring[(pipe->tail - i) & mask] = *pipe_entry(pipe, pipe->tail - i);
    free(pipe->ring);
    pipe->ring = ring;
    pipe->mask = mask;
    pipe->room = mask < full_mask ? mask : depth;
}

void queue_make_room(struct core *core, unsigned number)
{
    const struct pto_vm *vm = core->rank->vm;

    grow(parts_make_pipe(core, number), vm->ring_mask, vm->profile.queue_depth);
}

static __attribute__((noinline)) void tell_observers(struct core *core, unsigned number)
{
    observe_core(core, core->pc,
                 (struct pto_event){.kind = PTO_EV_ISSUE,
                                    .pipe = (uint8_t)number,
                                    .time_ps = core->time,
                                    .entry = entry_number(core->pipe[number]->tail)});
}

void queue_tell(struct core *core, unsigned number)
{
    if (observed(core))
        tell_observers(core, number);
    PROBE(core->rank->vm, issue, core, number);
}

void queue_release(struct core *core)
{
    for (unsigned number = 0; number < PTO_PIPE_COUNT; number++) {
        struct pipe *pipe = core->pipe[number];
        const struct entry *entry;

        if (!pipe->ring)
            continue;
        entry = pipe_entry(pipe, pipe->head - 1);
        pipe->last = (struct completed){entry->issue, entry->complete, entry->pc};
        free(pipe->ring);
        pipe->ring = NULL;
        pipe->mask = 0;
        pipe->room = 0;
    }
}

void queue_free(struct core *core)
{
    for (unsigned number = 0; number < PTO_PIPE_COUNT; number++) {
        struct pipe *pipe = core->pipe[number];

        for (uint32_t i = pipe->head; i != pipe->tail; i++)
            free(pipe_entry(pipe, i)->payload);
        free(pipe->ring);
    }
}
