#include "sync.h"

#include "dma.h"
#include "flag.h"
#include "link.h"
#include "machine/cost.h"
#include "machine/cross_name.h"
#include "machine/element.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/parts.h"
#include "machine/probe.h"
#include "machine/resolve.h"
#include "machine/wake.h"
#include "owe.h"
#include "queue.h"

bool sync_needs_clock(const struct ready_op *op)
{
    switch (op->insn->op) {
    case PTO_OP_SET_FLAG_DEV:
    case PTO_OP_SET_INTRA_BLOCK:
    case PTO_OP_WAIT_INTRA_BLOCK:
        return op->operand[0].value == PTO_PIPE_S;
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
    case PTO_OP_DCCI:
    case PTO_OP_DCCI_AT:
        return false;
    default:
        return true;
    }
}

/* Of the scalar unit; pipes find theirs in their queues (issue.c). */
static enum issue_result execute_set(struct core *core, const struct ready_op *op)
{
    uint64_t event = core->reg[op->operand[2].reg];

    if (!issue_check_event(core, event) ||
        !flag_set(core, core->pc, PTO_PIPE_S, (unsigned)op->operand[1].value, (unsigned)event))
        return ISSUE_FAULT;
    return ISSUE_DONE;
}

static enum issue_result execute_wait(struct core *core, const struct ready_op *op)
{
    unsigned src = (unsigned)op->operand[0].value;
    uint64_t event = core->reg[op->operand[2].reg];

    if (!issue_check_event(core, event))
        return ISSUE_FAULT;
    if (flag_take(core, src, PTO_PIPE_S, (unsigned)event))
        return ISSUE_DONE;
    if (op->unwaited) {
        owe_flag(core, src, PTO_PIPE_S, (unsigned)event);
        return ISSUE_DONE;
    }
    core->stall = STALL_FLAG;
    core->stall_src = (uint8_t)src;
    core->stall_id = (uint8_t)event;
    return ISSUE_STALL;
}

static enum issue_result drain(struct core *core)
{
    if (pipes_empty(core)) {
        PROBE(core->rank->vm, drained, core);
        return ISSUE_DONE;
    }
    core->stall = STALL_BARRIER;
    return ISSUE_STALL;
}

static bool check_cross(struct core *core, int64_t id)
{
    uint32_t ids = core->rank->vm->profile.cross_flags_user;

    if (id >= 0 && id < ids)
        return true;
    return FAULT_HERE(core, NULL, "cross-core flag %lld: programs have flags 0 to %u",
                      (long long)id, ids - 1);
}

static enum issue_result issue_cross(struct core *core, unsigned pipe, enum entry_kind kind,
                                     unsigned mode, unsigned id)
{
    struct entry *entry = queue_entry(core, pipe, kind);

    if (!entry)
        return ISSUE_STALL;
    entry->flag_src = (uint8_t)mode;
    entry->flag_dst = 0;
    entry->flag_id = (uint8_t)id;
    queue_push(core, pipe);
    return ISSUE_DONE;
}

static enum issue_result execute_cross_set(struct core *core, const struct ready_op *op)
{
    unsigned pipe = (unsigned)op->operand[0].value;
    int64_t mode = (int64_t)core->reg[op->operand[1].reg];
    int64_t id = (int64_t)core->reg[op->operand[2].reg];

    if (!check_cross(core, id))
        return ISSUE_FAULT;
    if (mode < 0 || mode > 2) {
        FAULT_HERE(core, NULL, "mode %lld: cross-core flags have modes 0, 1 and 2",
                   (long long)mode);
        return ISSUE_FAULT;
    }
    if (pipe != PTO_PIPE_S)
        return issue_cross(core, pipe, ENTRY_CROSS, (unsigned)mode, (unsigned)id);
    return flag_cross_set(core, core->pc, pipe, (unsigned)mode, (unsigned)id) ? ISSUE_DONE
                                                                              : ISSUE_FAULT;
}

/* S waits for the flag at a place. */
static enum issue_result await_cross(struct core *core, const struct ready_op *op, unsigned place)
{
    if (flag_cross_take(core, PTO_PIPE_S, core->pc, place))
        return ISSUE_DONE;
    if (op->unwaited) {
        owe_cross(core, place);
        return ISSUE_DONE;
    }
    core->stall = STALL_CROSS;
    core->stall_id = (uint8_t)place;
    return ISSUE_STALL;
}

static enum issue_result execute_cross_wait(struct core *core, const struct ready_op *op)
{
    int64_t id = (int64_t)core->reg[op->operand[0].reg];

    return check_cross(core, id) ? await_cross(core, op, (unsigned)id) : ISSUE_FAULT;
}

static bool check_intra(struct core *core, int64_t id)
{
    bool both = core->kind == PTO_AIC && core->ready->kernel->vectors_per_block > 1;
    unsigned ids = both ? 2 * PTO_INTRA_BLOCK_FLAGS : PTO_INTRA_BLOCK_FLAGS;

    if (id >= 0 && id < ids)
        return true;
    return FAULT_HERE(core, NULL, "intra-block flag %lld: %s has flags 0 to %u", (long long)id,
                      core->name, ids - 1);
}

static enum issue_result execute_intra_set(struct core *core, const struct ready_op *op)
{
    unsigned pipe = (unsigned)op->operand[0].value, place;
    int64_t id = (int64_t)core->reg[op->operand[1].reg];

    if (!check_intra(core, id))
        return ISSUE_FAULT;
    place = cross_place(core, (unsigned)id);
    if (pipe != PTO_PIPE_S)
        return issue_cross(core, pipe, ENTRY_CROSS, CROSS_TO_ONE, place);
    return flag_cross_set(core, core->pc, pipe, CROSS_TO_ONE, place) ? ISSUE_DONE : ISSUE_FAULT;
}

static enum issue_result execute_intra_wait(struct core *core, const struct ready_op *op)
{
    unsigned pipe = (unsigned)op->operand[0].value, place;
    int64_t id = (int64_t)core->reg[op->operand[1].reg];

    if (!check_intra(core, id))
        return ISSUE_FAULT;
    place = cross_place(core, (unsigned)id);
    if (pipe == PTO_PIPE_S)
        return await_cross(core, op, place);
    return issue_cross(core, pipe, op->unwaited ? ENTRY_UNWAITED_CROSS : ENTRY_CROSS_WAIT, 0,
                       place);
}

static enum issue_result execute_sync_all(struct core *core, const struct ready_op *op)
{
    if (op->unwaited)
        return ISSUE_DONE;
    if (drain(core) == ISSUE_STALL)
        return ISSUE_STALL;
    return flag_sync_all(core, op->operand[0].value) ? ISSUE_STALL : ISSUE_FAULT;
}

static enum issue_result execute_notify(struct core *core, const struct ready_op *op)
{
    struct rank *rank = core->rank;
    int64_t value = (int64_t)core->reg[op->operand[1].reg];
    uint64_t word[GM_WORDS];

    if (!resolve_signal(core, &op->operand[0], word))
        return ISSUE_FAULT;
    if (value < INT32_MIN || value > INT32_MAX) {
        FAULT_HERE(core, NULL, "value %lld does not fit in a signal of 32 bits", (long long)value);
        return ISSUE_FAULT;
    }
    if (gm_rank(word) == rank->number) {
        struct op_view view;

        memory_gm_view(core, word, &view);
        flag_notify(rank, memory_object(core, gm_object(word))->object, &view, value,
                    op->operand[2].value, PROBE_TAG(rank->vm, notify, core));
    } else {
        link_send_notify(core, word, value, op->operand[2].value);
    }
    core->time += cost_of(core, COST_NOTIFY);
    return ISSUE_DONE;
}

/* Resolve a condition of TWAIT, TTEST or TWAIT_ANY, which begins with operand number `signal`, into
 * the next of core->waits->condition. */
static bool resolve_wait(struct core *core, const struct ready_op *op, unsigned signal)
{
    struct signal_wait *wait = &core->waits->condition[core->waits->conditions++];

    wait->core = core;
    if (!resolve_signal(core, &op->operand[signal], wait->gm))
        return false;
    if (gm_rank(wait->gm) != core->rank->number)
        return FAULT_HERE(core, "let the other rank TNOTIFY a signal of this one",
                          "%s reads local signals only", op->info->mnemonic);
    wait->comparison = (uint8_t)op->operand[signal + 1].value;
    wait->value = (int64_t)core->reg[op->operand[signal + 2].reg];
    return true;
}

/* TWAIT, whose condition begins with operand 0, and TWAIT_ANY, where a register stands before the
 * conditions. */
static enum issue_result execute_twait(struct core *core, const struct ready_op *op)
{
    unsigned first = op->insn->op == PTO_OP_TWAIT ? 0 : 1;
    struct waits *waits = parts_make_waits(core, op->operands / 3);

    waits->conditions = waits->held = 0;
    waits->which = op->operand[0].reg;
    for (unsigned i = first; i < op->operands; i += 3)
        if (!resolve_wait(core, op, i))
            return ISSUE_FAULT;
    core->time += waits->conditions * cost_of(core, COST_TEST);
    if (flag_signal_holds(core) || op->unwaited)
        return ISSUE_DONE;
    flag_wait_signal(core);
    return ISSUE_STALL;
}

static enum issue_result execute_ttest(struct core *core, const struct ready_op *op)
{
    struct waits *waits = parts_make_waits(core, 1);

    waits->conditions = waits->held = 0;
    if (!resolve_wait(core, op, 1))
        return ISSUE_FAULT;
    core->reg[op->operand[0].reg] = flag_signal_holds(core);
    if (!core->reg[op->operand[0].reg])
        PROBE(core->rank->vm, signal_unseen, core);
    core->time += cost_of(core, COST_TEST);
    return ISSUE_DONE;
}

/* Where messages meet others, when they arrive is known when a window ends at the latest, and none
 * is acknowledged before: S looks again then.  A rank that has died acknowledges nothing. */
static enum issue_result execute_dsb(struct core *core, const struct ready_op *op)
{
    if (op->unwaited)
        return ISSUE_DONE;
    if (core->stores_acknowledged == ENGINE_NEVER) {
        core->stall = STALL_STORES;
        return ISSUE_STALL;
    }
    if (core->time < core->stores_acknowledged && topology_is_shared(&core->rank->vm->topology)) {
        /* S is at it meanwhile, as it is where the time is known at once. */
        core->pipe[PTO_PIPE_S]->stats.busy_ps += core->stores_acknowledged - core->time;
        wake_scalar(core, core->stores_acknowledged);
        return ISSUE_STALL;
    }
    core->time = max_u64(core->time, core->stores_acknowledged);
    PROBE(core->rank->vm, fence, core);
    return ISSUE_DONE;
}

/* dcci: memory is coherent here; the cache rule is the checker's. */
static enum issue_result execute_cache(struct core *core, const struct ready_op *op)
{
    const struct ready_operand *place = NULL;
    void *element = NULL;
    uint8_t dtype;

    if (op->insn->op == PTO_OP_DCCI_AT) {
        place = &op->operand[0];
        element = element_address(core, place, &dtype);
        if (!element)
            return ISSUE_FAULT;
        if (op->operand[1].value == PTO_CACHE_ALL)
            place = NULL;
    }
    PROBE(core->rank->vm, cache, core, place, element);
    return ISSUE_DONE;
}

enum issue_result sync_execute(struct core *core, const struct ready_op *op)
{
    switch (op->insn->op) {
    case PTO_OP_SET_FLAG:
        return execute_set(core, op);
    case PTO_OP_WAIT_FLAG:
        return execute_wait(core, op);
    case PTO_OP_PIPE_BARRIER: /* of all pipes */
    case PTO_OP_TSYNC:
        return op->unwaited ? ISSUE_DONE : drain(core);
    case PTO_OP_SET_FLAG_DEV:
        return execute_cross_set(core, op);
    case PTO_OP_WAIT_FLAG_DEV:
        return execute_cross_wait(core, op);
    case PTO_OP_SET_INTRA_BLOCK:
        return execute_intra_set(core, op);
    case PTO_OP_WAIT_INTRA_BLOCK:
        return execute_intra_wait(core, op);
    case PTO_OP_SYNC_ALL:
        return execute_sync_all(core, op);
    case PTO_OP_DSB:
        return execute_dsb(core, op);
    case PTO_OP_DCCI:
    case PTO_OP_DCCI_AT:
        return execute_cache(core, op);
    case PTO_OP_TNOTIFY:
        return execute_notify(core, op);
    case PTO_OP_TWAIT:
    case PTO_OP_TWAIT_ANY2:
    case PTO_OP_TWAIT_ANY3:
        return execute_twait(core, op);
    case PTO_OP_ASYNC_WAIT:
        return dma_wait(core, op);
    case PTO_OP_ASYNC_TEST:
        return dma_test(core, op);
    default:
        return execute_ttest(core, op);
    }
}
