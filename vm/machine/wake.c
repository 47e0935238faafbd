#include "wake.h"

#include "observe.h"
#include "queue.h"

void wake_scalar(struct core *core, uint64_t time)
{
    core->stall = STALL_TIME;
    eventq_schedule(&core->rank->events, &core->pipe[PTO_PIPE_S]->node,
                    max_u64(time, core->time));
}

void wake_fill_actor(const struct rank *rank, struct pto_event *event)
{
    bool lands = rank->at_work == AT_WORK_MESSAGE;
    const struct core *actor = lands ? NULL : &rank->core[rank->at_work / 8];
    unsigned pipe = rank->at_work % 8;

    event->pipe = (uint8_t)pipe;
    event->peer = lands ? -1 : actor->number;
    event->entry = lands || pipe == PTO_DMA ? 0 : head_number(actor, pipe);
}

static void tell_release(const struct core *core, uint64_t when)
{
    struct pto_event event = {.kind = PTO_EV_RELEASE,
                              .reason = core->stall,
                              .flag_id = core->stall_id,
                              .time_ps = core->rank->now,
                              .start_ps = when};

    wake_fill_actor(core->rank, &event);
    observe_core(core, core->pc, event);
}

/* Tell those who ask why that S goes on at `when`. */
static inline void released(const struct core *core, uint64_t when)
{
    if (asks_why(core))
        tell_release(core, when);
}

void wake_finished(struct core *core, uint64_t time)
{
    released(core, time);
    core->pc++;
    wake_scalar(core, time);
}

/* The next entry of the pipe if it waits, else NULL. */
static inline const struct entry *waiting_head(const struct core *core, unsigned pipe)
{
    const struct pipe *queue = core->pipe[pipe];

    if (queue->next == queue->tail || queue->wait_since == ENGINE_NEVER)
        return NULL;
    return pipe_entry(queue, queue->next);
}

/* Does the head of the pipe wait for this token? */
static bool head_waits_for(const struct core *core, unsigned pipe, unsigned src, unsigned id)
{
    const struct entry *head = waiting_head(core, pipe);

    return head && head->kind == ENTRY_WAIT && head->flag_src == src && head->flag_id == id;
}

/* Does it wait for a count of the flag at this place? */
static bool head_waits_for_cross(const struct core *core, unsigned pipe, unsigned place)
{
    const struct entry *head = waiting_head(core, pipe);

    return head && head->kind == ENTRY_CROSS_WAIT && head->flag_id == place;
}

/* The head of a queue may end its wait now, or as soon as it would have begun. */
static void wake_head(struct core *core, unsigned number)
{
    const struct pipe *pipe = core->pipe[number];
    uint64_t when = max_u64(core->rank->now, pipe->wait_since);

    if (pipe->node.place == EVENT_IDLE || pipe->node.time > when)
        wake_queue(core, number, when);
}

static bool has_begun(const struct rank *rank, const struct event_node *node, uint64_t since)
{
    return since <= rank->now || node->place != EVENT_IDLE;
}

bool wake_waiting(struct rank *rank)
{
    bool any = false;

    for (unsigned i = 0; i < rank->cores; i++) {
        struct core *core = &rank->core[i];

        if (core->stall == STALL_QUEUE && !has_begun(rank, &core->s.node, core->stall_since)) {
            eventq_schedule(&rank->events, &core->s.node, core->stall_since);
            any = true;
        }
        for (unsigned number = 0; number < PTO_PIPE_COUNT; number++) {
            const struct pipe *pipe = core->pipe[number];

            if (pipe->next == pipe->tail || pipe->wait_since == ENGINE_NEVER ||
                has_begun(rank, &pipe->node, pipe->wait_since))
                continue;
            wake_queue(core, number, pipe->wait_since);
            any = true;
        }
    }
    return any;
}

uint64_t wake_reached(const struct rank *rank)
{
    uint64_t time = rank->now;

    for (unsigned i = 0; !rank->dead && i < rank->cores; i++)
        for (unsigned number = 0; number < PTO_PIPE_COUNT; number++) {
            const struct pipe *pipe = rank->core[i].pipe[number];

            if (pipe->next != pipe->tail && pipe->wait_since != ENGINE_NEVER)
                time = max_u64(time, pipe->wait_since);
        }
    return time;
}

void wake_token(struct core *core, unsigned src, unsigned dst, unsigned id)
{
    if (dst != PTO_PIPE_S) {
        if (head_waits_for(core, dst, src, id))
            wake_head(core, dst);
        return;
    }
    if (core->stall == STALL_FLAG && core->stall_src == src && core->stall_id == id) {
        released(core, core->rank->now);
        wake_scalar(core, core->rank->now);
    }
}

void wake_cross(struct core *core, unsigned id)
{
    if (core->stall == STALL_CROSS && core->stall_id == id) {
        released(core, core->rank->now);
        wake_scalar(core, core->rank->now);
    }
    for (unsigned number = 0; id >= CROSS_FLAGS && number < PTO_PIPE_COUNT; number++)
        if (head_waits_for_cross(core, number, id))
            wake_head(core, number);
}

void wake_ended(struct core *core)
{
    if (!core->drained && pipes_empty(core) && dma_idle(core))
        core->rank->called = core;
}

void wake_room(struct core *core, unsigned queue)
{
    if (core->stall == STALL_QUEUE) { /* most often */
        if (core->stall_pipe != queue)
            return;
        released(core, core->rank->now);
        core->time = max_u64(core->time, core->rank->now);
        core->rank->called = core;
        return;
    }
    switch (core->stall) {
    case STALL_BARRIER:
        if (pipes_empty(core)) {
            released(core, core->rank->now);
            wake_scalar(core, core->rank->now);
        }
        return;
    case STALL_ENDED:
        wake_ended(core);
        return;
    default:
        return;
    }
}
