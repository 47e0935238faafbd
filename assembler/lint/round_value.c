#include "round_value.h"

#include "arithmetic.h"

enum { FIXED = 1 << 13 }; /* atom: the register, which the loop leaves as it is */

static const struct lint_form UNKNOWN = {.known = false};

bool lint_is_register(const struct pto_scalar *scalar, int32_t reg)
{
    return scalar->kind == PTO_S_REG && scalar->reg == reg;
}

static struct lint_form atom(uint32_t number)
{
    return (struct lint_form){true, 1, {{1, {number, 0}}}};
}

static bool is_same(const struct lint_form *a, const struct lint_form *b)
{
    struct lint_form rest = lint_form_sum(a, b, -1);

    return rest.known && !rest.terms;
}

static bool is_pure(const struct pto_insn *insn)
{
    return insn->operands == 3 && pto_arith_is(insn->op) &&
           insn->operand[1].kind == PTO_O_SCALAR && insn->operand[2].kind == PTO_O_SCALAR;
}

static struct lint_form constant_of(struct lint_finder *f, const struct pto_scalar *scalar,
                                    unsigned depth);

/* Results of other arithmetic are alike if the operation and its operands are: the first
 * instruction that computes such a one stands for all of them. */
static struct lint_form opaque(struct lint_finder *f, uint32_t at, unsigned depth)
{
    const struct pto_insn *insn = &f->code->insn[at];
    struct lint_form x = constant_of(f, &insn->operand[1].scalar, depth);
    struct lint_form y = constant_of(f, &insn->operand[2].scalar, depth);

    for (uint32_t i = 0; x.known && y.known && i <= at && f->steps < LINT_ROUND_STEPS; i++) {
        const struct pto_insn *twin = &f->code->insn[i];
        struct lint_form a, b;

        f->steps++;
        if (twin->op != insn->op || !is_pure(twin))
            continue;
        a = constant_of(f, &twin->operand[1].scalar, depth);
        b = constant_of(f, &twin->operand[2].scalar, depth);
        if (is_same(&a, &x) && is_same(&b, &y))
            return atom(LINT_ATOM_RESULT + i);
    }
    return UNKNOWN;
}

struct lint_form lint_joined(unsigned op, const struct lint_form *a, const struct lint_form *b)
{
    return op == PTO_OP_IMUL ? lint_form_product(a, b)
                             : lint_form_sum(a, b, op == PTO_OP_IADD ? 1 : -1);
}

bool lint_is_joined(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_IADD || insn->op == PTO_OP_ISUB || insn->op == PTO_OP_IMUL;
}

/* What the instruction gives, if it is computed of what never changes. */
static struct lint_form constant_result(struct lint_finder *f, uint32_t at, unsigned depth)
{
    const struct pto_insn *insn = &f->code->insn[at];
    struct lint_form a, b;

    if (insn->op == PTO_OP_MOV)
        return constant_of(f, &insn->operand[1].scalar, depth);
    if (!is_pure(insn))
        return UNKNOWN;
    if (!lint_is_joined(insn))
        return opaque(f, at, depth < 2 ? depth : 2);
    a = constant_of(f, &insn->operand[1].scalar, depth);
    b = constant_of(f, &insn->operand[2].scalar, depth);
    return lint_joined(insn->op, &a, &b);
}

/* What never changes: numbers, built-in values, parameters, and what is computed of them in one
 * place. */
static struct lint_form constant_of(struct lint_finder *f, const struct pto_scalar *scalar,
                                    unsigned depth)
{
    if (scalar->kind == PTO_S_INT)
        return lint_form_of_number(scalar->i);
    if (scalar->kind == PTO_S_SYS)
        return atom(LINT_ATOM_SYS + scalar->reg);
    if (scalar->kind != PTO_S_REG || !depth || f->writes[scalar->reg] > 1)
        return UNKNOWN;
    if (!f->writes[scalar->reg])
        return atom(LINT_ATOM_PARAM + scalar->reg);
    return constant_result(f, f->written_at[scalar->reg], depth - 1);
}

struct lint_form lint_round_counter(const struct lint_loop *loop)
{
    return atom(LINT_ATOM_COUNTER + loop->counter);
}

/* The only instruction from `from` to `to` that writes a register, or the last of `several`;
 * LINT_NOWHERE: none does. */
static uint32_t written_in(struct lint_finder *f, int32_t reg, uint32_t from, uint32_t to,
                           bool *several)
{
    uint32_t at = LINT_NOWHERE;

    *several = false;
    f->steps += to - from;
    for (uint32_t i = from; i <= to; i++)
        if (lint_written(&f->code->insn[i]) == reg) {
            *several = at != LINT_NOWHERE;
            at = i;
        }
    return at;
}

/* A register that the loop leaves as it is: what it gets right above, or itself. */
static struct lint_form fixed(struct lint_finder *f, const struct lint_loop *loop, int32_t reg)
{
    bool several;

    for (uint32_t i = loop->begin; i-- > 0 && !f->target[i + 1];) {
        const struct pto_insn *insn = &f->code->insn[i];
        struct lint_form value;

        if (lint_written(insn) != reg)
            continue;
        value = constant_result(f, i, LINT_ROUND_DEPTH);
        if (value.known)
            return value;
        if (insn->op != PTO_OP_MOV || insn->operand[1].scalar.kind != PTO_S_REG ||
            written_in(f, insn->operand[1].scalar.reg, i, loop->close, &several) != LINT_NOWHERE)
            break;
        reg = insn->operand[1].scalar.reg; /* the same, under both names */
    }
    return atom(FIXED + (uint32_t)reg);
}

bool lint_round_always(struct lint_finder *f, const struct lint_loop *loop, uint32_t at)
{
    struct lint_branch branch;

    f->steps += loop->close - loop->top;
    for (uint32_t i = loop->top; i < loop->close; i++)
        if (lint_branch_at(f->code, i, &branch) &&
            (i < at ? branch.target > at && branch.target <= loop->close : branch.target <= at))
            return false;
    return true;
}

uint32_t lint_round_reaching(struct lint_finder *f, const struct lint_loop *loop, uint32_t at,
                             int32_t reg)
{
    bool several;
    uint32_t only;

    for (uint32_t i = at; i-- > loop->top && !f->target[i + 1];)
        if (lint_written(&f->code->insn[i]) == reg)
            return i;
    only = written_in(f, reg, loop->top, loop->close, &several);
    return !several && only < at && lint_round_always(f, loop, only) ? only : LINT_NOWHERE;
}

/* A register that every round moves by a number, as the counter itself by 1. */
static struct lint_form counted(struct lint_finder *f, const struct lint_loop *loop, uint32_t at,
                                int32_t reg)
{
    bool several;
    uint32_t moved = written_in(f, reg, loop->top, loop->close, &several);
    const struct pto_insn *insn = moved == LINT_NOWHERE ? NULL : &f->code->insn[moved];
    const struct lint_form one = lint_form_of_number(1);
    struct lint_form value;
    uint32_t first = loop->begin;
    int64_t times;

    if (several || !insn || (insn->op != PTO_OP_IADD && insn->op != PTO_OP_ISUB) ||
        !lint_is_register(&insn->operand[1].scalar, reg) ||
        insn->operand[2].scalar.kind != PTO_S_INT || insn->operand[2].scalar.i > LINT_SMALL ||
        insn->operand[2].scalar.i < -LINT_SMALL || !lint_round_always(f, loop, moved) ||
        !is_same(&loop->step, &one))
        return UNKNOWN;
    while (first > 0 && lint_written(&f->code->insn[first]) != reg && !f->target[first])
        first--;
    if (lint_written(&f->code->insn[first]) != reg || f->code->insn[first].op != PTO_OP_MOV)
        return UNKNOWN;
    times = insn->op == PTO_OP_IADD ? insn->operand[2].scalar.i : -insn->operand[2].scalar.i;
    value = constant_of(f, &f->code->insn[first].operand[1].scalar, LINT_ROUND_DEPTH);
    value = lint_form_sum(&value, &loop->later, times);
    return at > moved ? lint_form_sum(&value, &one, times) : value;
}

struct lint_form lint_round_value(struct lint_finder *f, const struct lint_loop *loop, uint32_t at,
                                  const struct pto_scalar *scalar, unsigned depth)
{
    struct lint_form a = constant_of(f, scalar, depth), b;
    const struct pto_insn *insn;
    bool several;
    uint32_t from;

    if (a.known || scalar->kind != PTO_S_REG || !depth || f->steps >= LINT_ROUND_STEPS)
        return a;
    if (scalar->reg == loop->counter)
        return (at >= loop->top && at <= loop->steps_at) || at == loop->close
                   ? lint_round_counter(loop) : UNKNOWN;
    if (written_in(f, scalar->reg, loop->begin, loop->close, &several) == LINT_NOWHERE)
        return fixed(f, loop, scalar->reg);
    from = at < loop->top ? LINT_NOWHERE : lint_round_reaching(f, loop, at, scalar->reg);
    if (from == LINT_NOWHERE)
        return at < loop->top ? UNKNOWN : counted(f, loop, at, scalar->reg);
    insn = &f->code->insn[from];
    if (insn->op == PTO_OP_MOV)
        return lint_round_value(f, loop, from, &insn->operand[1].scalar, depth - 1);
    if (!lint_is_joined(insn))
        return is_pure(insn) ? opaque(f, from, depth - 1) : UNKNOWN;
    if (lint_is_register(&insn->operand[1].scalar, scalar->reg) &&
        written_in(f, scalar->reg, loop->top, from, &several) == from && !several)
        return counted(f, loop, at, scalar->reg);
    a = lint_round_value(f, loop, from, &insn->operand[1].scalar, depth - 1);
    b = lint_round_value(f, loop, from, &insn->operand[2].scalar, depth - 1);
    return lint_joined(insn->op, &a, &b);
}
