#include "rounds.h"

#include <stdlib.h>

#include "arithmetic.h"

enum {
    BEFORE = 3,           /* instructions in which the parts of a loop or a test stand together */
    MOST_STEPS = 1 << 26  /* instructions looked at, of one program */
};

struct finding {
    struct lint_rounds *rounds;
    const struct pto_code *code;
    bool *target; /* by instruction: a branch leads there */
    uint32_t writes[PTO_MAX_REGISTERS], written_at[PTO_MAX_REGISTERS]; /* the last of them */
    uint64_t steps;
};

/* base + times * step, of which the base may be a number and the step one or a scalar. */
struct sum {
    struct pto_scalar base, step;
    int times;
};

/* The loop that is looked at. */
struct loop {
    uint16_t counter;
    struct pto_scalar start, step, end;
    uint32_t top, close;
    uint16_t number;
};

static bool is_number(const struct pto_scalar *scalar, int64_t number)
{
    return scalar->kind == PTO_S_INT && scalar->i == number;
}

static bool is_register(const struct pto_scalar *scalar, int32_t reg)
{
    return scalar->kind == PTO_S_REG && scalar->reg == reg;
}

/* ---- loops ---- */

/* Does nothing in these instructions change the scalar? */
static bool stays(const struct pto_code *code, const struct pto_scalar *scalar, uint32_t from,
                  uint32_t to)
{
    for (uint32_t i = from; scalar->kind == PTO_S_REG && i <= to; i++)
        if (lint_written(&code->insn[i]) == scalar->reg)
            return false;
    return true;
}

/* Are the rounds entered at their top alone, and the top from right above or below? */
static bool is_closed(const struct pto_code *code, uint32_t begin, uint32_t top, uint32_t close)
{
    struct lint_branch branch;

    for (uint32_t i = 0; i < code->insns; i++)
        if (lint_branch_at(code, i, &branch) && (i < top || i > close) &&
            branch.target > begin && branch.target <= close)
            return false;
    return true;
}

/* Where the counter gets its first value: right above the top. */
static bool find_begin(const struct pto_code *code, struct loop *loop, uint32_t *begin)
{
    for (uint32_t i = loop->top; i-- > 0 && i + BEFORE >= loop->top;) {
        const struct pto_insn *insn = &code->insn[i];

        if (lint_written(insn) != loop->counter)
            continue;
        *begin = i;
        loop->start = insn->operand[1].scalar;
        return insn->op == PTO_OP_MOV;
    }
    return false;
}

static bool find_loop(struct finding *f, uint32_t close, struct loop *loop, uint32_t *begin)
{
    const struct pto_code *code = f->code;
    const struct pto_insn *step = close > 0 ? &code->insn[close - 1] : NULL;
    struct lint_branch branch;

    if (!step || step->op != PTO_OP_IADD || !lint_branch_at(code, close, &branch) ||
        branch.always || branch.negated || branch.op != PTO_OP_BLT || branch.target >= close ||
        !is_register(&branch.a, lint_written(step)) ||
        !is_register(&step->operand[1].scalar, lint_written(step)) ||
        (step->operand[2].scalar.kind == PTO_S_INT && step->operand[2].scalar.i < 1))
        return false;
    *loop = (struct loop){.counter = branch.a.reg, .step = step->operand[2].scalar,
                          .end = branch.b, .top = branch.target, .close = close};
    f->steps += code->insns;
    return find_begin(code, loop, begin) && is_closed(code, *begin, loop->top, close) &&
           stays(code, &branch.a, loop->top, close - 2) &&
           stays(code, &loop->start, *begin, close) && stays(code, &loop->step, *begin, close) &&
           stays(code, &loop->end, *begin, close);
}

/* ---- tests ---- */

/* The one instruction that writes a register of the program; NULL: there are others, or none. */
static const struct pto_insn *only_write(const struct finding *f, const struct pto_scalar *scalar)
{
    if (scalar->kind != PTO_S_REG || f->writes[scalar->reg] != 1)
        return NULL;
    return &f->code->insn[f->written_at[scalar->reg]];
}

/* A number, a built-in value, a parameter. */
static bool never_changes(const struct finding *f, const struct pto_scalar *scalar)
{
    return scalar->kind != PTO_S_REG || !f->writes[scalar->reg];
}

static bool is_sum(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_IADD || insn->op == PTO_OP_ISUB;
}

static struct sum sum_by(const struct pto_insn *insn)
{
    return (struct sum){insn->operand[1].scalar, insn->operand[2].scalar,
                        insn->op == PTO_OP_IADD ? 1 : -1};
}

static struct sum sum_of(const struct finding *f, const struct pto_scalar *scalar, uint32_t at)
{
    struct sum sum = {.base = *scalar};
    const struct pto_insn *only = only_write(f, scalar);

    if (only && is_sum(only) && never_changes(f, &only->operand[1].scalar) &&
        never_changes(f, &only->operand[2].scalar))
        sum = sum_by(only);

    for (uint32_t i = at; scalar->kind == PTO_S_REG && i-- > 0 && i + BEFORE >= at;) {
        const struct pto_insn *insn = &f->code->insn[i];
        struct lint_branch branch;

        if (f->target[i + 1] || lint_branch_at(f->code, i, &branch))
            break;
        if (lint_written(insn) != scalar->reg)
            continue;
        if (is_sum(insn) && !is_register(&insn->operand[1].scalar, scalar->reg))
            sum = sum_by(insn);
        break;
    }
    if (sum.times && sum.step.kind == PTO_S_INT && sum.step.i < 0 && sum.step.i > INT32_MIN) {
        sum.step.i = -sum.step.i;
        sum.times = -sum.times;
    }
    return sum;
}

/* Is the one the other plus so many steps of the loop? */
static bool is_apart(const struct sum *sum, const struct pto_scalar *from,
                     const struct pto_scalar *step, int times)
{
    if (sum->base.kind == PTO_S_INT && from->kind == PTO_S_INT && step->kind == PTO_S_INT)
        return !sum->times &&
               (uint64_t)sum->base.i == (uint64_t)from->i + (uint64_t)times * (uint64_t)step->i;
    return pto_scalar_same(&sum->base, from) && sum->times == times &&
           (!times || pto_scalar_same(&sum->step, step));
}

/* Is it above the first value of the counter, and not above the second? */
static bool is_early(const struct sum *sum, const struct loop *loop)
{
    if (sum->times || sum->base.kind != PTO_S_INT || loop->start.kind != PTO_S_INT ||
        loop->step.kind != PTO_S_INT)
        return false;
    return sum->base.i > loop->start.i &&
           (uint64_t)sum->base.i - (uint64_t)loop->start.i <= (uint64_t)loop->step.i;
}

/* What does it say if x < y, or x = y, holds in a round? */
static enum lint_round meaning_of(const struct loop *loop, unsigned op, const struct sum *x,
                                  const struct sum *y, bool *negated)
{
    const struct pto_scalar counter = {.kind = PTO_S_REG, .reg = loop->counter};
    const struct pto_scalar one = {.kind = PTO_S_INT, .i = 1};
    bool equal = op == PTO_OP_BEQ;

    *negated = !equal;
    if (is_apart(x, &counter, &loop->step, 0)) {
        if (is_apart(y, &loop->end, &loop->step, -1) && (!equal || is_number(&loop->step, 1)))
            return LINT_ROUND_LAST;
        *negated = false;
        if (is_apart(y, &loop->start, &one, equal ? 0 : 1) || (!equal && is_early(y, loop)))
            return LINT_ROUND_FIRST;
    }
    *negated = !equal;
    if (is_apart(x, &counter, &loop->step, 1) && is_apart(y, &loop->end, &loop->step, 0) &&
        (!equal || is_number(&loop->step, 1)))
        return LINT_ROUND_LAST;
    if (is_apart(x, &loop->start, &loop->step, 0) && is_apart(y, &counter, &loop->step, 0))
        return LINT_ROUND_FIRST;
    return LINT_ROUND_NONE;
}

/* The number that a register has in all rounds but the first: the one that every round gives it. */
static bool later_value(struct finding *f, const struct loop *loop, int32_t reg,
                        int64_t *value)
{
    uint32_t at = 0, writes = 0;
    struct lint_branch branch;

    f->steps += loop->close - loop->top;
    for (uint32_t i = loop->top; i <= loop->close; i++)
        if (lint_written(&f->code->insn[i]) == reg) {
            at = i;
            writes++;
        }
    if (writes != 1 || f->code->insn[at].op != PTO_OP_MOV ||
        f->code->insn[at].operand[1].scalar.kind != PTO_S_INT)
        return false;
    for (uint32_t i = loop->top; i < at; i++)
        if (lint_branch_at(f->code, i, &branch) && branch.target > at &&
            branch.target <= loop->close)
            return false;
    *value = f->code->insn[at].operand[1].scalar.i;
    return true;
}

static enum lint_round later_of(struct finding *f, const struct loop *loop,
                                const struct lint_branch *branch, bool *taken)
{
    int64_t a = branch->a.i, b = branch->b.i;

    if ((branch->a.kind != PTO_S_INT &&
         (branch->a.kind != PTO_S_REG || !later_value(f, loop, branch->a.reg, &a))) ||
        (branch->b.kind != PTO_S_INT &&
         (branch->b.kind != PTO_S_REG || !later_value(f, loop, branch->b.reg, &b))))
        return LINT_ROUND_NONE;
    *taken = pto_branch_taken(branch->op, a, b) != branch->negated;
    return LINT_ROUND_LATER;
}

static void look_at_branch(struct finding *f, const struct loop *loop, uint32_t at)
{
    struct lint_branch branch;
    enum lint_round kind;
    struct sum x, y;
    bool negated;

    if (!lint_branch_at(f->code, at, &branch) || branch.always ||
        f->rounds->of[at].kind != LINT_ROUND_NONE)
        return;
    x = sum_of(f, &branch.a, at);
    y = sum_of(f, &branch.b, at);
    kind = meaning_of(loop, branch.op, &x, &y, &negated);
    negated = negated != branch.negated;
    if (kind == LINT_ROUND_NONE)
        kind = later_of(f, loop, &branch, &negated);
    f->rounds->of[at].kind = (uint8_t)kind;
    f->rounds->of[at].negated = negated;
    f->rounds->of[at].loop = loop->number;
    f->rounds->loop[loop->number - 1].tested |= kind != LINT_ROUND_NONE;
}

static void mark(struct lint_rounds *rounds, uint32_t at, enum lint_round kind, uint16_t loop)
{
    rounds->of[at].kind = (uint8_t)kind;
    rounds->of[at].negated = false;
    rounds->of[at].loop = loop;
}

static void add_loop(struct finding *f, struct loop *loop, uint32_t begin)
{
    struct lint_rounds *rounds = f->rounds;

    PTO_GROW(rounds->loop, rounds->loops, rounds->capacity);
    rounds->loop[rounds->loops].top = loop->top;
    rounds->loop[rounds->loops].close = loop->close;
    rounds->loop[rounds->loops].tested = false;
    loop->number = (uint16_t)++rounds->loops;
    mark(rounds, begin, LINT_ROUND_BEGIN, loop->number);
    mark(rounds, loop->close - 1, LINT_ROUND_STEP, loop->number);
    mark(rounds, loop->close, LINT_ROUND_CLOSE, loop->number);
    f->steps += loop->close - loop->top;
    for (uint32_t at = loop->top; at + 1 < loop->close && f->steps < MOST_STEPS; at++)
        look_at_branch(f, loop, at);
}

void lint_rounds_find(struct lint_rounds *rounds, const struct pto_code *code)
{
    struct finding f = {.rounds = rounds, .code = code,
                        .target = pto_xcalloc((size_t)code->insns + 1, sizeof(bool))};
    struct lint_branch branch;
    struct loop loop;
    uint32_t begin;

    *rounds = (struct lint_rounds){.of = pto_xcalloc((size_t)code->insns + 1,
                                                     sizeof *rounds->of)};
    for (uint32_t at = 0; at < code->insns; at++) {
        int32_t reg = lint_written(&code->insn[at]);

        if (lint_branch_at(code, at, &branch))
            f.target[branch.target] = true;
        if (reg >= 0) {
            f.writes[reg]++;
            f.written_at[reg] = at;
        }
    }
    for (uint32_t at = 0;
         at < code->insns && rounds->loops < UINT16_MAX && f.steps < MOST_STEPS; at++)
        if (find_loop(&f, at, &loop, &begin))
            add_loop(&f, &loop, begin);
    free(f.target);
}

unsigned lint_rounds_around(const struct lint_rounds *rounds, uint32_t at)
{
    for (unsigned i = 0; i < rounds->loops; i++) /* inner ones close before outer ones */
        if (rounds->loop[i].tested && rounds->loop[i].top <= at && at <= rounds->loop[i].close)
            return i + 1;
    return 0;
}

int lint_rounds_pass(const struct lint_rounds *rounds, unsigned loop, uint32_t at, bool taken,
                     unsigned phase)
{
    bool later = phase & LINT_PHASE_LATER, last = phase & LINT_PHASE_LAST;
    bool as_said = taken != rounds->of[at].negated;

    if (!loop || rounds->of[at].loop != loop)
        return (int)phase;
    switch (rounds->of[at].kind) {
    case LINT_ROUND_BEGIN:
        return 0;
    case LINT_ROUND_CLOSE:
        return !taken ? 0 : last ? -1 : LINT_PHASE_LATER;
    case LINT_ROUND_FIRST:
    case LINT_ROUND_LATER:
        return later && as_said ? -1 : (int)phase;
    case LINT_ROUND_LAST:
        return as_said ? (int)phase | LINT_PHASE_LAST : last ? -1 : (int)phase;
    default:
        return (int)phase;
    }
}

void lint_rounds_free(struct lint_rounds *rounds)
{
    free(rounds->of);
    free(rounds->loop);
    *rounds = (struct lint_rounds){0};
}
