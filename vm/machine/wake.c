#include "wake.h"

#include "queue.h"

void wake_scalar(struct core *core, uint64_t time)
{
    core->stall = STALL_TIME;
    eventq_schedule(&core->rank->events, &core->pipe[PTO_PIPE_S].node,
                    max_u64(time, core->time));
}

void wake_finished(struct core *core, uint64_t time)
{
    core->pc++;
    wake_scalar(core, time);
}

/* Does the next entry of the pipe wait for this token? */
static bool head_waits_for(const struct core *core, unsigned pipe, unsigned src, unsigned id)
{
    const struct pipe *queue = &core->pipe[pipe];
    const struct entry *entry;

    if (queue->next == queue->tail)
        return false;
    entry = pipe_entry(core->rank->vm, queue, queue->next);
    return queue->wait_since != ENGINE_NEVER && entry->kind == ENTRY_WAIT &&
           entry->flag_src == src && entry->flag_id == id;
}

void wake_token(struct core *core, unsigned src, unsigned dst, unsigned id)
{
    if (dst != PTO_PIPE_S) {
        if (head_waits_for(core, dst, src, id))
            wake_queue(core, dst, core->rank->now);
        return;
    }
    if (core->stall == STALL_FLAG && core->stall_src == src && core->stall_id == id)
        wake_scalar(core, core->rank->now);
}

void wake_cross(struct core *core, unsigned id)
{
    if (core->stall == STALL_CROSS && core->stall_id == id)
        wake_scalar(core, core->rank->now);
}

void wake_ended(struct core *core)
{
    if (!core->drained && pipes_empty(core) && dma_idle(core))
        core->rank->called = core;
}

void wake_room(struct core *core, unsigned queue)
{
    switch (core->stall) {
    case STALL_QUEUE:
        if (core->stall_pipe != queue)
            return;
        core->time = max_u64(core->time, core->rank->now);
        core->rank->called = core;
        return;
    case STALL_BARRIER:
        if (pipes_empty(core))
            wake_scalar(core, core->rank->now);
        return;
    case STALL_ENDED:
        wake_ended(core);
        return;
    default:
        return;
    }
}
