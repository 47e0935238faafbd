#include "dma.h"

#include <stdlib.h>
#include <string.h>

#include "flag.h"
#include "link.h"
#include "machine/cost.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/parts.h"
#include "machine/probe.h"
#include "machine/resolve.h"
#include "machine/stock.h"
#include "machine/wake.h"
#include "put_off.h"

enum { DST, SRC };

/* ---- submission ---- */

static bool is_remote(const struct core *core, const uint64_t *word)
{
    return gm_rank(word) != core->rank->number;
}

/* Both windows: named by either operand or by both; else what is left of the source. */
static void find_extents(const struct core *core, const struct ready_op *op,
                         struct extent extent[2])
{
    const struct ready_operand *operand = &op->operand[1];

    for (unsigned side = DST; side <= SRC; side++)
        extent[side] = resolve_extent(core, &operand[side]);
    if (extent[DST].rows == NOT_GIVEN && extent[SRC].rows == NOT_GIVEN)
        extent[SRC] = resolve_rest(core, &operand[SRC]);
    if (extent[DST].rows == NOT_GIVEN)
        extent[DST] = extent[SRC];
    if (extent[SRC].rows == NOT_GIVEN)
        extent[SRC] = extent[DST];
}

/* The engine knows an address and a length. */
static bool check_flat(struct core *core, const struct ready_op *op, const uint64_t *word)
{
    const struct bound_object *object = memory_object(core, gm_object(word));
    unsigned last = object->dims - 1u;
    int64_t size = (int64_t)pto_dtype_size(object->dtype);
    uint32_t rows = gm_rows(word), cols = gm_cols(word);

    if (!rows || !cols || ((cols == 1 || object->stride[last] == size) &&
                           (rows == 1 || object->stride[last - 1] == cols * size)))
        return true;
    return FAULT_HERE(core, "name one row, or whole rows that touch; TPUT and TGET move any window",
                      "%s moves windows that lie in one piece, and {%u, %u} of '%s' does not",
                      op->info->mnemonic, rows, cols, memory_object_name(core, gm_object(word)));
}

/* A put starts here, a get ends here. */
static bool check_side(struct core *core, const struct ready_op *op, const struct submission *s)
{
    bool put = op->insn->op == PTO_OP_TPUT_ASYNC;

    if (!is_remote(core, s->gm[put ? SRC : DST]))
        return true;
    return FAULT_HERE(core, put ? "use TGET_ASYNC" : "use TPUT_ASYNC", "the %s of %s is on rank %d",
                      put ? "source" : "destination", op->info->mnemonic,
                      gm_rank(s->gm[put ? SRC : DST]));
}

static bool resolve(struct core *core, const struct ready_op *op, struct submission *s)
{
    struct extent extent[2];
    uint64_t elements[2];

    find_extents(core, op, extent);
    for (unsigned side = DST; side <= SRC; side++) {
        if (!resolve_gm(core, &op->operand[1 + side], extent[side], s->gm[side]) ||
            !check_flat(core, op, s->gm[side]))
            return false;
        elements[side] = (uint64_t)gm_rows(s->gm[side]) * gm_cols(s->gm[side]);
    }
    if (elements[DST] != elements[SRC])
        return FAULT_HERE(core, NULL, "the destination has %llu elements and the source %llu",
                          (unsigned long long)elements[DST], (unsigned long long)elements[SRC]);
    s->bytes = elements[SRC] * pto_dtype_size(op->operand[1].view.dtype);
    return check_side(core, op, s);
}

enum issue_result dma_submit(struct core *core, const struct ready_op *op)
{
    uint32_t limit = core->rank->vm->profile.async_limit;
    struct dma *dma = parts_make_dma(core);
    struct submission *s;

    if (dma->tail - dma->head == limit) {
        core->stall = STALL_QUEUE;
        core->stall_pipe = PTO_DMA;
        return ISSUE_STALL;
    }
    if (!dma->ring)
        dma->ring = pto_xcalloc(limit, sizeof *dma->ring);
    s = dma_submission(core, dma->tail);
    *s = (struct submission){.op = op, .pc = core->pc, .issue = core->time};
    if (!resolve(core, op, s))
        return ISSUE_FAULT;
    s->ready = core->time + cost_async(core, dma->tail, s->bytes).latency;
    if (observed(core))
        observe_core(core, core->pc, (struct pto_event){.kind = PTO_EV_ISSUE,
                                                        .pipe = PTO_DMA,
                                                        .time_ps = core->time,
                                                        .entry = dma->tail + 1});
    PROBE(core->rank->vm, async_submit, core);
    core->reg[op->operand[0].reg] = ++dma->tail;
    dma_run(core); /* an empty copy behind nothing is complete at once */
    core->time += cost_of(core, COST_ISSUE);
    return ISSUE_DONE;
}

/* ---- events ---- */

static bool check_event(struct core *core, int64_t event)
{
    if (event > 0 && (uint64_t)event <= core->dma->tail)
        return true;
    return FAULT_HERE(core, "an event is what TPUT_ASYNC or TGET_ASYNC of this sub-core gave",
                      "event %lld: this sub-core has handed over %llu copies in this launch",
                      (long long)event, (unsigned long long)core->dma->tail);
}

static bool is_complete(struct core *core, uint64_t event)
{
    if (core->dma->head < event)
        return false;
    core->dma->seen = max_u64(core->dma->seen, event);
    PROBE(core->rank->vm, async_seen, core, event);
    return true;
}

enum issue_result dma_wait(struct core *core, const struct ready_op *op)
{
    int64_t event = (int64_t)core->reg[op->operand[0].reg];

    if (!check_event(core, event))
        return ISSUE_FAULT;
    core->time += cost_of(core, COST_TEST);
    if (is_complete(core, (uint64_t)event) || op->unwaited)
        return ISSUE_DONE;
    core->stall = STALL_ASYNC;
    core->stall_event = (uint64_t)event;
    return ISSUE_STALL;
}

enum issue_result dma_test(struct core *core, const struct ready_op *op)
{
    int64_t event = (int64_t)core->reg[op->operand[1].reg];

    if (!check_event(core, event))
        return ISSUE_FAULT;
    core->reg[op->operand[0].reg] = is_complete(core, (uint64_t)event);
    core->time += cost_of(core, COST_TEST);
    return ISSUE_DONE;
}

/* ---- the engine at work ---- */

/* The rank that a submission needs a way to; -1: none. */
static int far_side(const struct core *core, const struct submission *s)
{
    unsigned side = is_remote(core, s->gm[DST]) ? DST : SRC;

    return s->bytes && is_remote(core, s->gm[side]) ? gm_rank(s->gm[side]) : -1;
}

/* Its bytes leave from now on, and are not through before `memory` has them; returns when they
 * are. */
static uint64_t leave(struct core *core, const struct submission *s, uint64_t memory)
{
    struct rank *rank = core->rank;
    const struct turn turn = {.flow = (uint64_t)core->number << 3 | PTO_DMA,
                              .core = core->number,
                              .queue = PTO_DMA,
                              .number = core->dma->next,
                              .floor = max_u64(memory, rank->now + s->pace)};

    return max_u64(memory, link_reserve(rank, gm_rank(s->gm[DST]), s->bytes, &turn));
}

/* Link and memory are reserved when a submission starts, first come, first served.  What leaves
 * over a link that goes down meanwhile moves no later than that. */
static void start(struct core *core, struct submission *s)
{
    struct rank *rank = core->rank;
    struct dma *dma = core->dma;
    struct phase_cost cost = cost_async(core, dma->next, s->bytes);
    uint64_t done = rank->now;
    bool sends = is_remote(core, s->gm[DST]), fetches = is_remote(core, s->gm[SRC]);

    s->start = rank->now;
    rank->gm_use = (struct pto_gm_use){0};
    s->pace = cost.occupancy;
    s->move = s->complete = ENGINE_NEVER;
    if (s->bytes) {
        done = cost_async_memory(core, s);
        if (sends)
            done = leave(core, s, done);
    }
    dma->free_at = max_u64(done, rank->now + s->pace);
    if (fetches && s->bytes)
        link_send_request(core, PTO_DMA, s->pc,
                          (uint32_t)(dma->next % rank->vm->profile.async_limit), s->gm[SRC],
                          s->op->skipped);
    else
        s->move = dma->free_at;
    if (sends && s->bytes)
        put_off_move_at_break(core, s);
    dma->stats.busy_ps += dma->free_at - rank->now;
    dma->stats.bytes += s->bytes;
    if (observed(core))
        observe_core(core, s->pc, (struct pto_event){.kind = PTO_EV_START,
                                                     .pipe = PTO_DMA,
                                                     .time_ps = rank->now,
                                                     .next_ps = dma->free_at,
                                                     .remote = sends || fetches,
                                                     .peer = sends ? gm_rank(s->gm[DST]) : -1,
                                                     .gm = rank->gm_use,
                                                     .bytes = s->bytes,
                                                     .entry = dma->next + 1});
    dma->next++;
}

void dma_reply(struct core *core, uint32_t place, uint8_t *payload)
{
    struct submission *s = &core->dma->ring[place];
    const struct rank *rank = core->rank;
    int owner = gm_rank(s->gm[SRC]);
    uint64_t there = s->start + topology_latency(rank->vm, rank->number, owner, s->start);
    uint64_t back = there + topology_latency(rank->vm, owner, rank->number, there);

    /* The link may be faster than the engine, which then takes the bytes in at its own pace. */
    s->payload = payload;
    s->move = max_u64(rank->now, back + s->pace);
    wake_queue(core, PTO_DMA, rank->now);
}

/* The bytes are copied here, or packed to leave: returned. */
static uint8_t *move_bytes(struct core *core, uint64_t number, struct submission *s)
{
    struct op_view dst, src;
    bool leaves = is_remote(core, s->gm[DST]);

    if (s->op->skipped)
        return NULL;
    memory_gm_view(core, s->gm[DST], &dst);
    memory_gm_view(core, s->gm[SRC], &src);
    PROBE(core->rank->vm, async_move, core, number, leaves ? NULL : &dst,
          s->payload ? NULL : &src);
    if (leaves)
        return memcpy(stock_take(core->rank, s->bytes), src.data, s->bytes);
    memmove(dst.data, s->payload ? s->payload : src.data, s->bytes);
    stock_give(core->rank, s->payload);
    s->payload = NULL;
    return NULL;
}

/* A submission moves its bytes at this instant. */
static void move(struct core *core, uint64_t number, struct submission *s)
{
    struct rank *rank = core->rank;
    uint8_t *leaving;

    if (is_remote(core, s->gm[DST]) && s->bytes &&
        !link_holds(core, s->pc, PTO_DMA, gm_rank(s->gm[DST]), s->start))
        return;
    s->moved = true;
    s->complete = rank->now;
    if (!s->bytes)
        return;
    leaving = move_bytes(core, number, s);
    if (is_remote(core, s->gm[DST]))
        s->complete = link_send_dma(core, number, s->pc, s->gm[DST], leaving);
    else
        flag_object_written(rank, memory_object(core, gm_object(s->gm[DST]))->object);
}

static void complete(struct core *core, const struct submission *s)
{
    struct dma *dma = core->dma;

    dma->head++;
    dma->stats.instructions++;
    core->rank->retired++;
    if (observed(core))
        observe_core(core, s->pc, (struct pto_event){.kind = PTO_EV_COMPLETE,
                                                     .pipe = PTO_DMA,
                                                     .time_ps = core->rank->now,
                                                     .start_ps = s->start,
                                                     .entry = dma->head});
    if (core->stall == STALL_ASYNC && is_complete(core, core->stall_event))
        wake_finished(core, core->rank->now + cost_of(core, COST_WAKE));
}

/* When the next submission in the queue may start. */
static uint64_t next_start(const struct core *core)
{
    const struct dma *dma = core->dma;
    const struct submission *s;

    if (dma->next == dma->tail)
        return ENGINE_NEVER;
    s = dma_submission(core, dma->next);
    return max_u64(s->ready, dma->free_at);
}

/* Do what is due; returns when there will be more to do. */
static uint64_t work(struct core *core)
{
    struct dma *dma = core->dma;
    uint64_t now = core->rank->now, when = ENGINE_NEVER;

    for (uint64_t i = dma->head; i != dma->next; i++) {
        struct submission *s = dma_submission(core, i);
        uint64_t due;

        if (!s->moved && s->move <= now)
            move(core, i, s);
        if (core->rank->dead)
            return ENGINE_NEVER;
        due = s->moved ? s->complete : s->move;
        if (due <= now && i == dma->head)
            complete(core, s);
        else
            when = due > now && due < when ? due : when;
    }
    return when;
}

void dma_run(struct core *core)
{
    uint64_t head = core->dma->head, when = work(core), begin = next_start(core);

    while (begin <= core->rank->now && !core->rank->dead) {
        struct submission *s = dma_submission(core, core->dma->next);
        int peer = far_side(core, s);

        if (peer >= 0 && !link_holds(core, s->pc, PTO_DMA, peer, core->rank->now))
            return;
        start(core, s);
        when = work(core);
        begin = next_start(core);
    }
    when = begin < when ? begin : when;
    if (when != ENGINE_NEVER)
        wake_queue(core, PTO_DMA, when);
    if (core->dma->head != head)
        wake_room(core, PTO_DMA);
}

/* ---- a launch's start and end ---- */

void dma_begin(struct core *core, uint64_t now)
{
    struct dma *dma = core->dma;

    if (!(parts_made(core) >> PART_DMA & 1))
        return;
    dma->head = dma->next = dma->tail = dma->seen = 0;
    dma->free_at = now;
}

void dma_report_left(struct core *core)
{
    const struct dma *dma = core->dma;
    uint64_t left = dma->tail - dma->seen;

    if (left)
        fault_leftover(core, dma_submission(core, dma->tail - 1)->pc,
                       "async_wait for the last event covers all before it",
                       "%llu cop%s of the DMA engine %s never waited for, the last is this one",
                       (unsigned long long)left, left == 1 ? "y" : "ies",
                       left == 1 ? "was" : "were");
}

void dma_free(struct core *core)
{
    struct dma *dma = core->dma;

    for (uint64_t i = dma->head; i != dma->tail; i++)
        free(dma_submission(core, i)->payload);
    free(dma->ring);
}
