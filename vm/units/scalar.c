#include "scalar.h"

#include "access.h"
#include "arithmetic.h"
#include "bits.h"
#include "dma.h"
#include "flag.h"
#include "issue.h"
#include "machine/cost.h"
#include "machine/delay.h"
#include "machine/fault.h"
#include "machine/observe.h"
#include "machine/wake.h"
#include "queue.h"
#include "series.h"
#include "sync.h"

/* Instructions executed before S hands over, so that limits are looked at and an endless loop
 * cannot hold the machine. */
enum { RUN_BUDGET = 1 << 16 };

static void end_program(struct core *core)
{
    core->stall = STALL_ENDED;
    core->rank->ended++;
    flag_core_ends(core);
    wake_ended(core);
}

/* ---- the interpreter ---- */

/* Does the world have to be at S's time before this instruction?  If it is not yet, S comes back
 * as an event. */
static bool must_wait_for_clock(struct core *core)
{
    if (core->time <= core->rank->now)
        return false;
    wake_scalar(core, core->time);
    return true;
}

/* The same for an instruction that a schedule may delay; a set-up has no schedule. */
static bool must_wait_for_turn(struct core *core)
{
    return must_wait_for_clock(core) || (core->ready->core && delay_act(core));
}

/* Instructions with structured operands that enter no queue, or several. */
static enum issue_result execute_class(struct core *core, const struct ready_op *op)
{
    switch (op->info->class) {
    case PTO_MACRO:
        return series_issue(core, op);
    case PTO_ASYNC:
        return must_wait_for_turn(core) ? ISSUE_STALL : dma_submit(core, op);
    case PTO_ACCESS:
        return must_wait_for_turn(core) ? ISSUE_STALL : access_execute(core, op);
    default:
        if (sync_needs_clock(op) && must_wait_for_turn(core))
            return ISSUE_STALL;
        return sync_execute(core, op);
    }
}

static inline enum issue_result execute_structured(struct core *core, const struct ready_op *op)
{
    if (op->way == WAY_TILE) {
        struct entry *entry = queue_entry(core, op->pipe, ENTRY_TILE);

        return entry ? issue_tile(core, op, entry) : ISSUE_STALL;
    }
    return op->way == WAY_FLAG ? issue_flag(core, op) : execute_class(core, op);
}

static bool assert_holds(struct core *core, const struct ready_insn *insn)
{
    const struct pto_insn *source = &core->ready->code->insn[core->pc];

    if (core->reg[insn->a])
        return true;
    return FAULT_HERE(core, NULL, "assertion failed: %s", source->operand[1].text);
}

static void arithmetic_failed(struct core *core, const struct ready_insn *insn)
{
    uint64_t a = core->reg[insn->a], b = core->reg[insn->b], unused;
    struct pto_buf text = {0};

    pto_arith_fault_text(pto_arith(insn->op, a, b, &unused), a, b, &text);
    FAULT_HERE(core, NULL, "%s", pto_buf_text(&text));
    pto_buf_free(&text);
}

/* The instruction at hand is done, which took S from `since`.  What it put into a queue has been
 * told.  A fence may have been waited for under another name: S looks again when it is time. */
static void took(const struct core *core, uint64_t since)
{
    enum pto_class class = core->ready->op[core->ready->insn[core->pc].d].info->class;

    if (core->ready->insn[core->pc].op != PTO_OP_DSB &&
        (core->time == since || class == PTO_TILE || class == PTO_MACRO))
        return;
    observe_core(core, core->pc, (struct pto_event){.kind = PTO_EV_TOOK,
                                                    .time_ps = core->time,
                                                    .start_ps = since});
}

/* Threaded code: every instruction jumps straight to the next one's.  The table of labels comes
 * from ops.def, so a scalar instruction without code, here or in arithmetic.def, does not
 * compile. */
#define LABEL_PTO_SCALAR(id) &&do_##id
#define LABEL_PTO_FLOW(id) &&do_##id
#define LABEL_PTO_ACCESS(id) &&structured
#define LABEL_PTO_SYNC(id) &&structured
#define LABEL_PTO_TILE(id) &&structured
#define LABEL_PTO_MACRO(id) &&structured
#define LABEL_PTO_ASYNC(id) &&structured
#define PTO_OP(id, number, mnemonic, class, ...) [PTO_OP_##id] = LABEL_##class(id),

#define REG(field) reg[insn->field]
#define INT_IN(field) ((int64_t)REG(field))
#define REAL_IN(field) (((const union { uint64_t bits; double f; } *)&REG(field))->f)
#define SET_INT(value) (REG(d) = (uint64_t)(value))
#define SET_REAL(value) (REG(d) = pto_f64_bits(value))
/* The clock is the number of instructions since `base`: not counted up one by one. */
#define SAVE()                                                                                     \
    (core->pc = (uint32_t)(insn - code), core->time = base + (budget - left) * step)
#define DISPATCH()                                                                                 \
    do {                                                                                           \
        if (--left == 0)                                                                           \
            goto out;                                                                              \
        goto *label[insn->op];                                                                     \
    } while (0)
#define NEXT                                                                                       \
    do {                                                                                           \
        insn++;                                                                                    \
        DISPATCH();                                                                                \
    } while (0)
#define BRANCH_IF(condition)                                                                       \
    do {                                                                                           \
        insn = (condition) ? code + insn->d : insn + 1;                                            \
        DISPATCH();                                                                                \
    } while (0)
/* Instructions without a fault leave no test behind: theirs is a constant. */
#define ARITHMETIC(id, result, operands, ...)                                                      \
    do_##id:                                                                                       \
    if (pto_arith_fault_##id(operands##_IN(a), operands##_IN(b)) != PTO_ARITH_FINE)                \
        goto failed;                                                                               \
    SET_##result(pto_arith_##id(operands##_IN(a), operands##_IN(b)));                              \
    NEXT;
#define BRANCH(id, ...)                                                                            \
    do_##id: BRANCH_IF(pto_branch_##id(INT_IN(a), INT_IN(b)));

/* Execute at most `budget` instructions; returns how many were executed.  S has stalled, ended or
 * faulted if core->stall says so (STALL_NONE: the budget is used up). */
static uint64_t interpret(struct core *core, uint64_t budget)
{
    static const void *const label[PTO_OP_COUNT] = {
#include "ops.def"
    };
    const struct ready_insn *const code = core->ready->insn, *insn = code + core->pc;
    uint64_t *const reg = core->reg;
    uint64_t base = core->time;
    uint64_t left = budget;
    const uint64_t step = core->rank->duration[COST_SCALAR];

    core->stall = STALL_NONE;
    goto *label[insn->op];

do_MOV: REG(d) = REG(a); NEXT;
do_SELECT: REG(d) = REG(c) ? REG(a) : REG(b); NEXT;
#include "arithmetic.def"
do_DEFAULT: access_default(core, insn->d, REG(a)); NEXT;
do_PRESENT: SET_INT(access_present(core, insn->a)); NEXT;
do_JUMP: BRANCH_IF(true);
do_ASSERT:
    SAVE();
    if (!assert_holds(core, insn))
        return budget - left;
    NEXT;
do_END:
    SAVE();
    if (core->ready->core && must_wait_for_clock(core)) /* a set-up has no clock */
        return budget - left;
    core->stall = STALL_ENDED;
    return budget - left;
structured:
    SAVE();
    if (execute_structured(core, &core->ready->op[insn->d]) != ISSUE_DONE)
        return budget - left;
    if (asks_why(core))
        took(core, base + (budget - left) * step);
    base = core->time - (budget - left) * step; /* the instruction took time of its own */
    NEXT;
failed:
    SAVE();
    arithmetic_failed(core, insn);
    return budget - left;
out:
    SAVE();
    return budget - left;
}

static void account(struct core *core, uint64_t insns, uint64_t began)
{
    struct pipe *pipe = core->pipe[PTO_PIPE_S];

    core->insns += insns;
    core->rank->insns += insns;
    pipe->stats.instructions += insns;
    pipe->stats.busy_ps += core->time - began;
}

static void resumed(struct core *core)
{
    if (core->stall_since == ENGINE_NEVER)
        return;
    core->pipe[PTO_PIPE_S]->stats.wait_ps += core->time - core->stall_since;
    if (observed(core))
        observe_core(core, core->pc, (struct pto_event){.kind = PTO_EV_RESUME,
                                                        .time_ps = core->time,
                                                        .start_ps = core->stall_since});
    core->stall_since = ENGINE_NEVER;
}

static void suspended(struct core *core)
{
    if (core->stall == STALL_TIME || core->stall == STALL_ENDED || core->stall == STALL_NONE)
        return;
    core->stall_since = core->time;
    if (observed(core))
        observe_core(core, core->pc,
                     (struct pto_event){.kind = PTO_EV_STALL,
                                        .reason = core->stall,
                                        .time_ps = core->time});
}

/* One instruction per event, seen by observers before it executes. */
static uint64_t interpret_stepwise(struct core *core)
{
    uint64_t insns;

    if (must_wait_for_clock(core))
        return 0;
    if (observed(core))
        observe_core(core, core->pc,
                     (struct pto_event){.kind = PTO_EV_SCALAR, .time_ps = core->time});
    if (core->rank->vm->pause) {
        wake_scalar(core, core->time);
        return 0;
    }
    insns = interpret(core, 1);
    if (core->stall == STALL_NONE && !core->rank->dead)
        wake_scalar(core, core->time);
    return insns;
}

/* S does nothing ahead of the clock that it would do at another pace. */
static __attribute__((noinline)) uint64_t interpret_until(struct core *core, uint64_t until,
                                                          uint64_t budget)
{
    uint64_t insns = 0;

    do {
        insns += interpret(core, 1);
    } while (core->stall == STALL_NONE && !core->rank->dead && core->time < until &&
             insns < budget);
    return insns;
}

static inline uint64_t interpret_paced(struct core *core)
{
    const struct rank *rank = core->rank;
    uint64_t until = rank->pace_until;
    uint64_t budget = min_u64(RUN_BUDGET, rank->vm->most_insns - rank->insns);

    return __builtin_expect(until == ENGINE_NEVER, 1) ? interpret(core, budget)
                                                      : interpret_until(core, until, budget);
}

void scalar_run(struct core *core)
{
    struct pto_vm *vm = core->rank->vm;
    uint64_t began;

    if (core->stall == STALL_TIME)
        core->time = max_u64(core->time, core->rank->now);
    resumed(core);
    began = core->time;
    if (core->rank->pace_until <= began) { /* at its own event it is as fast as then */
        wake_scalar(core, began);
        return;
    }
    if (vm->options.stepwise) {
        account(core, interpret_stepwise(core), began);
    } else {
        account(core, interpret_paced(core), began);
        if (core->stall == STALL_NONE && !core->rank->dead)
            wake_scalar(core, core->time);
    }
    suspended(core);
    if (core->stall == STALL_ENDED)
        end_program(core);
}

bool scalar_setup(struct core *core)
{
    do {
        interpret(core, RUN_BUDGET);
    } while (core->stall == STALL_NONE && !core->rank->dead);
    return !core->rank->dead;
}
