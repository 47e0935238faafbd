#include "rounds.h"

#include <stdlib.h>

#include "arithmetic.h"
#include "round_value.h"

enum { BEFORE = 4 }; /* instructions above a loop among which its counter begins */

static const struct lint_form UNKNOWN = {.known = false};

/* What a branch asks: is a form 0, or is it above 0? */
struct test {
    struct lint_form form;
    bool equal, negated; /* `negated`: it is taken if not */
};

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
static bool is_closed(const struct pto_code *code, const struct lint_loop *loop)
{
    struct lint_branch branch;

    for (uint32_t i = 0; i < code->insns; i++)
        if (lint_branch_at(code, i, &branch) && (i < loop->top || i > loop->close) &&
            branch.target > loop->begin && branch.target <= loop->close)
            return false;
    return true;
}

/* Where the counter gets its first value: right above the top. */
static bool find_begin(const struct pto_code *code, struct lint_loop *loop)
{
    for (uint32_t i = loop->top; i-- > 0 && i + BEFORE >= loop->top;)
        if (lint_written(&code->insn[i]) == loop->counter) {
            loop->begin = i;
            return true;
        }
    return false;
}

/* What the counter begins with. */
static struct lint_form start_of(struct lint_finder *f, const struct lint_loop *loop)
{
    const struct pto_insn *insn = &f->code->insn[loop->begin];
    struct lint_form a, b;

    if (insn->op == PTO_OP_MOV)
        return lint_round_value(f, loop, loop->begin, &insn->operand[1].scalar, LINT_ROUND_DEPTH);
    if (!lint_is_joined(insn))
        return UNKNOWN;
    a = lint_round_value(f, loop, loop->begin, &insn->operand[1].scalar, LINT_ROUND_DEPTH);
    b = lint_round_value(f, loop, loop->begin, &insn->operand[2].scalar, LINT_ROUND_DEPTH);
    return lint_joined(insn->op, &a, &b);
}

/* By how much it counts, and which way: a step that is no number is above 0. */
static bool find_step(struct lint_finder *f, struct lint_loop *loop)
{
    const struct pto_insn *insn = &f->code->insn[loop->steps_at];
    int64_t number;

    if ((insn->op != PTO_OP_IADD && insn->op != PTO_OP_ISUB) ||
        !lint_is_register(&insn->operand[1].scalar, lint_written(insn)) ||
        lint_is_register(&insn->operand[2].scalar, lint_written(insn)))
        return false;
    loop->counter = (uint16_t)lint_written(insn);
    loop->sign = insn->op == PTO_OP_IADD ? 1 : -1;
    loop->step = loop->later = UNKNOWN;
    if (!find_begin(f->code, loop) ||
        !stays(f->code, &insn->operand[2].scalar, loop->begin, loop->close) ||
        !stays(f->code, &insn->operand[1].scalar, loop->top, loop->steps_at - 1) ||
        !stays(f->code, &insn->operand[1].scalar, loop->steps_at + 1, loop->close))
        return false;
    loop->step = lint_round_value(f, loop, loop->close, &insn->operand[2].scalar,
                                  LINT_ROUND_DEPTH);
    if (lint_form_number(&loop->step, &number) && number < 0) {
        loop->step = lint_form_of_number(-number);
        loop->sign = -loop->sign;
    }
    return loop->step.known && loop->step.terms;
}

/* By how much the counter has moved. */
static bool find_later(struct lint_finder *f, struct lint_loop *loop)
{
    struct lint_form counter = lint_round_counter(loop), start = start_of(f, loop);

    loop->later = loop->sign > 0 ? lint_form_sum(&counter, &start, -1)
                                 : lint_form_sum(&start, &counter, -1);
    return loop->later.known;
}

/* A loop that is left in its middle: of its rounds the first one is known. */
static bool find_open(struct lint_finder *f, struct lint_loop *loop)
{
    f->steps += f->code->insns;
    if (!is_closed(f->code, loop))
        return false;
    for (uint32_t at = loop->top; at < loop->close && f->steps < LINT_ROUND_STEPS; at++) {
        loop->steps_at = at;
        if (find_step(f, loop) && lint_round_always(f, loop, at) && find_later(f, loop))
            return true;
    }
    return false;
}

/* x < y or x == y as a form that is above 0, or 0. */
static struct test test_of(const struct lint_form *x, const struct lint_form *y, bool equal,
                           bool negated)
{
    const struct lint_form one = lint_form_of_number(1);
    struct test test = {.form = lint_form_sum(y, x, -1), .equal = equal, .negated = negated};

    if (!equal && negated) { /* x - y + 1 */
        test.form = lint_form_sum(&one, &test.form, -1);
        test.negated = false;
    }
    return test;
}

static bool find_loop(struct lint_finder *f, uint32_t close, struct lint_loop *loop)
{
    struct lint_form counter, x, y;
    struct lint_branch branch;
    struct test goes_on;

    if (close < 2 || !lint_branch_at(f->code, close, &branch) || branch.target >= close)
        return false;
    *loop = (struct lint_loop){.top = branch.target, .close = close, .steps_at = close - 1};
    if (branch.always)
        return find_open(f, loop);
    f->steps += f->code->insns;
    if (branch.op != PTO_OP_BLT || !find_step(f, loop) || !is_closed(f->code, loop) ||
        !find_later(f, loop))
        return false;
    counter = lint_round_counter(loop);
    x = lint_round_value(f, loop, close, &branch.a, LINT_ROUND_DEPTH);
    y = lint_round_value(f, loop, close, &branch.b, LINT_ROUND_DEPTH);
    goes_on = test_of(&x, &y, false, branch.negated);
    loop->more = lint_form_sum(&goes_on.form, &loop->step, -1);
    /* The counter moves it towards 0. */
    x = lint_form_sum(&goes_on.form, &counter, loop->sign);
    for (unsigned i = 0; i < x.terms; i++)
        if (x.term[i].atom[0] == counter.term[0].atom[0] ||
            x.term[i].atom[1] == counter.term[0].atom[0])
            return false;
    return x.known;
}

/* ---- tests ---- */

/* What a branch asks that tests a register for the outcome of a comparison. */
static bool kept_test(struct lint_finder *f, const struct lint_loop *loop,
                      const struct lint_branch *branch, struct test *test)
{
    bool negated = branch->negated == (branch->b.i == 1); /* taken if it does not hold */
    const struct pto_insn *insn;
    struct lint_form x, y;
    uint32_t at;

    if (branch->op != PTO_OP_BEQ || branch->a.kind != PTO_S_REG || branch->b.kind != PTO_S_INT ||
        (branch->b.i != 0 && branch->b.i != 1))
        return false;
    at = lint_round_reaching(f, loop, branch->at, branch->a.reg);
    insn = at == LINT_NOWHERE ? NULL : &f->code->insn[at];
    if (!insn || (insn->op != PTO_OP_ILT && insn->op != PTO_OP_ILE && insn->op != PTO_OP_IEQ &&
                  insn->op != PTO_OP_INE))
        return false;
    x = lint_round_value(f, loop, at, &insn->operand[1].scalar, LINT_ROUND_DEPTH);
    y = lint_round_value(f, loop, at, &insn->operand[2].scalar, LINT_ROUND_DEPTH);
    if (insn->op == PTO_OP_ILE) /* not y < x */
        *test = test_of(&y, &x, false, !negated);
    else
        *test = test_of(&x, &y, insn->op != PTO_OP_ILT, negated != (insn->op == PTO_OP_INE));
    return true;
}

/* form = sign * of + number? */
static bool is_off(const struct lint_form *form, const struct lint_form *of, int sign,
                   int64_t *number)
{
    struct lint_form rest = lint_form_sum(form, of, -sign);

    return lint_form_number(&rest, number);
}

/* What does a branch say of the round that takes it? */
static enum lint_round meaning_of(const struct lint_loop *loop, const struct test *test,
                                  bool *negated)
{
    int64_t step, off;

    if (!lint_form_number(&loop->step, &step))
        step = 1; /* at least */
    *negated = test->negated;
    if (test->equal) {
        if ((is_off(&test->form, &loop->later, 1, &off) && !off) ||
            (is_off(&test->form, &loop->later, -1, &off) && !off))
            return LINT_ROUND_FIRST;
        if (lint_form_number(&loop->step, &off) && off == 1 &&
            ((is_off(&test->form, &loop->more, 1, &off) && !off) ||
             (is_off(&test->form, &loop->more, -1, &off) && !off)))
            return LINT_ROUND_LAST;
        return LINT_ROUND_NONE;
    }
    if (is_off(&test->form, &loop->more, -1, &off) && off == 1)
        return LINT_ROUND_LAST;
    if (is_off(&test->form, &loop->later, -1, &off) && off >= 1 && off <= step)
        return LINT_ROUND_FIRST;
    *negated = !test->negated;
    if (is_off(&test->form, &loop->more, 1, &off) && off == 0)
        return LINT_ROUND_LAST;
    if (is_off(&test->form, &loop->later, 1, &off) && off <= 0 && off > -step)
        return LINT_ROUND_FIRST;
    return LINT_ROUND_NONE;
}

/* The number that a register has in all rounds but the first: the one that every round gives it. */
static bool later_value(struct lint_finder *f, const struct lint_loop *loop, int32_t reg,
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

static enum lint_round later_of(struct lint_finder *f, const struct lint_loop *loop,
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

static void look_at_branch(struct lint_finder *f, const struct lint_loop *loop, uint32_t at)
{
    struct lint_branch branch;
    enum lint_round kind;
    struct lint_form x, y;
    struct test test;
    bool negated;

    if (!lint_branch_at(f->code, at, &branch) || branch.always ||
        f->rounds->of[at].kind != LINT_ROUND_NONE)
        return;
    x = lint_round_value(f, loop, at, &branch.a, LINT_ROUND_DEPTH);
    y = lint_round_value(f, loop, at, &branch.b, LINT_ROUND_DEPTH);
    test = test_of(&x, &y, branch.op == PTO_OP_BEQ, branch.negated);
    kind = meaning_of(loop, &test, &negated);
    if (kind == LINT_ROUND_NONE && kept_test(f, loop, &branch, &test))
        kind = meaning_of(loop, &test, &negated);
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

static void add_loop(struct lint_finder *f, struct lint_loop *loop)
{
    struct lint_rounds *rounds = f->rounds;

    PTO_GROW(rounds->loop, rounds->loops, rounds->capacity);
    rounds->loop[rounds->loops].top = loop->top;
    rounds->loop[rounds->loops].close = loop->close;
    rounds->loop[rounds->loops].tested = false;
    loop->number = (uint16_t)++rounds->loops;
    mark(rounds, loop->begin, LINT_ROUND_BEGIN, loop->number);
    mark(rounds, loop->steps_at, LINT_ROUND_STEP, loop->number);
    mark(rounds, loop->close, LINT_ROUND_CLOSE, loop->number);
    f->steps += loop->close - loop->top;
    for (uint32_t at = loop->top; at < loop->steps_at && f->steps < LINT_ROUND_STEPS; at++)
        look_at_branch(f, loop, at);
}

void lint_rounds_find(struct lint_rounds *rounds, const struct pto_code *code)
{
    struct lint_finder f = {.rounds = rounds, .code = code,
                        .target = pto_xcalloc((size_t)code->insns + 1, sizeof(bool))};
    struct lint_branch branch;
    struct lint_loop loop;

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
         at < code->insns && rounds->loops < UINT16_MAX && f.steps < LINT_ROUND_STEPS; at++)
        if (find_loop(&f, at, &loop))
            add_loop(&f, &loop);
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
