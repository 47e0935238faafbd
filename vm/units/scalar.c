#include "scalar.h"

#include <math.h>

#include "access.h"
#include "dma.h"
#include "bits.h"
#include "machine/cost.h"
#include "machine/fault.h"
#include "flag.h"
#include "issue.h"
#include "run/launch.h"
#include "machine/observe.h"
#include "pipe.h"
#include "sync.h"

/* Instructions executed before S hands over, so that limits are looked at and an endless loop
 * cannot hold the machine. */
enum { RUN_BUDGET = 1 << 16 };

void scalar_wake(struct core *core, uint64_t time)
{
    core->stall = STALL_TIME;
    eventq_schedule(&core->rank->events, &core->pipe[PTO_PIPE_S].node,
                    max_u64(time, core->time));
}

void scalar_finish(struct core *core, uint64_t time)
{
    core->pc++;
    scalar_wake(core, time);
}

static void end_program(struct core *core)
{
    core->stall = STALL_ENDED;
    flag_core_ends(core);
    scalar_pipe_advanced(core, PTO_PIPE_S);
}

void scalar_pipe_advanced(struct core *core, unsigned pipe)
{
    switch (core->stall) {
    case STALL_QUEUE:
        if (core->stall_pipe != pipe)
            return;
        core->time = max_u64(core->time, core->rank->now);
        scalar_run(core);
        return;
    case STALL_BARRIER:
        if (pipe_all_empty(core))
            scalar_wake(core, core->rank->now);
        return;
    case STALL_ENDED:
        if (!core->drained && pipe_all_empty(core) && async_idle(core)) {
            core->drained = true;
            launch_core_ended(core);
        }
        return;
    default:
        return;
    }
}

/* ---- arithmetic that may fault ---- */

static bool divide(struct core *core, uint32_t op, int64_t a, int64_t b, int64_t *result)
{
    if (b == 0 || (op == PTO_OP_CDIV && b < 0))
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL, "division by %lld",
                           (long long)b);
    if (a == INT64_MIN && b == -1)
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL,
                           "the quotient of %lld and -1 does not fit in 64 bits", (long long)a);
    if (op == PTO_OP_IDIV)
        *result = a / b;
    else if (op == PTO_OP_IMOD)
        *result = a % b;
    else
        *result = a / b + (a % b > 0);
    return true;
}

static bool shift(struct core *core, uint32_t op, int64_t a, int64_t b, int64_t *result)
{
    if (b < 0 || b > 63)
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL, "shift by %lld",
                           (long long)b);
    *result = op == PTO_OP_SHL ? (int64_t)((uint64_t)a << b) : a >> b;
    return true;
}

static bool to_integer(struct core *core, double a, int64_t *result)
{
    if (!(a > -9223372036854775809.0 && a < 9223372036854775808.0))
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL,
                           "%g does not fit in 64 bits", a);
    *result = (int64_t)a;
    return true;
}

static double float_min(double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

/* ---- the interpreter ---- */

/* Does the world have to be at S's time before this instruction?  If it is not yet, S comes back
 * as an event. */
static bool must_wait_for_clock(struct core *core)
{
    if (core->time <= core->rank->now)
        return false;
    scalar_wake(core, core->time);
    return true;
}

/* Instructions of the classes PTO_ACCESS and PTO_SYNC and the issue of tile instructions. */
static enum issue_result execute_structured(struct core *core, const struct ready_op *op)
{
    switch (op->info->class) {
    case PTO_TILE:
        return issue_tile(core, op);
    case PTO_MACRO:
        return issue_macro(core, op);
    case PTO_ASYNC:
        return must_wait_for_clock(core) ? ISSUE_STALL : async_submit(core, op);
    case PTO_ACCESS:
        return must_wait_for_clock(core) ? ISSUE_STALL : access_execute(core, op);
    default:
        if (sync_needs_clock(op) && must_wait_for_clock(core))
            return ISSUE_STALL;
        return sync_execute(core, op);
    }
}

static bool assert_holds(struct core *core, const struct ready_insn *insn)
{
    const struct pto_insn *source = &core->ready->code->insn[core->pc];

    if (core->reg[insn->a])
        return true;
    return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL, "assertion failed: %s",
                       source->operand[1].text);
}

/* Bits of a float result, NaN made canonical so that no host's payload shows. */
static uint64_t float_bits(double value)
{
    return isnan(value) ? 0x7ff8000000000000u : pto_f64_bits(value);
}

/* Threaded code: every instruction jumps straight to the next one's.  The table of labels comes from
 * ops.def, so a scalar instruction without code here does not compile. */
#define LABEL_PTO_SCALAR(id) &&do_##id
#define LABEL_PTO_FLOW(id) &&do_##id
#define LABEL_PTO_ACCESS(id) &&structured
#define LABEL_PTO_SYNC(id) &&structured
#define LABEL_PTO_TILE(id) &&structured
#define LABEL_PTO_MACRO(id) &&structured
#define LABEL_PTO_ASYNC(id) &&structured
#define PTO_OP(id, mnemonic, class, ...) [PTO_OP_##id] = LABEL_##class(id),

#define REG(field) reg[insn->field]
#define I(field) ((int64_t)REG(field))
#define F(field) (((const union { uint64_t bits; double f; } *)&REG(field))->f)
#define SET_I(value) (REG(d) = (uint64_t)(value))
#define SET_F(value) (REG(d) = float_bits(value))
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
/* An operation that may fault: it needs the pc and the time in the core. */
#define CHECKED(call)                                                                              \
    do {                                                                                           \
        int64_t result_ = 0;                                                                       \
        SAVE();                                                                                    \
        if (!(call))                                                                               \
            return budget - left;                                                                  \
        SET_I(result_);                                                                            \
    } while (0)

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
    const uint64_t step = cost_scaled(core->rank, core->rank->vm->scalar_ps);

    core->stall = STALL_NONE;
    goto *label[insn->op];

do_MOV: REG(d) = REG(a); NEXT;
do_IADD: SET_I(REG(a) + REG(b)); NEXT;
do_ISUB: SET_I(REG(a) - REG(b)); NEXT;
do_IMUL: SET_I(REG(a) * REG(b)); NEXT;
do_IDIV:
do_IMOD:
do_CDIV: CHECKED(divide(core, insn->op, I(a), I(b), &result_)); NEXT;
do_IMIN: SET_I(I(a) < I(b) ? I(a) : I(b)); NEXT;
do_IMAX: SET_I(I(a) > I(b) ? I(a) : I(b)); NEXT;
do_AND: SET_I(REG(a) & REG(b)); NEXT;
do_OR: SET_I(REG(a) | REG(b)); NEXT;
do_XOR: SET_I(REG(a) ^ REG(b)); NEXT;
do_SHL:
do_SHR: CHECKED(shift(core, insn->op, I(a), I(b), &result_)); NEXT;
do_IEQ: SET_I(I(a) == I(b)); NEXT;
do_INE: SET_I(I(a) != I(b)); NEXT;
do_ILT: SET_I(I(a) < I(b)); NEXT;
do_ILE: SET_I(I(a) <= I(b)); NEXT;
do_FADD: SET_F(F(a) + F(b)); NEXT;
do_FSUB: SET_F(F(a) - F(b)); NEXT;
do_FMUL: SET_F(F(a) * F(b)); NEXT;
do_FDIV: SET_F(F(a) / F(b)); NEXT;
do_FMIN: SET_F(float_min(F(a), F(b))); NEXT;
do_FMAX: SET_F(-float_min(-F(a), -F(b))); NEXT;
do_FSQRT: SET_F(sqrt(F(a))); NEXT;
do_FEQ: SET_I(F(a) == F(b)); NEXT;
do_FNE: SET_I(F(a) != F(b)); NEXT;
do_FLT: SET_I(F(a) < F(b)); NEXT;
do_FLE: SET_I(F(a) <= F(b)); NEXT;
do_ITOF: SET_F((double)I(a)); NEXT;
do_FTOI: CHECKED(to_integer(core, F(a), &result_)); NEXT;
do_DEFAULT: access_default(core, insn->d, REG(a)); NEXT;
do_PRESENT: SET_I(access_present(core, insn->a)); NEXT;
do_JUMP: BRANCH_IF(true);
do_BT: BRANCH_IF(I(a) != 0);
do_BF: BRANCH_IF(I(a) == 0);
do_BLT: BRANCH_IF(I(a) < I(b));
do_BGE: BRANCH_IF(I(a) >= I(b));
do_BEQ: BRANCH_IF(I(a) == I(b));
do_BNE: BRANCH_IF(I(a) != I(b));
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
    base = core->time - (budget - left) * step; /* the instruction took time of its own */
    NEXT;
out:
    SAVE();
    return budget - left;
}

static void account(struct core *core, uint64_t insns, uint64_t began)
{
    struct rank *rank = core->rank;

    core->insns += insns;
    rank->insns += insns;
    core->pipe[PTO_PIPE_S].stats.instructions += insns;
    core->pipe[PTO_PIPE_S].stats.busy_ps += core->time - began;
}

static void resumed(struct core *core)
{
    if (core->stall_since == ENGINE_NEVER)
        return;
    core->pipe[PTO_PIPE_S].stats.wait_ps += core->time - core->stall_since;
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
                     (struct pto_event){.kind = PTO_EV_STALL, .time_ps = core->time});
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
        scalar_wake(core, core->time);
        return 0;
    }
    insns = interpret(core, 1);
    if (core->stall == STALL_NONE && !core->rank->dead)
        scalar_wake(core, core->time);
    return insns;
}

void scalar_run(struct core *core)
{
    struct pto_vm *vm = core->rank->vm;
    uint64_t began;

    if (core->stall == STALL_TIME)
        core->time = max_u64(core->time, core->rank->now);
    resumed(core);
    began = core->time;
    if (vm->options.stepwise) {
        account(core, interpret_stepwise(core), began);
    } else {
        account(core, interpret(core, RUN_BUDGET), began);
        if (core->stall == STALL_NONE && !core->rank->dead)
            scalar_wake(core, core->time);
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
