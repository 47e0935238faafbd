/* The only place that decides when something runs.
 *
 * Ranks advance independently inside a window as long as the link latency: nothing that one sends
 * can reach another before the window's end.  Inside a rank the order at one instant is: arriving
 * messages by (source, sequence), then local events by (sub-core, queue).  Both orders are
 * functions of the simulated machine alone, so any host schedule of the ranks gives the same
 * run: threads may share the ranks of a window (docs/decisions/0011-threads.md), and processes
 * those of the machine (0043-ranks-in-processes.md).  These meet before they can affect each other;
 * that may be several windows later (0086-processes-are-ahead-of-others.md). */
#include "expect.h"
#include "halt.h"
#include "home.h"
#include "launch.h"
#include "machine/backlog.h"
#include "machine/cost.h"
#include "machine/crew.h"
#include "machine/due.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/probe.h"
#include "machine/wake.h"
#include "units/arrive.h"
#include "units/carry.h"
#include "units/carry_events.h"
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

/* S does something at this instant, unless its rank has done as much as it may. */
static void run_scalar(struct core *core)
{
    struct rank *rank = core->rank;

    if (rank->insns < rank->vm->most_insns)
        scalar_run(core);
    else
        fault_limit(rank, "the limit on scalar instructions was reached",
                    rank->vm->options.remedies.insn_limit);
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
        rank->at_work = core->pipe[PTO_PIPE_S]->node.key;
        run_scalar(core);
    }
}

/* `node`: the earliest, which is due. */
static void run_event(struct rank *rank, struct event_node *node)
{
    struct core *core = &rank->core[node->key / 8];
    unsigned pipe = node->key % 8;

    rank->at_work = node->key;
    eventq_take(&rank->events, node);
    if (pipe == PTO_PIPE_S && core->stall == STALL_QUEUE)
        return; /* the clock has come to where S has stopped for good (wake_waiting) */
    if (pipe == PTO_PIPE_S)
        run_scalar(core);
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

/* When what is due then came.  A signal changes a while after that, which nobody is there to see
 * behind the end of the run. */
static uint64_t came_at(const struct rank *rank, uint64_t when, bool arrives)
{
    return when - (arrives && launch_all_done(rank) ? link_unseen(rank, rank->inbox[0]) : 0);
}

/* Does no other rank have lines of an earlier time? */
static bool prints_at_once(const struct pto_vm *vm)
{
    return vm->ranks == 1 || vm->options.stepwise;
}

/* Advance one rank to a time (exclusive). */
static void advance_to(struct rank *rank, uint64_t stop)
{
    const struct pto_vm *vm = rank->vm;
    const uint64_t most_ps = vm->options.max_time_ps;

    while (!rank->dead && (!vm->pause || (vm->pause == PAUSE_BETWEEN && vm->ranks > 1))) {
        struct event_node *node = eventq_peek(&rank->events);
        uint64_t local = node ? node->time : ENGINE_NEVER, arrival = link_next_arrival(rank), when;
        bool launches = rank->between_launches && rank->launch_at <= local;

        local = launches ? rank->launch_at : local;
        when = arrival < local ? arrival : local;
        if (when >= stop)
            return;
        if (when > most_ps && came_at(rank, when, arrival <= local) > most_ps) {
            halt_at_time_limit(rank);
            return;
        }
        rank->now = when;
        if (arrival <= local) {
            run_arrival(rank);
        } else {
            rank->over_at = when;
            launches ? launch_begin(rank) : run_event(rank, node);
        }
        if (rank->printed_lines && prints_at_once(vm))
            print_flush(rank->vm, ENGINE_NEVER);
    }
}

/* Is there something to do before `end`, at another pace? */
static __attribute__((noinline)) bool changes_pace(struct rank *rank, uint64_t end)
{
    uint64_t next = next_of(rank);

    if (next < rank->pace_until || next >= end)
        return false;
    cost_prepare(rank, next);
    return true;
}

/* Advance one rank to the end of the window (exclusive). */
static void advance(struct rank *rank, uint64_t end)
{
    const uint64_t stop = end < rank->dies_at ? end : rank->dies_at;

    do {
        advance_to(rank, stop < rank->pace_until ? stop : rank->pace_until);
    } while (rank->pace_until < stop && changes_pace(rank, stop));
}

/* The ranks of this process. */
static bool all_finished(const struct pto_vm *vm)
{
    for (int i = 0; i < vm->owns; i++)
        if (!launch_all_done(&vm->rank[vm->own[i]]))
            return false;
    return true;
}

/* Who cannot be woken any more begins to wait at its time, whatever comes before: so the clocks of
 * a deadlock stand where the last of them began. */
static bool begin_waits(struct pto_vm *vm)
{
    struct news news = no_news();

    for (int i = 0; i < vm->owns; i++)
        news.woke = wake_waiting(&vm->rank[vm->own[i]]) || news.woke;
    link_meet(vm, &news);
    return news.woke;
}

/* Nothing is pending anywhere: is that the end? */
static bool is_over(struct pto_vm *vm)
{
    struct news news = no_news();

    news.unfinished = !all_finished(vm);
    link_meet(vm, &news);
    return !news.unfinished || !begin_waits(vm);
}

/* It is, and all ranks are here. */
static void conclude(struct pto_vm *vm)
{
    for (int r = 0; r < vm->ranks; r++)
        if (!launch_all_done(&vm->rank[r])) {
            fault_deadlock(vm);
            return;
        }
    fault_report_leftovers(vm);
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

    for (int i = 0; i < vm->owns; i++) {
        const struct rank *rank = &vm->rank[vm->own[i]];

        sum += rank->retired + rank->insns / SCALARS_PER_ENTRY +
               rank->stats.gm_bytes / BYTES_PER_ENTRY + rank->stats.cube_macs / MACS_PER_ENTRY;
    }
    return sum;
}

/* The checker orders what all ranks do in one structure. */
static bool may_share(const struct pto_vm *vm)
{
    return vm->threads > 1 && vm->owns > 1 && !vm->probe;
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
    struct rank *rank = &vm->rank[vm->own[item]];

    rank->args = &vm->args[worker];
    PROBE(vm, turn, rank);
    advance(rank, vm->window_end);
    due_settle(rank);
}

static void hire_crew(struct pto_vm *vm)
{
    for (unsigned i = 1; i < vm->threads; i++)
        memory_give_room(&vm->args[i], vm);
    vm->crew = crew_create(vm->threads, vm->owns, advance_item, vm);
}

/* Show observers what there was to see meanwhile, as if the ranks had been advanced in turn. */
static void show_gathered(struct pto_vm *vm)
{
    for (int r = 0; r < vm->ranks && vm->observers; r++)
        observe_flush(&vm->rank[r]);
}

static void advance_all(struct pto_vm *vm)
{
    bool share = worth_sharing(vm);

    if (share && !vm->crew)
        hire_crew(vm);
    vm->gathers = share || vm->carry;
    if (share)
        crew_run(vm->crew);
    for (int i = 0; i < vm->owns && !share; i++) {
        expect_ranks(vm, i);
        advance_item(vm, i, 0);
    }
    if (vm->gathers && !vm->carry)
        show_gathered(vm);
    vm->gathers = vm->carry != NULL;
}

/* What is to come on the ranks of this process, and when the first of them has faulted; returns
 * whose event is the earliest. */
static int look_here(struct pto_vm *vm, struct news *news)
{
    int earliest = 0;

    for (int i = 0; i < vm->owns; i++) {
        struct rank *rank = &vm->rank[vm->own[i]];
        uint64_t next = next_of(rank);

        earliest = next < news->next ? i : earliest;
        news->next = min_u64(next, news->next);
        if (rank->dead)
            news->fault = min_u64(rank->now, news->fault);
    }
    return earliest;
}

/* What is to come, on all ranks of all processes; `earliest`: of those of this one.  What the ranks
 * of others have printed has come along, and what was printed behind a fault is not shown. */
static struct news look_ahead(struct pto_vm *vm, int *earliest)
{
    struct news news = no_news();

    if (vm->options.join) {
        launch_look(vm, &news);
        link_meet(vm, &news);
        launch_join(vm, &news);
        news = no_news();
    }
    news.paused = vm->pause == PAUSE_NOW;
    news.rests = vm->pause == PAUSE_BETWEEN;
    *earliest = look_here(vm, &news);
    link_meet(vm, &news);
    if (vm->process == 0) {
        print_flush(vm, news.fault);
        if (vm->carry)
            show_gathered(vm);
    }
    return news;
}

/* Behind a fault ranks go on for as long as one can be ahead of another at most, wherever they are
 * and however they were dealt: where they stand then does not depend on windows. */
static uint64_t end_of_all(const struct pto_vm *vm, const struct news *news)
{
    return news->fault == ENGINE_NEVER ? ENGINE_NEVER : news->fault + vm->reach;
}

/* Until when this process advances by itself. */
static uint64_t window_end(const struct pto_vm *vm, uint64_t first)
{
    if (vm->options.stepwise)
        return first + 1;
    return vm->ranks == 1 ? ENGINE_NEVER : first + vm->lead;
}

static void halt_all(struct pto_vm *vm, uint64_t end)
{
    for (int i = 0; i < vm->owns; i++) {
        struct rank *rank = &vm->rank[vm->own[i]];

        halt_rank(rank, end, next_of(rank) != ENGINE_NEVER);
    }
}

/* Is the run to stop here?  With a fault it does not rest before its end. */
static bool stops(struct pto_vm *vm, const struct news *news)
{
    bool faulted = news->fault != ENGINE_NEVER, rests = news->rests && !faulted;
    uint64_t end = end_of_all(vm, news);
    bool over = faulted && news->next >= end;

    if (over)
        halt_all(vm, end);
    if (!news->paused && !rests && !over)
        return false;
    if (vm->carry) {
        vm->pause = news->paused ? PAUSE_NOW : rests ? PAUSE_BETWEEN : PAUSE_NONE;
        vm->resting = rests && !news->paused;
    }
    return true;
}

/* Advance the ranks of this process to a time (exclusive) at which others can affect them.  If that
 * is further than a window its ranks affect each other meanwhile. */
static void advance_until(struct pto_vm *vm, uint64_t stop)
{
    struct news here = no_news();

    look_here(vm, &here);
    while (here.next < stop && vm->pause != PAUSE_NOW) {
        vm->window_end = min_u64(here.next + vm->window, stop);
        advance_all(vm);
        link_exchange_inside(vm);
        here = no_news();
        look_here(vm, &here);
    }
}

/* One window of all processes, or on a stepwise machine one instant of the earliest rank: there all
 * ranks stand at one time whenever it pauses, and the order of events over all ranks does not
 * depend on pauses.  False: it was the last. */
static bool run_window(struct pto_vm *vm)
{
    int earliest;
    struct news news = look_ahead(vm, &earliest);

    if (stops(vm, &news))
        return false;
    if (news.next == ENGINE_NEVER) {
        vm->finished = is_over(vm);
        return !vm->finished;
    }
    vm->windows++;
    vm->window_end = min_u64(window_end(vm, news.next), end_of_all(vm, &news));
    if (vm->options.stepwise)
        advance_item(vm, earliest, 0);
    else if (vm->lead > vm->window)
        advance_until(vm, vm->window_end);
    else
        advance_all(vm);
    link_exchange(vm);
    return true;
}

/* Whose bytes may move later: several AI cores of a rank that is alone, whose windows have no end.
 * Ranks of several are shared whole (docs/decisions/0022-bytes-apart-from-time.md). */
static bool has_backlog(const struct pto_vm *vm)
{
    return vm->ranks == 1 && vm->blocks > 1 && !vm->options.stepwise && !vm->options.timing_only;
}

/* What others ask for, before the first window. */
static void get_to_know(struct pto_vm *vm)
{
    struct news news = no_news();

    news.watched = vm->observers > 0;
    news.causes = vm->causes;
    news.values = vm->values;
    link_meet(vm, &news);
    if (news.watched && vm->process > 0)
        carry_observe(vm, news.causes, news.values);
    if (!vm->watched && !vm->options.join)
        vm->lead = carry_lead(vm);
    vm->gathers = true;
    vm->met = true;
}

/* Processes go on together, until they all learn that it is over, or that all rest. */
static void run_together(struct pto_vm *vm)
{
    if (!vm->met)
        get_to_know(vm);
    vm->resting = false;
    while (run_window(vm))
        continue;
    fault_collect(vm);
    if (vm->resting)
        return;
    home_gather(vm);
    if (vm->process == 0)
        show_gathered(vm);
}

static void run_alone(struct pto_vm *vm)
{
    while (run_window(vm))
        continue;
    fault_collect(vm);
}

enum pto_status pto_vm_run(struct pto_vm *vm)
{
    vm->pause = vm->home && vm->pause ? PAUSE_NOW : PAUSE_NONE;
    if (vm->stopped) /* looked at behind it: a stop is not lost */
        vm->pause = PAUSE_NOW;
    if (vm->status != PTO_OK || vm->finished || vm->home)
        return vm->status;
    if (has_backlog(vm) && !vm->rank[0].backlog)
        backlog_create(&vm->rank[0]);
    if (vm->carry)
        run_together(vm);
    else
        run_alone(vm);
    if (vm->finished && vm->status == PTO_OK && vm->process == 0)
        conclude(vm);
    return vm->status;
}
