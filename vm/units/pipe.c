#include "pipe.h"

#include "flag.h"
#include "link.h"
#include "machine/backlog.h"
#include "machine/cost.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/probe.h"
#include "machine/queue.h"
#include "machine/stock.h"
#include "machine/wake.h"
#include "owe.h"
#include "put_off.h"

/* ---- completion ---- */

static bool is_remote(const struct core *core, const uint64_t *word)
{
    return gm_rank(word) != core->rank->number;
}

/* After a phase wrote to global memory: send it, or wake who waits for it here. */
static void publish(struct core *core, unsigned pipe, struct entry *entry, int atomic)
{
    const uint64_t *word = &entry->word[entry->op->operand[0].word];

    if (is_remote(core, word)) {
        if (!link_holds(core, entry->pc, pipe, gm_rank(word), entry->start))
            return;
        link_send_put(core, pipe, entry->pc, word, entry->payload, atomic);
        entry->payload = NULL;
    } else {
        flag_object_written(core->rank, memory_object(core, gm_object(word))->object);
    }
}

/* Of the window on another rank that operand 0 names. */
static uint64_t payload_bytes(const struct entry *entry)
{
    const struct ready_operand *operand = &entry->op->operand[0];
    const uint64_t *word = &entry->word[operand->word];

    return (uint64_t)gm_rows(word) * gm_cols(word) * pto_dtype_size(operand->view.dtype);
}

static bool stores(const struct ready_op *op)
{
    return op->operand[0].kind == PTO_O_GM;
}

/* Probes see the operands of an instruction whose bytes are to move later. */
static void show(struct core *core, unsigned number, const struct entry *entry)
{
    memory_fill_args(core, entry, core->rank->args);
    PROBE(core->rank->vm, complete, core, number, core->rank->args);
}

/* The instruction reads and writes its bytes: at completion, at this instant, or as if it were. */
static void execute(struct core *core, unsigned number, struct entry *entry)
{
    struct pto_vm *vm = core->rank->vm;
    const struct ready_op *op = entry->op;
    struct op_args *args = core->rank->args;
    bool sends = stores(op) && is_remote(core, &entry->word[op->operand[0].word]);
    int atomic = PTO_ATOMIC_NONE;
    const char *why;

    if (core->rank->backlog && backlog_takes(core, number, entry)) {
        if (vm->probe)
            show(core, number, entry);
        if (stores(op))
            publish(core, number, entry, atomic);
        return;
    }
    if (sends)
        entry->payload = stock_take(core->rank, payload_bytes(entry));
    memory_fill_args(core, entry, args);
    PROBE(vm, complete, core, number, args);
    if (sends && op->atomic >= 0) {
        atomic = (int)args->arg[op->atomic].i; /* applied where it lands */
        args->arg[op->atomic].i = PTO_ATOMIC_NONE;
    }
    why = op->function(args);
    if (why)
        fault_raise(core, entry->pc, number, core->rank->now, NULL, "%s: %s", op->info->mnemonic,
                    why);
    else if (stores(op))
        publish(core, number, entry, atomic);
    if (!why && core->rank->backlog)
        backlog_learn(core, entry);
    if (!entry->payload)
        return;
    stock_give(core->rank, entry->payload);
    entry->payload = NULL;
}

static void complete_tile(struct core *core, unsigned number, struct entry *entry)
{
    struct pipe *pipe = core->pipe[number];

    pipe->stats.instructions++;
    if (!entry->op->skipped)
        execute(core, number, entry);
    else if (stores(entry->op)) /* nothing arrives, but it arrives */
        publish(core, number, entry, PTO_ATOMIC_NONE);
    if (observed(core))
        observe_core(core, entry->pc, (struct pto_event){.kind = PTO_EV_COMPLETE,
                                                         .pipe = (uint8_t)number,
                                                         .time_ps = core->rank->now,
                                                         .start_ps = entry->start,
                                                         .entry = entry_number(pipe->head)});
}

static inline void complete(struct core *core, unsigned number, struct entry *entry)
{
    core->rank->retired++;
    if (entry->kind == ENTRY_TILE)
        complete_tile(core, number, entry);
    else if (entry->kind == ENTRY_SET)
        flag_set(core, entry->pc, entry->flag_src, entry->flag_dst, entry->flag_id);
    else if (entry->kind == ENTRY_CROSS)
        flag_cross_set(core, entry->pc, number, entry->flag_src, entry->flag_id);
}

/* ---- start ---- */

/* Shared resources are reserved at the start of a phase, first come, first served. */
static struct phase_cost reserve(struct core *core, unsigned number, struct entry *entry,
                                 uint32_t counter, struct phase_cost cost)
{
    struct rank *rank = core->rank;
    const struct ready_op *op = entry->op;
    const uint64_t *word = &entry->word[op->operand[op->extent_gm].word];
    uint64_t done;

    rank->gm_use = (struct pto_gm_use){0};
    if (cost.bytes == 0)
        return cost;
    if (!is_remote(core, word)) {
        cost_memory(core, number, entry, &cost);
    } else if (op->extent_gm == 0) {
        const struct turn turn = {.flow = (uint64_t)core->number << 3 | number,
                                  .core = core->number,
                                  .queue = (uint8_t)number,
                                  .number = counter,
                                  .floor = rank->now + cost.occupancy,
                                  .way = cost.latency,
                                  .after = cost.latency};

        done = link_reserve(rank, gm_rank(word), cost.bytes, &turn);
        cost.occupancy = max_u64(cost.occupancy, done - rank->now);
    } else {
        link_send_request(core, number, entry->pc, counter, word, op->skipped);
        cost.latency = ENGINE_NEVER;
    }
    return cost;
}

static void tell_start(const struct core *core, unsigned number, const struct entry *entry,
                       uint64_t bytes)
{
    const struct pipe *pipe = core->pipe[number];
    const struct ready_op *op = entry->op;
    const uint64_t *word = op->extent_gm < 0 ? NULL : &entry->word[op->operand[op->extent_gm].word];
    struct pto_event event = {
        .kind = PTO_EV_START,
        .pipe = (uint8_t)number,
        .time_ps = entry->start,
        .next_ps = pipe->free_at,
        .bytes = bytes,
        .entry = entry_number(pipe->next),
        .remote = word && is_remote(core, word),
        .peer = -1,
    };

    if (event.remote && op->extent_gm == 0)
        event.peer = gm_rank(word);
    if (word && !event.remote)
        event.gm = core->rank->gm_use;
    observe_core(core, entry->pc, event);
}

/* Is there a way for what starts now? */
static bool has_way(struct core *core, unsigned number, const struct entry *entry)
{
    const uint64_t *word = &entry->word[entry->op->operand[entry->op->extent_gm].word];

    return !is_remote(core, word) ||
           link_holds(core, entry->pc, number, gm_rank(word), core->rank->now);
}

/* Probes see the next entry of the pipe start. */
static inline void probe_start(struct core *core, unsigned number)
{
    PROBE(core->rank->vm, start, core, number, core->pipe[number]->next);
}

/* The entry starts and takes so long. */
static inline void occupy(struct core *core, unsigned number, struct entry *entry,
                          struct phase_cost cost)
{
    struct pipe *pipe = core->pipe[number];

    pipe->free_at = entry->start + cost.occupancy;
    entry->complete = cost.latency == ENGINE_NEVER ? ENGINE_NEVER : pipe->free_at + cost.latency;
    pipe->stats.busy_ps += cost.occupancy;
    pipe->stats.bytes += cost.bytes;
}

/* False: it faults. */
static __attribute__((noinline)) bool start_transfer(struct core *core, unsigned number,
                                                     struct entry *entry)
{
    struct phase_cost cost = cost_phase(core, number, entry);
    const bool watched = is_watched(core->rank->vm), may_break = core->rank->vm->changes.downs;

    if (may_break && !has_way(core, number, entry))
        return false;
    if (watched)
        probe_start(core, number);
    cost = reserve(core, number, entry, core->pipe[number]->next, cost);
    occupy(core, number, entry, cost);
    if (may_break)
        put_off_at_break(core, entry);
    if (watched && observed(core))
        tell_start(core, number, entry, cost.bytes);
    return true;
}

/* False: it faults. */
static bool start_tile(struct core *core, unsigned number, struct entry *entry, uint64_t at)
{
    const bool watched = is_watched(core->rank->vm);
    struct phase_cost cost;

    entry->start = at;
    if (entry->op->extent_gm >= 0)
        return start_transfer(core, number, entry);
    cost = cost_phase(core, number, entry);
    if (watched)
        probe_start(core, number);
    occupy(core, number, entry, cost);
    if (number == PTO_PIPE_M)
        core->rank->stats.cube_macs += cost_macs(entry);
    if (watched && observed(core))
        tell_start(core, number, entry, cost.bytes);
    return true;
}

static __attribute__((noinline)) void tell_all(struct core *core, unsigned number,
                                               const struct entry *entry, uint64_t at)
{
    const struct pipe *pipe = core->pipe[number];

    probe_start(core, number);
    if (observed(core) && entry->kind == ENTRY_WAIT)
        observe_core(core, entry->pc, (struct pto_event){.kind = PTO_EV_WAIT_END,
                                                         .pipe = (uint8_t)number,
                                                         .time_ps = at,
                                                         .start_ps = entry->start,
                                                         .flag_src = entry->flag_src,
                                                         .flag_dst = entry->flag_dst,
                                                         .flag_id = entry->flag_id,
                                                         .entry = entry_number(pipe->next)});
    if (asks_why(core))
        observe_core(core, entry->pc, (struct pto_event){.kind = PTO_EV_PASS,
                                                         .pipe = (uint8_t)number,
                                                         .time_ps = at,
                                                         .start_ps = entry->start,
                                                         .next_ps = pipe->free_at,
                                                         .flag_src = entry->flag_src,
                                                         .flag_dst = entry->flag_dst,
                                                         .flag_id = entry->flag_id,
                                                         .reason = entry->kind,
                                                         .entry = entry_number(pipe->next)});
}

/* A flag or a barrier starts at `at`. */
static void tell_pass(struct core *core, unsigned number, const struct entry *entry, uint64_t at)
{
    if (observed(core) || asks_why(core))
        tell_all(core, number, entry, at);
    else
        probe_start(core, number);
}

/* The head waits; remember since when. */
static bool stalled(struct core *core, unsigned number, const struct entry *entry)
{
    struct pipe *pipe = core->pipe[number];

    if (pipe->wait_since == ENGINE_NEVER) {
        pipe->wait_since = core->rank->now;
        if (observed(core) && entry->kind == ENTRY_WAIT)
            observe_core(core, entry->pc, (struct pto_event){.kind = PTO_EV_WAIT_BEGIN,
                                                             .pipe = (uint8_t)number,
                                                             .time_ps = core->rank->now,
                                                             .flag_src = entry->flag_src,
                                                             .flag_dst = entry->flag_dst,
                                                             .flag_id = entry->flag_id,
                                                             .entry = entry_number(pipe->next)});
    }
    return false;
}

static void go_on(struct core *core, unsigned number, struct entry *entry)
{
    struct pipe *pipe = core->pipe[number];
    uint64_t now = core->rank->now;
    uint64_t since = pipe->wait_since == ENGINE_NEVER ? now : pipe->wait_since;

    pipe->stats.wait_ps += now - since;
    pipe->wait_since = ENGINE_NEVER;
    pipe->free_at = now + cost_flag(core, number);
    entry->start = since;
    entry->complete = now;
    if (is_watched(core->rank->vm))
        tell_pass(core, number, entry, now);
}

/* May it yet turn out that the pipe is free later than is known: does it send over a link that
 * serves others, too? */
static inline bool may_be_put_off(const struct core *core, unsigned number)
{
    const struct pipe *pipe = core->pipe[number];
    const struct entry *last;

    if (!core->rank->vm->profile.link_turns || pipe->head == pipe->next)
        return false;
    last = pipe_entry(pipe, pipe->next - 1);
    return last->kind == ENTRY_TILE && last->op->extent_gm == 0 &&
           is_remote(core, &last->word[last->op->operand[0].word]);
}

/* May the entry be started before its time has come?  Yes if its start has no effect outside the
 * pipe - no flag is taken, no shared resource reserved - and the rank is then as fast as now.  It
 * saves an event; nothing can tell. */
static inline bool starts_early(const struct core *core, unsigned number,
                                const struct entry *entry, uint64_t earliest)
{
    if (observed(core) || earliest >= core->rank->pace_until || may_be_put_off(core, number))
        return false;
    if (entry->kind == ENTRY_TILE)
        return entry->op->extent_gm < 0;
    return entry->kind == ENTRY_SET || entry->kind == ENTRY_CROSS;
}

/* May a wait that is foreseen go without an event?  Observers are told when a wait begins, and
 * probes see several ranks window by window, and windows begin at events: there only one that this
 * window would have seen. */
static inline bool foresees(const struct core *core, uint64_t earliest)
{
    const struct rank *rank = core->rank;
    const struct pto_vm *vm = rank->vm;

    return !is_watched(vm) ||
           (!observed(core) &&
            (vm->ranks == 1 || earliest < min_u64(vm->window_end, rank->dies_at)));
}

/* The head's time comes at `earliest`.  When does the pipe look at it again?  Where what it waits
 * for is not there yet, whoever brings it will say so: that saves an event, and nothing can tell
 * but who watches. */
static uint64_t look_again(struct core *core, unsigned number, const struct entry *entry,
                           uint64_t earliest)
{
    struct pipe *pipe = core->pipe[number];
    bool waits = false;

    if (entry->kind == ENTRY_WAIT)
        waits = !core_tokens(core, entry->flag_src, entry->flag_dst, entry->flag_id);
    else if (entry->kind == ENTRY_CROSS_WAIT)
        waits = !core->cross || !core->cross->count[entry->flag_id];
    else if (entry->kind == ENTRY_BARRIER)
        waits = pipe->head != pipe->next;
    if (!waits || !foresees(core, earliest) || may_be_put_off(core, number) ||
        core->rank->vm->options.stepwise)
        return earliest;
    pipe->wait_since = earliest;
    return ENGINE_NEVER;
}

/* Start the entry at `at` if nothing holds it up. */
static bool start(struct core *core, unsigned number, struct entry *entry, uint64_t at)
{
    struct pipe *pipe = core->pipe[number];

    switch (entry->kind) {
    case ENTRY_TILE:
        return start_tile(core, number, entry, at);
    case ENTRY_WAIT:
        if (!flag_take(core, entry->flag_src, entry->flag_dst, entry->flag_id))
            return stalled(core, number, entry);
        break;
    case ENTRY_CROSS_WAIT:
        if (!flag_cross_take(core, number, entry->pc, entry->flag_id))
            return stalled(core, number, entry);
        break;
    case ENTRY_BARRIER:
        if (pipe->head != pipe->next)
            return stalled(core, number, entry);
        break;
    case ENTRY_UNWAITED_FLAG:
        if (!flag_take(core, entry->flag_src, entry->flag_dst, entry->flag_id))
            owe_flag(core, entry->flag_src, entry->flag_dst, entry->flag_id);
        break;
    case ENTRY_UNWAITED_CROSS:
        if (!flag_cross_take(core, number, entry->pc, entry->flag_id))
            owe_cross(core, entry->flag_id);
        break;
    case ENTRY_UNWAITED_BARRIER:
        break;
    default: /* sets of flags fire in order of completion and hold nothing up */
        entry->start = at;
        entry->complete = at;
        pipe->free_at = at + cost_flag(core, number);
        if (is_watched(core->rank->vm))
            tell_pass(core, number, entry, at);
        return true;
    }
    go_on(core, number, entry);
    return true;
}

/* ---- the event ---- */

static void complete_due(struct core *core, unsigned number)
{
    struct pipe *pipe = core->pipe[number];
    const uint64_t now = core->rank->now;

    while (pipe->head != pipe->next) {
        struct entry *entry = pipe_entry(pipe, pipe->head);

        if (entry->complete > now)
            break;
        complete(core, number, entry);
        pipe->head++;
    }
}

/* True: what has started is complete, which comes before anything else starts. */
static bool start_ready(struct core *core, unsigned number, uint64_t *next_start)
{
    struct pipe *pipe = core->pipe[number];
    const uint64_t now = core->rank->now;

    *next_start = ENGINE_NEVER;
    while (pipe->next != pipe->tail) {
        struct entry *entry = pipe_entry(pipe, pipe->next);
        uint64_t earliest = max_u64(entry->issue, pipe->free_at);

        queue_fetch(pipe, pipe->next + ENTRIES_AHEAD);
        if (earliest > now && !starts_early(core, number, entry, earliest)) {
            *next_start = look_again(core, number, entry, earliest);
            return false;
        }
        if (!start(core, number, entry, max_u64(earliest, now)))
            return false;
        pipe->next++;
        if (entry->complete <= now)
            return true;
    }
    return false;
}

static void schedule_next(struct core *core, unsigned number, uint64_t next_start)
{
    const struct pipe *pipe = core->pipe[number];
    uint64_t when = next_start;

    if (pipe->head != pipe->next) {
        uint64_t due = pipe_entry(pipe, pipe->head)->complete;

        when = due < when ? due : when;
    }
    if (when != ENGINE_NEVER)
        wake_queue(core, number, when);
}

void pipe_run(struct core *core, unsigned number)
{
    const uint32_t head = core->pipe[number]->head;
    uint64_t next_start;

    do {
        complete_due(core, number);
    } while (start_ready(core, number, &next_start) && !core->rank->dead);
    schedule_next(core, number, next_start);
    if (core->pipe[number]->head != head)
        wake_room(core, number);
}
