#include "made.h"

#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"

enum {
    MOST_DEPTH = 10, /* of an expression */
    MOST_WAY = 256   /* instructions back to where a register got its value */
};

/* ---- what registers hold ---- */

/* Does the instruction run several times? */
static bool comes_again(struct lint_made *made, uint32_t at)
{
    const struct pto_code *code = made->code;

    if (made->turns[at] < 0) {
        memset(made->after, 0, code->insns * sizeof *made->after);
        lint_flood(code, at, made->after, made->todo);
        made->turns[at] = made->after[at];
    }
    return made->turns[at];
}

/* The instruction whose result the register holds at `at`; LINT_NOWHERE: it may be several. */
static uint32_t result_at(const struct lint_made *made, uint32_t at, uint16_t reg)
{
    if (made->counts[reg] == 1)
        return made->first[reg];
    for (unsigned steps = 0; steps < MOST_WAY; steps++) {
        at = made->before[at];
        if (at == LINT_NOWHERE || lint_written(&made->code->insn[at]) == reg)
            return at;
    }
    return LINT_NOWHERE;
}

static bool is_reg(const struct pto_operand *operand, uint32_t reg)
{
    return operand->scalar.kind == PTO_S_REG && operand->scalar.reg == reg;
}

/* The instruction before `at`, or behind, that assigns the register; LINT_NOWHERE: none. */
static uint32_t assigned_next(const struct lint_made *made, uint32_t at, uint32_t reg, int step)
{
    do
        at += (uint32_t)step;
    while (at < made->code->insns && lint_written(&made->code->insn[at]) != (int32_t)reg);
    return at < made->code->insns ? at : LINT_NOWHERE;
}

/* A loop as the assembler makes it of .for, around `at`: its counter begins with a number, is grown
 * at the end, and then compared with a limit. */
static bool is_for(const struct lint_made *made, uint32_t at, uint32_t reg, uint32_t begin,
                   uint32_t end)
{
    const struct pto_insn *insn = made->code->insn;
    struct lint_branch back;

    return begin != LINT_NOWHERE && end < made->code->insns - 1 && insn[begin].op == PTO_OP_MOV &&
           insn[end].op == PTO_OP_IADD && is_reg(&insn[end].operand[1], reg) &&
           insn[end].operand[2].scalar.kind == PTO_S_INT && insn[end].operand[2].scalar.i > 0 &&
           insn[end + 1].op == PTO_OP_BLT && is_reg(&insn[end + 1].operand[0], reg) &&
           lint_branch_at(made->code, end + 1, &back) && back.target > begin &&
           back.target <= at;
}

/* Where an instruction that stands elsewhere in the text is jumped to from, else it itself. */
static uint32_t home_of(const struct lint_made *made, uint32_t at)
{
    for (uint32_t to = at, steps = 0; steps < MOST_DEPTH && made->before[to] != LINT_NOWHERE;
         steps++) {
        if (made->before[to] + 1 != to)
            return made->before[to];
        to--;
    }
    return at;
}

static bool is_counter(const struct lint_made *made, uint32_t place, uint32_t reg)
{
    uint32_t at = home_of(made, place);

    return is_for(made, at, reg, assigned_next(made, at, reg, -1),
                  assigned_next(made, at, reg, 1));
}

static struct lint_form atom(uint32_t atom)
{
    return (struct lint_form){true, 1, {{1, {atom, 0}}}};
}

static struct lint_form form_of(struct lint_made *made, uint32_t at,
                                const struct pto_scalar *scalar, unsigned depth);

/* A fetch_add of a word that each sub-core has for itself: all get the same from it.  Of a word
 * that they share each gets something else. */
static bool is_epoch(struct lint_made *made, uint32_t at, unsigned depth)
{
    const struct pto_insn *insn = &made->code->insn[at];
    const struct pto_gm_ref *gm = &insn->operand[1].gm;
    bool own = false;

    if (insn->op != PTO_OP_FETCH_ADD || gm->rank.kind != PTO_S_NONE)
        return false;
    for (unsigned dim = 0; dim < gm->indices; dim++) {
        struct lint_form index = form_of(made, at, &gm->index[dim], depth);

        for (unsigned i = 0; index.known && i < index.terms; i++)
            own = own || index.term[i].atom[0] == LINT_ATOM_SYS + PTO_SYS_VEC_ID ||
                  (index.term[i].atom[0] == LINT_ATOM_SYS + PTO_SYS_BLOCK_ID &&
                   (made->kind == PTO_AIC || made->kernel->vectors_per_block == 1));
    }
    return own;
}

static struct lint_form result_of(struct lint_made *made, uint32_t at, unsigned depth)
{
    const struct pto_insn *insn = &made->code->insn[at];
    struct lint_form a, b;

    if (insn->op == PTO_OP_MOV)
        return form_of(made, at, &insn->operand[1].scalar, depth);
    if (insn->op == PTO_OP_IADD || insn->op == PTO_OP_ISUB || insn->op == PTO_OP_IMUL) {
        a = form_of(made, at, &insn->operand[1].scalar, depth);
        b = form_of(made, at, &insn->operand[2].scalar, depth);
        return insn->op == PTO_OP_IMUL ? lint_form_product(&a, &b)
                                       : lint_form_sum(&a, &b, insn->op == PTO_OP_IADD ? 1 : -1);
    }
    if (comes_again(made, at))
        return (struct lint_form){.known = false};
    return atom((is_epoch(made, at, depth) ? LINT_ATOM_EPOCH : LINT_ATOM_RESULT) + 2 * at +
                made->kind);
}

/* A register that begins with a number once and then only grows in steps of another one: the
 * counter of its steps stands for how many there were. */
static struct lint_form sum_of_steps(struct lint_made *made, uint16_t reg, unsigned depth)
{
    struct lint_form unknown = {.known = false}, begin, steps = atom(LINT_ATOM_COUNTER + reg);
    uint32_t at = assigned_next(made, made->first[reg], reg, 1);
    const struct pto_insn *insn;

    if (made->counts[reg] != 2 || at == LINT_NOWHERE || comes_again(made, made->first[reg]))
        return unknown;
    insn = &made->code->insn[at];
    if (insn->op != PTO_OP_IADD || !is_reg(&insn->operand[1], reg) ||
        insn->operand[2].scalar.kind != PTO_S_INT || insn->operand[2].scalar.i <= 0 ||
        insn->operand[2].scalar.i > LINT_SMALL)
        return unknown;
    begin = result_of(made, made->first[reg], depth);
    return lint_form_sum(&begin, &steps, insn->operand[2].scalar.i);
}

static struct lint_form form_of(struct lint_made *made, uint32_t at,
                                const struct pto_scalar *scalar, unsigned depth)
{
    struct lint_form unknown = {.known = false};
    uint32_t from;

    switch (scalar->kind) {
    case PTO_S_NONE:
        return lint_form_of_number(0);
    case PTO_S_INT:
        return lint_form_of_number(scalar->i);
    case PTO_S_SYS:
        return atom(LINT_ATOM_SYS + scalar->reg);
    case PTO_S_REG:
        break;
    default:
        return unknown;
    }
    if (depth == 0)
        return unknown;
    if (!made->counts[scalar->reg])
        return atom(LINT_ATOM_PARAM + scalar->reg);
    from = result_at(made, at, scalar->reg);
    if (from != LINT_NOWHERE)
        return result_of(made, from, depth - 1);
    return is_counter(made, at, scalar->reg) ? atom(LINT_ATOM_COUNTER + scalar->reg)
                                             : sum_of_steps(made, scalar->reg, depth - 1);
}

struct lint_form lint_made_of(struct lint_made *made, uint32_t at,
                              const struct pto_scalar *scalar)
{
    return form_of(made, at, scalar, MOST_DEPTH);
}

/* ---- the values of counters ---- */

static bool counter_bound(struct lint_made *made, uint32_t place, uint32_t reg, bool largest,
                          struct lint_form *bound)
{
    const struct pto_insn *insn = made->code->insn;
    uint32_t at = home_of(made, place);
    uint32_t begin = assigned_next(made, at, reg, -1), end = assigned_next(made, at, reg, 1);
    struct lint_form one = lint_form_of_number(1);

    if (!is_for(made, at, reg, begin, end))
        return false;
    if (!largest) {
        *bound = lint_made_of(made, begin, &insn[begin].operand[1].scalar);
        return bound->known && !lint_form_stride(bound);
    }
    if (insn[begin + 1].op != PTO_OP_BGE || !is_reg(&insn[begin + 1].operand[0], reg) ||
        !pto_scalar_same(&insn[begin + 1].operand[1].scalar, &insn[end + 1].operand[1].scalar))
        return false;
    *bound = lint_made_of(made, end + 1, &insn[end + 1].operand[1].scalar);
    *bound = lint_form_sum(bound, &one, -1);
    return bound->known && !lint_form_stride(bound);
}

/* Has it one value on all sub-cores of all ranks? */
static bool is_common(const struct lint_made *made, uint32_t atom)
{
    return atom < LINT_ATOM_PARAM || (atom - LINT_ATOM_PARAM < made->kernel->params &&
                                      made->kernel->param[atom - LINT_ATOM_PARAM].uniform);
}

static bool atom_bound(struct lint_made *made, uint32_t at, uint32_t varying, bool largest,
                       struct lint_form *bound)
{
    static const struct {
        uint32_t value, count;
    } counted[] = {{PTO_SYS_RANK, PTO_SYS_NRANKS},
                   {PTO_SYS_BLOCK_ID, PTO_SYS_BLOCK_NUM},
                   {PTO_SYS_SUB_ID, PTO_SYS_SUB_NUM},
                   {PTO_SYS_VEC_ID, PTO_SYS_VEC_COUNT}};
    struct lint_form one = lint_form_of_number(1);

    if (varying >= LINT_ATOM_COUNTER && varying < LINT_ATOM_RESULT)
        return counter_bound(made, at, varying - LINT_ATOM_COUNTER, largest, bound);
    for (unsigned i = 0; i < sizeof counted / sizeof *counted; i++)
        if (varying == LINT_ATOM_SYS + counted[i].value) {
            *bound = atom(LINT_ATOM_SYS + counted[i].count);
            *bound = largest ? lint_form_sum(bound, &one, -1) : lint_form_of_number(0);
            return true;
        }
    *bound = atom(varying);
    return is_common(made, varying);
}

struct lint_form lint_made_bound(struct lint_made *made, uint32_t at,
                                 const struct lint_form *form, bool largest)
{
    struct lint_form result = {.known = form->known}, bound;

    for (unsigned i = 0; i < form->terms && result.known; i++) {
        const struct lint_term *term = &form->term[i];

        if (!term->atom[0])
            bound = lint_form_of_number(1);
        else if (term->atom[1] ||
                 !atom_bound(made, at, term->atom[0], largest == (term->factor > 0), &bound))
            return (struct lint_form){.known = false};
        result = lint_form_sum(&result, &bound, term->factor);
    }
    return result;
}

bool lint_made_once(struct lint_made *made, uint32_t place, const struct pto_scalar *each)
{
    struct lint_form form = lint_made_of(made, place, each);
    uint32_t begin;

    if (!comes_again(made, place))
        return true;
    for (unsigned i = 0; form.known && i < form.terms; i++) {
        uint32_t atom = form.term[i].atom[0];

        if (atom < LINT_ATOM_COUNTER || atom >= LINT_ATOM_RESULT || form.term[i].atom[1])
            continue;
        begin = assigned_next(made, home_of(made, place), atom - LINT_ATOM_COUNTER, -1);
        return begin != LINT_NOWHERE && !comes_again(made, begin);
    }
    return false;
}

/* ---- what counts on ---- */

static bool atom_grows(uint32_t atom)
{
    return atom >= LINT_ATOM_EPOCH || atom == LINT_ATOM_SYS + PTO_SYS_LAUNCH;
}

/* By how much it grows in a launch; 0: not known. */
static int64_t share_of(const struct lint_made *made, uint32_t atom)
{
    const struct pto_scalar *share;

    if (atom < LINT_ATOM_EPOCH)
        return 1;
    share = &made->code->insn[(atom - LINT_ATOM_EPOCH) / 2].operand[2].scalar;
    return share->kind == PTO_S_INT && share->i > 0 && share->i <= LINT_SMALL ? share->i : 0;
}

bool lint_made_split(const struct lint_made *made, const struct lint_form *form,
                     struct lint_form *each, struct lint_form *rest, int64_t *share)
{
    uint32_t grows = 0;

    *each = *rest = (struct lint_form){.known = form->known};
    for (unsigned i = 0; form->known && i < form->terms; i++) {
        struct lint_term term = form->term[i];
        unsigned which = term.atom[1] && atom_grows(term.atom[1]);

        if (!term.atom[which] || !atom_grows(term.atom[which])) {
            lint_form_add(rest, term);
            continue;
        }
        if (grows && grows != term.atom[which])
            return false;
        grows = term.atom[which];
        term.atom[0] = term.atom[1 - which];
        term.atom[1] = 0;
        lint_form_add(each, term);
    }
    *share = grows ? share_of(made, grows) : 0;
    return grows && each->known && rest->known;
}

bool lint_grows(const struct lint_made *made, const struct pto_scalar *scalar)
{
    if (scalar->kind == PTO_S_SYS)
        return scalar->reg == PTO_SYS_LAUNCH;
    return scalar->kind == PTO_S_REG && made->grows[scalar->reg];
}

static bool result_grows(struct lint_made *made, uint32_t at)
{
    const struct pto_insn *insn = &made->code->insn[at];

    if (insn->op == PTO_OP_FETCH_ADD)
        return is_epoch(made, at, MOST_DEPTH);
    if (insn->op != PTO_OP_MOV && insn->op != PTO_OP_SELECT && !pto_arith_is(insn->op))
        return false;
    for (unsigned i = 1; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_SCALAR &&
            lint_grows(made, &insn->operand[i].scalar))
            return true;
    return false;
}

static void find_growing(struct lint_made *made)
{
    const struct pto_code *code = made->code;
    bool changed = true;

    for (unsigned depth = 0; depth < MOST_DEPTH && changed; depth++) {
        changed = false;
        for (uint32_t i = 0; i < code->insns; i++) {
            int32_t reg = lint_written(&code->insn[i]);

            if (reg < 0 || made->grows[reg] || !result_grows(made, i))
                continue;
            made->grows[reg] = true;
            changed = true;
        }
    }
}

/* `from` goes to `to`. */
static void note_way(struct lint_made *made, uint32_t from, uint32_t to)
{
    bool first = made->todo[to]++ == 0;

    made->before[to] = first ? from : LINT_NOWHERE;
}

static void find_before(struct lint_made *made)
{
    const struct pto_code *code = made->code;
    struct lint_branch branch;

    for (uint32_t i = 0; i < code->insns; i++)
        made->before[i] = LINT_NOWHERE;
    made->todo[0] = 1; /* where the program begins */
    for (uint32_t i = 0; i < code->insns; i++) {
        bool is_branch = lint_branch_at(code, i, &branch);

        if (is_branch)
            note_way(made, i, branch.target);
        if (i + 1 < code->insns && code->insn[i].op != PTO_OP_END &&
            !(is_branch && branch.always))
            note_way(made, i, i + 1);
    }
}

void lint_made_init(struct lint_made *made, const struct lint *lint)
{
    const struct pto_code *code = lint->code;
    size_t insns = (size_t)code->insns + 1, regs = (size_t)code->regs + 1;

    *made = (struct lint_made){.kernel = lint->kernel,
                                 .code = code,
                                 .kind = lint->core_kind,
                                 .first = pto_xcalloc(regs, sizeof *made->first),
                                 .counts = pto_xcalloc(regs, sizeof *made->counts),
                                 .before = pto_xcalloc(insns, sizeof *made->before),
                                 .grows = pto_xcalloc(regs, sizeof *made->grows),
                                 .turns = pto_xcalloc(insns, sizeof *made->turns),
                                 .after = pto_xcalloc(insns, sizeof *made->after),
                                 .todo = pto_xcalloc(insns, sizeof *made->todo)};
    memset(made->turns, -1, insns * sizeof *made->turns);
    for (uint32_t i = 0; i < code->insns; i++) {
        int32_t reg = lint_written(&code->insn[i]);

        if (reg >= 0 && !made->counts[reg]++)
            made->first[reg] = i;
    }
    find_before(made);
    find_growing(made);
}

void lint_made_free(struct lint_made *made)
{
    free(made->first);
    free(made->counts);
    free(made->before);
    free(made->grows);
    free(made->turns);
    free(made->after);
    free(made->todo);
}
