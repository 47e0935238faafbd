/* The only place that decides when something runs.
 *
 * Ranks advance independently inside a window as long as the link latency: nothing that one sends
 * can reach another before the window's end.  Inside a rank the order at one instant is: arriving
 * messages by (source, sequence), then local events by (sub-core, queue).  Both orders are
 * functions of the simulated machine alone, so any host schedule of the ranks gives the same
 * run, and threads may share the ranks of a window (docs/decisions/0011-threads.md). */
#include "launch.h"
#include "machine/backlog.h"
#include "machine/crew.h"
#include "machine/due.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/wake.h"
#include "units/arrive.h"
#include "units/dma.h"
#include "units/link.h"
#include "units/pipe.h"
#include "units/print.h"
#include "units/scalar.h"

static uint64_t next_local(struct rank *rank)
{
    struct event_node *node = eventq_peek(&rank->events);
    uint64_t when = node ? node->time : ENGINE_NEVER;

    if (rank->between_launches && rank->launch_at < when)
        when = rank->launch_at;
    return when;
}

static uint64_t next_of(struct rank *rank)
{
    uint64_t when;

    if (rank->dead)
        return ENGINE_NEVER;
    when = next_local(rank);
    if (link_next_arrival(rank) < when)
        when = link_next_arrival(rank);
    return when < rank->dies_at ? when : ENGINE_NEVER;
}

/* The scalar unit that the unit at work has freed (machine/wake.h). */
static void run_called(struct rank *rank)
{
    while (rank->called && !rank->dead) {
        struct core *core = rank->called;

        rank->called = NULL;
        if (core->stall == STALL_ENDED) {
            launch_core_ended(core);
            continue;
        }
        rank->at_work = core->pipe[PTO_PIPE_S].node.key;
        scalar_run(core);
    }
}

/* `node`: the earliest, which is due. */
static void run_event(struct rank *rank, struct event_node *node)
{
    struct core *core = &rank->core[node->key / 8];
    unsigned pipe = node->key % 8;

    rank->at_work = node->key;
    eventq_take(&rank->events, node);
    if (pipe == PTO_PIPE_S)
        scalar_run(core);
    else if (pipe == PTO_DMA)
        dma_run(core);
    else
        pipe_run(core, pipe);
    if (rank->called)
        run_called(rank);
}

/* A message lands; if it was the last that a launch waited for, the launch ends. */
static void run_arrival(struct rank *rank)
{
    rank->at_work = AT_WORK_MESSAGE;
    arrive_next(rank);
    launch_end_if_done(rank);
}

static void tell_limit(struct rank *rank)
{
    const struct pto_vm_options *options = &rank->vm->options;

    if (rank->now > options->max_time_ps)
        fault_limit(rank, "the limit on simulated time was reached", options->remedies.time_limit);
    else
        fault_limit(rank, "the limit on scalar instructions was reached",
                    options->remedies.insn_limit);
}

/* Advance one rank to the end of the window (exclusive). */
static void advance(struct rank *rank, uint64_t end)
{
    const struct pto_vm *vm = rank->vm;
    const uint64_t stop = end < rank->dies_at ? end : rank->dies_at;
    const uint64_t most_ps = vm->options.max_time_ps;
    const uint64_t most_insns = vm->options.max_insns / (uint64_t)vm->ranks;

    while (!rank->dead && !vm->pause) {
        struct event_node *node = eventq_peek(&rank->events);
        uint64_t local = node ? node->time : ENGINE_NEVER, arrival = link_next_arrival(rank), when;
        bool launches = rank->between_launches && rank->launch_at <= local;

        local = launches ? rank->launch_at : local;
        when = arrival < local ? arrival : local;
        if (when >= stop)
            return;
        rank->now = when;
        eventq_advance(&rank->events, when);
        if (when > most_ps || rank->insns > most_insns) {
            tell_limit(rank);
            return;
        }
        if (arrival <= local)
            run_arrival(rank);
        else if (launches)
            launch_begin(rank);
        else
            run_event(rank, node);
        if (rank->printed_lines && !vm->gathers)
            print_flush(rank);
    }
}

static bool all_finished(const struct pto_vm *vm)
{
    for (int r = 0; r < vm->ranks; r++)
        if (!launch_all_done(&vm->rank[r]))
            return false;
    return true;
}

/* Pipes that nothing can wake any more begin to wait at their time, whatever comes before: so the
 * clocks of a deadlock stand where the last of them began. */
static bool begin_waits(struct pto_vm *vm)
{
    bool any = false;

    for (int r = 0; r < vm->ranks; r++)
        any = wake_waiting(&vm->rank[r]) || any;
    return any;
}

/* Nothing is pending anywhere. */
static enum pto_status conclude(struct pto_vm *vm, bool *more)
{
    if (!all_finished(vm) && begin_waits(vm)) {
        *more = true;
        return PTO_OK;
    }
    if (!all_finished(vm))
        fault_deadlock(vm);
    else
        fault_report_leftovers(vm);
    vm->finished = true;
    return vm->status;
}

/* ---- threads ---- */

/* With less, in entries a window, a window is done before others are awake. */
enum { WORTH_SHARING = 32 };
/* What takes this host as long as an entry of average size. */
enum { MACS_PER_ENTRY = 4096, BYTES_PER_ENTRY = 2048, SCALARS_PER_ENTRY = 32 };

/* What the ranks have done so far, in entries of average size. */
static uint64_t effort(const struct pto_vm *vm)
{
    uint64_t sum = 0;

    for (int r = 0; r < vm->ranks; r++) {
        const struct rank *rank = &vm->rank[r];

        sum += rank->retired + rank->insns / SCALARS_PER_ENTRY +
               rank->stats.gm_bytes / BYTES_PER_ENTRY + rank->stats.cube_macs / MACS_PER_ENTRY;
    }
    return sum;
}

/* The checker orders what all ranks do in one structure. */
static bool may_share(const struct pto_vm *vm)
{
    return vm->threads > 1 && vm->ranks > 1 && !vm->probe;
}

/* Were the last windows long enough to be shared?  The next one is likely to be like them. */
static bool worth_sharing(struct pto_vm *vm)
{
    uint64_t before = vm->effort;

    if (!may_share(vm))
        return false;
    vm->effort = effort(vm);
    vm->recent_effort = vm->recent_effort / 4 * 3 + vm->effort - before;
    return vm->recent_effort >= 4 * WORTH_SHARING;
}

static void advance_item(void *context, int item, unsigned worker)
{
    struct pto_vm *vm = context;

    vm->rank[item].args = &vm->args[worker];
    advance(&vm->rank[item], vm->window_end);
    due_settle(&vm->rank[item]);
}

static void hire_crew(struct pto_vm *vm)
{
    for (unsigned i = 1; i < vm->threads; i++)
        memory_give_room(&vm->args[i], vm);
    vm->crew = crew_create(vm->threads, vm->ranks, advance_item, vm);
}

/* Show what the ranks had to say meanwhile, as if they had been advanced in turn. */
static void emit_gathered(struct pto_vm *vm)
{
    vm->gathers = false;
    for (int r = 0; r < vm->ranks; r++) {
        print_flush(&vm->rank[r]);
        observe_flush(&vm->rank[r]);
    }
}

static void advance_all(struct pto_vm *vm)
{
    bool share = worth_sharing(vm);

    if (share && !vm->crew)
        hire_crew(vm);
    if (share) {
        vm->gathers = true;
        crew_run(vm->crew);
        emit_gathered(vm);
        return;
    }
    for (int r = 0; r < vm->ranks; r++)
        advance_item(vm, r, 0);
}

static uint64_t window_end(const struct pto_vm *vm, uint64_t first)
{
    if (vm->options.stepwise)
        return first + 1;
    return vm->ranks == 1 ? ENGINE_NEVER : first + vm->window;
}

/* One window, or on a stepwise machine one instant of the earliest rank: there all ranks stand at
 * one time whenever it pauses, and the order of events over all ranks does not depend on pauses. */
static enum pto_status run_window(struct pto_vm *vm, bool *more)
{
    uint64_t first = ENGINE_NEVER;
    int earliest = 0;

    if (vm->options.join)
        launch_join(vm);
    for (int r = 0; r < vm->ranks; r++) {
        uint64_t next = next_of(&vm->rank[r]);

        earliest = next < first ? r : earliest;
        first = next < first ? next : first;
    }
    *more = first != ENGINE_NEVER;
    if (!*more)
        return conclude(vm, more);
    vm->window_end = window_end(vm, first);
    if (vm->options.stepwise)
        advance_item(vm, earliest, 0);
    else
        advance_all(vm);
    link_exchange(vm);
    fault_collect(vm);
    return vm->status;
}

/* Whose bytes may move later: several AI cores of a rank that is alone, whose windows have no end.
 * Ranks of several are shared whole (docs/decisions/0022-bytes-apart-from-time.md). */
static bool has_backlog(const struct pto_vm *vm)
{
    return vm->ranks == 1 && vm->blocks > 1 && !vm->options.stepwise && !vm->options.timing_only;
}

enum pto_status pto_vm_run(struct pto_vm *vm)
{
    bool more = true;

    if (has_backlog(vm) && !vm->rank[0].backlog)
        backlog_create(&vm->rank[0]);
    vm->pause = 0;
    while (more && vm->status == PTO_OK && !vm->finished && !vm->pause)
        if (run_window(vm, &more) != PTO_OK)
            break;
    return vm->status;
}

void pto_vm_pause(struct pto_vm *vm)
{
    vm->pause = 1;
}

bool pto_vm_paused(const struct pto_vm *vm)
{
    return vm->pause != 0;
}

bool pto_vm_finished(const struct pto_vm *vm)
{
    return vm->finished;
}
