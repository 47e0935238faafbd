#include "form.h"

#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"

enum {
    ATOM_SYS = 1,           /* and the built-in value's number */
    ATOM_PARAM = 1 << 8,    /* and the register's, which nothing assigns */
    ATOM_VARYING = 1 << 12, /* and the register's */
    ATOM_RESULT = 1 << 16,  /* and twice the instruction's, and that of its kind of sub-core */
    MOST_DEPTH = 16
};
static const int64_t LARGEST = (int64_t)1 << 31; /* factor */

/* ---- sums ---- */

static struct lint_form number(int64_t value)
{
    struct lint_form form = {.known = value <= LARGEST && value >= -LARGEST};

    if (value)
        form.term[form.terms++] = (struct lint_term){value, {0, 0}};
    return form;
}

static int compare_atoms(const struct lint_term *a, const struct lint_term *b)
{
    if (a->atom[0] != b->atom[0])
        return a->atom[0] < b->atom[0] ? -1 : 1;
    return a->atom[1] < b->atom[1] ? -1 : a->atom[1] > b->atom[1];
}

static void add_term(struct lint_form *form, struct lint_term term)
{
    unsigned i = 0;

    while (i < form->terms && compare_atoms(&form->term[i], &term) < 0)
        i++;
    if (i < form->terms && compare_atoms(&form->term[i], &term) == 0) {
        form->term[i].factor += term.factor;
        if (form->term[i].factor == 0)
            memmove(&form->term[i], &form->term[i + 1], (--form->terms - i) * sizeof term);
        else if (form->term[i].factor > LARGEST || form->term[i].factor < -LARGEST)
            form->known = false;
        return;
    }
    if (form->terms == LINT_TERMS) {
        form->known = false;
        return;
    }
    memmove(&form->term[i + 1], &form->term[i], (form->terms++ - i) * sizeof term);
    form->term[i] = term;
}

/* a + times * b */
static struct lint_form sum(const struct lint_form *a, const struct lint_form *b, int64_t times)
{
    struct lint_form result = *a;

    result.known = a->known && b->known;
    result.varies = a->varies || b->varies;
    for (unsigned i = 0; i < b->terms && result.known; i++)
        add_term(&result, (struct lint_term){times * b->term[i].factor,
                                             {b->term[i].atom[0], b->term[i].atom[1]}});
    return result;
}

static void add_product(struct lint_form *form, const struct lint_term *a,
                        const struct lint_term *b)
{
    struct lint_term term = {0, {a->atom[0], a->atom[1]}};

    if (b->atom[0])
        term.atom[a->atom[0] ? 1 : 0] = b->atom[0];
    if (a->atom[0] && b->atom[0] && (a->atom[1] || b->atom[1]))
        form->known = false; /* of three factors */
    if (!a->atom[0])
        term.atom[1] = b->atom[1];
    if (term.atom[1] > term.atom[0]) {
        uint32_t larger = term.atom[1];

        term.atom[1] = term.atom[0];
        term.atom[0] = larger;
    }
    if (a->factor > INT32_MAX || a->factor < INT32_MIN || b->factor > INT32_MAX ||
        b->factor < INT32_MIN)
        form->known = false;
    term.factor = form->known ? a->factor * b->factor : 1;
    add_term(form, term);
}

static struct lint_form product(const struct lint_form *a, const struct lint_form *b)
{
    struct lint_form result = {.known = a->known && b->known, .varies = a->varies || b->varies};

    for (unsigned i = 0; i < a->terms && result.known; i++)
        for (unsigned k = 0; k < b->terms && result.known; k++)
            add_product(&result, &a->term[i], &b->term[k]);
    return result;
}

struct lint_form lint_form_less(const struct lint_form *a, const struct lint_form *b)
{
    return sum(a, b, -1);
}

bool lint_form_number(const struct lint_form *form, int64_t *value)
{
    *value = form->terms ? form->term[0].factor : 0;
    return form->known && (form->terms == 0 || (form->terms == 1 && !form->term[0].atom[0]));
}

bool lint_form_is_counter(const struct lint_form *form)
{
    return form->known && form->terms == 1 && form->term[0].atom[0] >= ATOM_VARYING &&
           form->term[0].atom[0] < ATOM_RESULT && !form->term[0].atom[1];
}

int64_t lint_form_content(const struct lint_form *form, int64_t content)
{
    for (unsigned i = 0; form->known && i < form->terms; i++) {
        int64_t a = form->term[i].factor < 0 ? -form->term[i].factor : form->term[i].factor;

        while (a) {
            int64_t rest = content % a;

            content = a;
            a = rest;
        }
    }
    return content;
}

/* ---- what registers hold ---- */

bool lint_comes_again(struct lint_forms *forms, uint32_t at)
{
    const struct pto_code *code = forms->code;

    if (forms->turns[at] < 0) {
        memset(forms->after, 0, code->insns * sizeof *forms->after);
        lint_flood(code, at, forms->after, forms->todo);
        forms->turns[at] = forms->after[at];
    }
    return forms->turns[at];
}

/* The instruction whose result the register holds at `at`; LINT_NOWHERE: it may be several. */
static uint32_t result_at(const struct lint_forms *forms, uint32_t at, uint16_t reg)
{
    if (forms->counts[reg] == 1)
        return forms->first[reg];
    for (uint32_t steps = 0; steps < forms->code->insns; steps++) {
        at = forms->before[at];
        if (at == LINT_NOWHERE || lint_written(&forms->code->insn[at]) == reg)
            return at;
    }
    return LINT_NOWHERE;
}

static struct lint_form atom(uint32_t atom, bool varies)
{
    return (struct lint_form){true, varies, 1, {{1, {atom, 0}}}};
}

static struct lint_form form_of(struct lint_forms *forms, uint32_t at,
                                const struct pto_scalar *scalar, unsigned depth);

static struct lint_form result_of(struct lint_forms *forms, uint32_t at, unsigned depth)
{
    const struct pto_insn *insn = &forms->code->insn[at];
    struct lint_form a, b;

    if (insn->op == PTO_OP_MOV)
        return form_of(forms, at, &insn->operand[1].scalar, depth);
    if (insn->op == PTO_OP_IADD || insn->op == PTO_OP_ISUB || insn->op == PTO_OP_IMUL) {
        a = form_of(forms, at, &insn->operand[1].scalar, depth);
        b = form_of(forms, at, &insn->operand[2].scalar, depth);
        return insn->op == PTO_OP_IMUL ? product(&a, &b)
                                       : sum(&a, &b, insn->op == PTO_OP_IADD ? 1 : -1);
    }
    if (lint_comes_again(forms, at))
        return (struct lint_form){.known = false};
    return atom(ATOM_RESULT + 2 * at + forms->kind, false);
}

static struct lint_form form_of(struct lint_forms *forms, uint32_t at,
                                const struct pto_scalar *scalar, unsigned depth)
{
    struct lint_form unknown = {.known = false};
    uint32_t from;

    switch (scalar->kind) {
    case PTO_S_NONE:
        return number(0);
    case PTO_S_INT:
        return number(scalar->i);
    case PTO_S_SYS:
        return atom(ATOM_SYS + scalar->reg,
                    scalar->reg == PTO_SYS_RANK || scalar->reg == PTO_SYS_BLOCK_ID ||
                        scalar->reg == PTO_SYS_SUB_ID || scalar->reg == PTO_SYS_VEC_ID);
    case PTO_S_REG:
        break;
    default:
        return unknown;
    }
    if (depth == 0)
        return unknown;
    if (!forms->counts[scalar->reg])
        return atom(ATOM_PARAM + scalar->reg, false);
    from = result_at(forms, at, scalar->reg);
    return from == LINT_NOWHERE ? atom(ATOM_VARYING + scalar->reg, true)
                                : result_of(forms, from, depth - 1);
}

struct lint_form lint_form_of(struct lint_forms *forms, uint32_t at,
                              const struct pto_scalar *scalar)
{
    return form_of(forms, at, scalar, MOST_DEPTH);
}

/* ---- the values of counters ---- */

static bool is_reg(const struct pto_operand *operand, uint32_t reg)
{
    return operand->scalar.kind == PTO_S_REG && operand->scalar.reg == reg;
}

/* The instruction before `at`, or behind, that assigns the register; LINT_NOWHERE: none. */
static uint32_t assigned_next(const struct lint_forms *forms, uint32_t at, uint32_t reg, int step)
{
    do
        at += (uint32_t)step;
    while (at < forms->code->insns && lint_written(&forms->code->insn[at]) != (int32_t)reg);
    return at < forms->code->insns ? at : LINT_NOWHERE;
}

/* A loop as the assembler makes it of .for, around `at`: its counter begins with a number, is grown
 * at the end, and then compared with a limit. */
static bool is_for(const struct lint_forms *forms, uint32_t at, uint32_t reg, uint32_t begin,
                   uint32_t end)
{
    const struct pto_insn *insn = forms->code->insn;
    struct lint_branch back;

    return begin != LINT_NOWHERE && end < forms->code->insns - 1 && insn[begin].op == PTO_OP_MOV &&
           insn[end].op == PTO_OP_IADD && is_reg(&insn[end].operand[1], reg) &&
           insn[end].operand[2].scalar.kind == PTO_S_INT && insn[end].operand[2].scalar.i > 0 &&
           insn[end + 1].op == PTO_OP_BLT && is_reg(&insn[end + 1].operand[0], reg) &&
           lint_branch_at(forms->code, end + 1, &back) && back.target > begin &&
           back.target <= at;
}

/* Where an instruction that stands elsewhere in the text is jumped to from, else it itself. */
static uint32_t home_of(const struct lint_forms *forms, uint32_t at)
{
    for (uint32_t to = at, steps = 0; steps < MOST_DEPTH && forms->before[to] != LINT_NOWHERE;
         steps++) {
        if (forms->before[to] + 1 != to)
            return forms->before[to];
        to--;
    }
    return at;
}

static bool counter_bound(struct lint_forms *forms, uint32_t place, uint32_t reg, bool largest,
                          struct lint_form *bound)
{
    const struct pto_insn *insn = forms->code->insn;
    uint32_t at = home_of(forms, place);
    uint32_t begin = assigned_next(forms, at, reg, -1), end = assigned_next(forms, at, reg, 1);
    struct lint_form one = number(1);

    if (!is_for(forms, at, reg, begin, end))
        return false;
    if (!largest) {
        *bound = lint_form_of(forms, begin, &insn[begin].operand[1].scalar);
        return bound->known && !bound->varies;
    }
    if (insn[begin + 1].op != PTO_OP_BGE || !is_reg(&insn[begin + 1].operand[0], reg) ||
        !pto_scalar_same(&insn[begin + 1].operand[1].scalar, &insn[end + 1].operand[1].scalar))
        return false;
    *bound = lint_form_of(forms, end + 1, &insn[end + 1].operand[1].scalar);
    *bound = sum(bound, &one, -1);
    return bound->known && !bound->varies;
}

static bool atom_bound(struct lint_forms *forms, uint32_t at, uint32_t varying, bool largest,
                       struct lint_form *bound)
{
    static const struct {
        uint32_t value, count;
    } counted[] = {{PTO_SYS_RANK, PTO_SYS_NRANKS},
                   {PTO_SYS_BLOCK_ID, PTO_SYS_BLOCK_NUM},
                   {PTO_SYS_SUB_ID, PTO_SYS_SUB_NUM},
                   {PTO_SYS_VEC_ID, PTO_SYS_VEC_COUNT}};
    struct lint_form one = number(1);

    if (varying >= ATOM_VARYING && varying < ATOM_RESULT)
        return counter_bound(forms, at, varying - ATOM_VARYING, largest, bound);
    for (unsigned i = 0; i < sizeof counted / sizeof *counted; i++)
        if (varying == ATOM_SYS + counted[i].value) {
            *bound = atom(ATOM_SYS + counted[i].count, false);
            *bound = largest ? sum(bound, &one, -1) : number(0);
            return true;
        }
    *bound = atom(varying, false);
    return true;
}

struct lint_form lint_form_bound(struct lint_forms *forms, uint32_t at,
                                 const struct lint_form *form, bool largest)
{
    struct lint_form result = {.known = form->known}, bound;

    if (!form->varies)
        return *form;
    for (unsigned i = 0; i < form->terms && result.known; i++) {
        const struct lint_term *term = &form->term[i];

        if (!term->atom[0])
            bound = number(1);
        else if (term->atom[1] ||
                 !atom_bound(forms, at, term->atom[0], largest == (term->factor > 0), &bound))
            return (struct lint_form){.known = false};
        result = sum(&result, &bound, term->factor);
    }
    return result;
}

bool lint_form_positive(const struct lint_form *form)
{
    int64_t least = 0;

    for (unsigned i = 0; form->known && i < form->terms; i++) {
        const struct lint_term *term = &form->term[i];
        bool counts = !term->atom[0] || (!term->atom[1] &&
                                         (term->atom[0] == ATOM_SYS + PTO_SYS_NRANKS ||
                                          term->atom[0] == ATOM_SYS + PTO_SYS_BLOCK_NUM ||
                                          term->atom[0] == ATOM_SYS + PTO_SYS_SUB_NUM ||
                                          term->atom[0] == ATOM_SYS + PTO_SYS_VEC_COUNT));

        if (!counts || (term->atom[0] && term->factor < 0))
            return false;
        least += term->factor; /* each of these is at least 1 */
    }
    return form->known && least > 0;
}

/* ---- what counts on ---- */

static bool atom_grows(const struct lint_forms *forms, uint32_t atom)
{
    if (atom < ATOM_RESULT)
        return atom == ATOM_SYS + PTO_SYS_LAUNCH;
    return forms->code->insn[(atom - ATOM_RESULT) / 2].op == PTO_OP_FETCH_ADD;
}

bool lint_form_split(const struct lint_forms *forms, const struct lint_form *form,
                     struct lint_form *each, struct lint_form *rest)
{
    uint32_t grows = 0;

    *each = *rest = (struct lint_form){.known = form->known};
    for (unsigned i = 0; form->known && i < form->terms; i++) {
        struct lint_term term = form->term[i];
        unsigned which = term.atom[1] && atom_grows(forms, term.atom[1]);

        if (!term.atom[which] || !atom_grows(forms, term.atom[which])) {
            add_term(rest, term);
            continue;
        }
        if (grows && grows != term.atom[which])
            return false;
        grows = term.atom[which];
        term.atom[0] = term.atom[1 - which];
        term.atom[1] = 0;
        add_term(each, term);
    }
    return each->known && each->terms && rest->known;
}

bool lint_form_fits(const struct lint_form *a, const struct lint_form *b)
{
    for (unsigned i = 0; a->terms && b->terms && i < a->terms; i++)
        if (a->terms != b->terms || compare_atoms(&a->term[i], &b->term[i]) != 0 ||
            a->term[i].factor * b->term[0].factor != b->term[i].factor * a->term[0].factor)
            return false;
    return true;
}

bool lint_grows(const struct lint_forms *forms, const struct pto_scalar *scalar)
{
    if (scalar->kind == PTO_S_SYS)
        return scalar->reg == PTO_SYS_LAUNCH;
    return scalar->kind == PTO_S_REG && forms->grows[scalar->reg];
}

static bool result_grows(const struct lint_forms *forms, const struct pto_insn *insn)
{
    if (insn->op == PTO_OP_FETCH_ADD)
        return true;
    if (insn->op != PTO_OP_MOV && insn->op != PTO_OP_SELECT && !pto_arith_is(insn->op))
        return false;
    for (unsigned i = 1; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_SCALAR &&
            lint_grows(forms, &insn->operand[i].scalar))
            return true;
    return false;
}

static void find_growing(struct lint_forms *forms)
{
    const struct pto_code *code = forms->code;
    bool changed = true;

    for (unsigned depth = 0; depth < MOST_DEPTH && changed; depth++) {
        changed = false;
        for (uint32_t i = 0; i < code->insns; i++) {
            int32_t reg = lint_written(&code->insn[i]);

            if (reg < 0 || forms->grows[reg] || !result_grows(forms, &code->insn[i]))
                continue;
            forms->grows[reg] = true;
            changed = true;
        }
    }
}

/* `from` goes to `to`. */
static void note_way(struct lint_forms *forms, uint32_t from, uint32_t to)
{
    bool first = forms->todo[to]++ == 0;

    forms->before[to] = first ? from : LINT_NOWHERE;
}

static void find_before(struct lint_forms *forms)
{
    const struct pto_code *code = forms->code;
    struct lint_branch branch;

    for (uint32_t i = 0; i < code->insns; i++)
        forms->before[i] = LINT_NOWHERE;
    forms->todo[0] = 1; /* where the program begins */
    for (uint32_t i = 0; i < code->insns; i++) {
        bool is_branch = lint_branch_at(code, i, &branch);

        if (is_branch)
            note_way(forms, i, branch.target);
        if (i + 1 < code->insns && code->insn[i].op != PTO_OP_END &&
            !(is_branch && branch.always))
            note_way(forms, i, i + 1);
    }
}

void lint_forms_init(struct lint_forms *forms, const struct lint *lint)
{
    const struct pto_code *code = lint->code;
    size_t insns = (size_t)code->insns + 1, regs = (size_t)code->regs + 1;

    *forms = (struct lint_forms){.code = code,
                                 .kind = lint->core_kind,
                                 .first = pto_xcalloc(regs, sizeof *forms->first),
                                 .counts = pto_xcalloc(regs, sizeof *forms->counts),
                                 .before = pto_xcalloc(insns, sizeof *forms->before),
                                 .grows = pto_xcalloc(regs, sizeof *forms->grows),
                                 .turns = pto_xcalloc(insns, sizeof *forms->turns),
                                 .after = pto_xcalloc(insns, sizeof *forms->after),
                                 .todo = pto_xcalloc(insns, sizeof *forms->todo)};
    memset(forms->turns, -1, insns * sizeof *forms->turns);
    for (uint32_t i = 0; i < code->insns; i++) {
        int32_t reg = lint_written(&code->insn[i]);

        if (reg >= 0 && !forms->counts[reg]++)
            forms->first[reg] = i;
    }
    find_before(forms);
    find_growing(forms);
}

void lint_forms_free(struct lint_forms *forms)
{
    free(forms->first);
    free(forms->counts);
    free(forms->before);
    free(forms->grows);
    free(forms->turns);
    free(forms->after);
    free(forms->todo);
}
