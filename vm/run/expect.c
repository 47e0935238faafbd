/* Fetching goes in steps, one rank apart: what a step looks at, the step before has fetched.  So
 * the host waits for none of it, and a rank finds what its first events touch in the cache.
 * Nothing is changed, and nothing depends on what is fetched. */
#include "expect.h"

#include "machine/queue.h"

static inline void fetch(const void *from, size_t bytes)
{
    uintptr_t line = (uintptr_t)from / PTO_HOST_LINE;
    uintptr_t end = ((uintptr_t)from + bytes + PTO_HOST_LINE - 1) / PTO_HOST_LINE;

    for (; line < end; line++)
        __builtin_prefetch((const void *)(line * PTO_HOST_LINE));
}

/* Events and messages beyond these come late in a window, if at all. */
enum { MOST_EVENTS = 8, MOST_MESSAGES = 4 };

static uint32_t events_of(const struct rank *rank)
{
    if (rank->events.hole) /* it is dead */
        return 0;
    return rank->events.size < MOST_EVENTS ? rank->events.size : MOST_EVENTS;
}

static uint32_t messages_of(const struct rank *rank)
{
    return rank->inbox_size < MOST_MESSAGES ? rank->inbox_size : MOST_MESSAGES;
}

static void fetch_rank(const struct rank *rank)
{
    fetch(rank, sizeof *rank);
}

static void fetch_queues(const struct rank *rank)
{
    fetch(rank->events.heap, events_of(rank) * sizeof *rank->events.heap);
    fetch(rank->inbox, messages_of(rank) * sizeof *rank->inbox);
}

static void fetch_heads(const struct rank *rank)
{
    for (uint32_t i = 0; i < events_of(rank); i++)
        fetch(rank->events.heap[i].node, sizeof(struct pipe));
    for (uint32_t i = 0; i < messages_of(rank); i++)
        fetch(rank->inbox[i], sizeof *rank->inbox[i]);
}

/* Sub-cores that have events, each once; those whose numbers agree modulo 64 count as one. */
static uint32_t busy_cores(const struct rank *rank, const struct core *core[MOST_EVENTS])
{
    uint64_t known = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < events_of(rank); i++) {
        uint32_t number = rank->events.heap[i].node->key / 8;
        uint64_t bit = UINT64_C(1) << number % 64;

        if (!(known & bit))
            core[count++] = &rank->core[number];
        known |= bit;
    }
    return count;
}

static void fetch_cores(const struct rank *rank)
{
    const struct core *core[MOST_EVENTS];

    for (uint32_t i = busy_cores(rank, core); i-- > 0;)
        fetch(core[i], sizeof *core[i]);
    for (uint32_t i = 0; i < messages_of(rank); i++)
        if (rank->inbox[i]->object < rank->objects)
            fetch(&rank->object[rank->inbox[i]->object], sizeof *rank->object);
}

static void fetch_pipes(const struct rank *rank)
{
    const struct core *core[MOST_EVENTS];

    for (uint32_t i = busy_cores(rank, core); i-- > 0;) {
        for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
            fetch(core[i]->pipe[p], sizeof *core[i]->pipe[p]);
        fetch(core[i]->reg, core[i]->ready ? core[i]->ready->registers * sizeof *core[i]->reg : 0);
        if (core[i]->flags)
            fetch(core[i]->flags, sizeof *core[i]->flags);
    }
}

/* Of every queue the entry that is at work, that which starts next, and the place of a new one. */
static void fetch_entries(const struct rank *rank)
{
    const struct core *core[MOST_EVENTS];

    for (uint32_t i = busy_cores(rank, core); i-- > 0;) {
        for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++) {
            const struct pipe *pipe = core[i]->pipe[p];

            if (!pipe->ring)
                continue;
            fetch(pipe_entry(pipe, pipe->head), sizeof *pipe->ring);
            fetch(pipe_entry(pipe, pipe->next), sizeof *pipe->ring);
            fetch(pipe_entry(pipe, pipe->next + 1), sizeof *pipe->ring);
            fetch(pipe_entry(pipe, pipe->tail), sizeof *pipe->ring);
        }
        if (core[i]->flags)
            fetch(core[i]->flags->pair, core[i]->flags->pairs * sizeof *core[i]->flags->pair);
    }
}

void expect_ranks(const struct pto_vm *vm, int item)
{
    void (*const step[])(const struct rank *) = {fetch_entries, fetch_pipes, fetch_cores,
                                                 fetch_heads, fetch_queues, fetch_rank};
    const int steps = sizeof step / sizeof *step;

    if (vm->owns < FETCHED_RANKS)
        return;
    for (int ahead = 0; ahead < steps && item + ahead < vm->owns; ahead++)
        step[ahead](&vm->rank[vm->own[item + ahead]]);
}
