#include "halt.h"

#include "launch.h"
#include "machine/cost.h"
#include "machine/fault.h"
#include "machine/queue.h"
#include "machine/wake.h"

/* The rank has done what comes before this, in the order of its events. */
struct border {
    uint64_t time;
    uint32_t key; /* the first node that did nothing at that time any more */
};

static bool is_before(uint64_t time, uint32_t key, const struct border *border)
{
    return time != border->time ? time < border->time : key < border->key;
}

/* Entries that started ahead of the clock have not started yet: their time is none that the pipe
 * was busy. */
static void take_back_starts(struct core *core, unsigned number, const struct border *border)
{
    struct pipe *pipe = core->pipe[number];
    const uint32_t next = pipe->next;

    while (pipe->next != pipe->head) {
        const struct entry *entry = pipe_entry(pipe, pipe->next - 1);
        struct phase_cost cost;

        if (is_before(entry->start, pipe->node.key, border))
            break;
        pipe->next--;
        if (entry->kind != ENTRY_TILE)
            continue;
        cost = cost_phase(core, number, entry);
        pipe->stats.busy_ps -= cost.occupancy;
        pipe->stats.bytes -= cost.bytes;
        if (number == PTO_PIPE_M)
            core->rank->stats.cube_macs -= cost_macs(entry);
    }
    pipe->next = next; /* who follows the run has seen them start */
}

static void halt_core(struct core *core, const struct border *border)
{
    for (unsigned number = PTO_PIPE_S + 1; number < PTO_PIPE_COUNT; number++) {
        struct pipe *pipe = core->pipe[number];

        if (pipe->head == pipe->tail)
            continue;
        take_back_starts(core, number, border);
        if (pipe->wait_since != ENGINE_NEVER &&
            !is_before(pipe->wait_since, pipe->node.key, border)) /* it has yet to begin */
            pipe->wait_since = ENGINE_NEVER;
    }
}

void halt_at_time_limit(struct rank *rank)
{
    const struct pto_vm_options *options = &rank->vm->options;

    rank->now = options->max_time_ps;
    fault_limit(rank, "the limit on simulated time was reached", options->remedies.time_limit);
}

void halt_rank(struct rank *rank, uint64_t end, bool goes_on)
{
    const uint64_t limit = min_u64(rank->vm->options.max_time_ps, ENGINE_NEVER - 1);
    const bool limited = rank->dead && rank->fault.status == PTO_ELIMIT && rank->now == limit;
    struct border border = {rank->now, rank->at_work + 1};

    if (!rank->dead || limited)
        border = (struct border){min_u64(min_u64(end, rank->dies_at), limit + 1), 0};
    goes_on = goes_on || wake_reached(rank) > rank->now;
    for (unsigned i = 0; i < rank->cores; i++)
        halt_core(&rank->core[i], &border);
    if (rank->dead || launch_all_done(rank))
        return;
    if (end > limit && goes_on)
        halt_at_time_limit(rank);
    else
        rank->now = max_u64(rank->now, border.time - 1);
}
