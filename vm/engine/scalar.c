#include "scalar.h"

#include <math.h>
#include <string.h>

#include "access.h"
#include "cost.h"
#include "fault.h"
#include "issue.h"
#include "launch.h"
#include "observe.h"
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
        if (!core->drained && pipe_all_empty(core)) {
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
    uint64_t bits = 0x7ff8000000000000u;

    if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define I(field) ((int64_t)reg[insn->field])
#define F(field) (((const union { uint64_t bits; double f; } *)&reg[insn->field])->f)
#define SET_I(value) (reg[insn->d] = (uint64_t)(value))
#define SET_F(value) (reg[insn->d] = float_bits(value))
/* Next instruction at `target`; every scalar instruction costs the same. */
#define NEXT_AT(target)                                                                            \
    do {                                                                                           \
        pc = (target);                                                                             \
        goto next;                                                                                 \
    } while (0)
#define NEXT NEXT_AT(pc + 1)
#define BRANCH_IF(condition) NEXT_AT((condition) ? insn->d : pc + 1)
/* An operation that may fault: it needs the pc and the time in the core. */
#define CHECKED(call)                                                                              \
    do {                                                                                           \
        int64_t result_ = 0;                                                                        \
        core->pc = pc;                                                                             \
        core->time = time;                                                                         \
        if (!(call))                                                                               \
            goto out;                                                                              \
        SET_I(result_);                                                                            \
    } while (0)

/* Execute at most `budget` instructions; returns how many were executed.  S has stalled, ended or
 * faulted if core->stall says so (STALL_NONE: the budget is used up). */
static uint64_t interpret(struct core *core, uint64_t budget)
{
    const struct ready_insn *code = core->ready->insn, *insn;
    uint64_t *reg = core->reg;
    uint64_t time = core->time, left = budget;
    const uint64_t step = cost_scaled(core->rank, core->rank->vm->scalar_ps);
    uint32_t pc = core->pc;

    core->stall = STALL_NONE;
    goto start;
next:
    time += step;
    if (--left == 0)
        goto out;
start:
    insn = &code[pc];
    switch (insn->op) {
    case PTO_OP_MOV: reg[insn->d] = reg[insn->a]; NEXT;
    case PTO_OP_IADD: SET_I(reg[insn->a] + reg[insn->b]); NEXT;
    case PTO_OP_ISUB: SET_I(reg[insn->a] - reg[insn->b]); NEXT;
    case PTO_OP_IMUL: SET_I(reg[insn->a] * reg[insn->b]); NEXT;
    case PTO_OP_IDIV:
    case PTO_OP_IMOD:
    case PTO_OP_CDIV: CHECKED(divide(core, insn->op, I(a), I(b), &result_)); NEXT;
    case PTO_OP_IMIN: SET_I(I(a) < I(b) ? I(a) : I(b)); NEXT;
    case PTO_OP_IMAX: SET_I(I(a) > I(b) ? I(a) : I(b)); NEXT;
    case PTO_OP_AND: SET_I(reg[insn->a] & reg[insn->b]); NEXT;
    case PTO_OP_OR: SET_I(reg[insn->a] | reg[insn->b]); NEXT;
    case PTO_OP_XOR: SET_I(reg[insn->a] ^ reg[insn->b]); NEXT;
    case PTO_OP_SHL:
    case PTO_OP_SHR: CHECKED(shift(core, insn->op, I(a), I(b), &result_)); NEXT;
    case PTO_OP_IEQ: SET_I(I(a) == I(b)); NEXT;
    case PTO_OP_INE: SET_I(I(a) != I(b)); NEXT;
    case PTO_OP_ILT: SET_I(I(a) < I(b)); NEXT;
    case PTO_OP_ILE: SET_I(I(a) <= I(b)); NEXT;
    case PTO_OP_FADD: SET_F(F(a) + F(b)); NEXT;
    case PTO_OP_FSUB: SET_F(F(a) - F(b)); NEXT;
    case PTO_OP_FMUL: SET_F(F(a) * F(b)); NEXT;
    case PTO_OP_FDIV: SET_F(F(a) / F(b)); NEXT;
    case PTO_OP_FMIN: SET_F(float_min(F(a), F(b))); NEXT;
    case PTO_OP_FMAX: SET_F(-float_min(-F(a), -F(b))); NEXT;
    case PTO_OP_FSQRT: SET_F(sqrt(F(a))); NEXT;
    case PTO_OP_FEQ: SET_I(F(a) == F(b)); NEXT;
    case PTO_OP_FNE: SET_I(F(a) != F(b)); NEXT;
    case PTO_OP_FLT: SET_I(F(a) < F(b)); NEXT;
    case PTO_OP_FLE: SET_I(F(a) <= F(b)); NEXT;
    case PTO_OP_ITOF: SET_F((double)I(a)); NEXT;
    case PTO_OP_FTOI: CHECKED(to_integer(core, F(a), &result_)); NEXT;
    case PTO_OP_DEFAULT: access_default(core, insn->d, reg[insn->a]); NEXT;
    case PTO_OP_PRESENT: SET_I(access_present(core, insn->a)); NEXT;
    case PTO_OP_JUMP: NEXT_AT(insn->d);
    case PTO_OP_BT: BRANCH_IF(I(a) != 0);
    case PTO_OP_BF: BRANCH_IF(I(a) == 0);
    case PTO_OP_BLT: BRANCH_IF(I(a) < I(b));
    case PTO_OP_BGE: BRANCH_IF(I(a) >= I(b));
    case PTO_OP_BEQ: BRANCH_IF(I(a) == I(b));
    case PTO_OP_BNE: BRANCH_IF(I(a) != I(b));
    case PTO_OP_ASSERT:
        core->pc = pc;
        core->time = time;
        if (!assert_holds(core, insn))
            goto out;
        NEXT;
    case PTO_OP_END:
        core->pc = pc;
        core->time = time;
        core->stall = STALL_ENDED;
        return budget - left;
    default:
        core->pc = pc;
        core->time = time;
        switch (execute_structured(core, &core->ready->op[insn->d])) {
        case ISSUE_DONE:
            time = core->time;
            NEXT;
        case ISSUE_STALL:
        case ISSUE_FAULT:
            return budget - left;
        }
    }
out:
    core->pc = pc;
    core->time = time;
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
