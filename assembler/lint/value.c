#include "value.h"

#include <string.h>

#include "arithmetic.h"

enum { MOST_MODULUS = 64, LARGEST_STEP = 1 << 20 };

/* ---- what to follow ---- */

void lint_track_init(struct lint_track *track, const struct lint *lint)
{
    *track = (struct lint_track){.code = lint->code, .params = lint->kernel->params,
                                  .rounds = lint->rounds[lint->core_kind]};
    memset(track->slot, -1, sizeof track->slot);
}

/* The remainder that an instruction takes of a number: a divisor, or a mask of low bits. */
static int64_t divisor_of(const struct pto_insn *insn)
{
    const struct pto_scalar *by = insn->operands == 3 ? &insn->operand[2].scalar : NULL;

    if (!by || by->kind != PTO_S_INT || by->i < 1 || by->i > MOST_MODULUS)
        return 0;
    if (insn->op == PTO_OP_IMOD)
        return by->i;
    return insn->op == PTO_OP_AND && !(by->i & (by->i + 1)) ? by->i + 1 : 0;
}

/* Remainders of the least common multiple answer for all divisors. */
static void add_divisor(struct lint_track *track, int64_t divisor)
{
    int64_t modulus = track->modulus ? track->modulus : 1;

    for (int64_t multiple = modulus; divisor && multiple <= MOST_MODULUS; multiple += modulus) {
        if (multiple % divisor)
            continue;
        track->modulus = multiple;
        return;
    }
}

static bool add_register(struct lint_track *track, uint16_t reg)
{
    if (reg < track->params || track->slot[reg] >= 0 || track->registers == LINT_TRACKED ||
        track->code->reg[reg].is_float)
        return false;
    track->slot[reg] = (int8_t)track->registers;
    track->tracked[track->registers++] = (struct lint_tracked){.reg = reg};
    return true;
}

void lint_track_register(struct lint_track *track, const bool *reachable, uint16_t reg)
{
    unsigned next = track->registers;

    add_register(track, reg);
    for (; next < track->registers; next++) {
        for (uint32_t i = 0; i < track->code->insns; i++) {
            const struct pto_insn *insn = &track->code->insn[i];

            if (!reachable[i] || lint_written(insn) != track->tracked[next].reg ||
                pto_op_info(insn->op)->class != PTO_SCALAR)
                continue;
            add_divisor(track, divisor_of(insn));
            for (unsigned k = 1; k < insn->operands; k++)
                if (insn->operand[k].kind == PTO_O_SCALAR &&
                    insn->operand[k].scalar.kind == PTO_S_REG)
                    add_register(track, insn->operand[k].scalar.reg);
        }
    }
}

/* Find the registers of which every value is a number, or the one before plus or minus one. */
static void find_counters(const struct pto_code *code, bool *counts)
{
    memset(counts, true, PTO_MAX_REGISTERS * sizeof *counts);
    for (uint32_t i = 0; i < code->insns; i++) {
        const struct pto_insn *insn = &code->insn[i];
        const struct pto_operand *operand = insn->operand;
        int32_t reg = lint_written(insn);

        if (reg < 0 || (insn->op == PTO_OP_MOV && operand[1].scalar.kind == PTO_S_INT))
            continue;
        if ((insn->op != PTO_OP_IADD && insn->op != PTO_OP_ISUB) ||
            operand[1].scalar.kind != PTO_S_REG || operand[1].scalar.reg != reg ||
            operand[2].scalar.kind != PTO_S_INT)
            counts[reg] = false;
    }
}

static void track_counter(struct lint_track *track, const bool *counts,
                          const struct pto_scalar *a, const struct pto_scalar *b)
{
    if (a->kind == PTO_S_REG && b->kind == PTO_S_INT && counts[a->reg])
        add_register(track, a->reg);
}

static int find_round(const struct lint_track *track, enum lint_round round, unsigned loop)
{
    for (unsigned i = 0; i < track->conditions; i++)
        if (track->condition[i].round == round && track->condition[i].loop == loop)
            return (int)i;
    return -1;
}

/* The condition of which a branch says how it came out; *negated: it is taken if it does not
 * hold. */
static int find_condition(const struct lint_track *track, const struct lint_branch *branch,
                          bool *negated)
{
    enum lint_round round = (enum lint_round)track->rounds->of[branch->at].kind;
    bool closes = round == LINT_ROUND_CLOSE;
    int found = -1;

    if (closes || round == LINT_ROUND_FIRST || round == LINT_ROUND_LAST)
        found = find_round(track, closes ? LINT_ROUND_LAST : round,
                           track->rounds->of[branch->at].loop);
    *negated = closes || track->rounds->of[branch->at].negated;
    if (found >= 0)
        return found;
    *negated = branch->negated;
    for (unsigned i = 0; i < track->conditions; i++) {
        const struct lint_condition *known = &track->condition[i];

        if (!known->round && known->op == branch->op && pto_scalar_same(&known->a, &branch->a) &&
            pto_scalar_same(&known->b, &branch->b))
            return (int)i;
    }
    return -1;
}

/* A branch that tells the first round of a loop, or the last one, from others. */
static void add_round(struct lint_track *track, uint32_t at)
{
    enum lint_round round = (enum lint_round)track->rounds->of[at].kind;
    unsigned loop = track->rounds->of[at].loop;

    if ((round == LINT_ROUND_FIRST || round == LINT_ROUND_LAST) &&
        find_round(track, round, loop) < 0 && track->conditions < LINT_CONDITIONS)
        track->condition[track->conditions++] =
            (struct lint_condition){.round = round, .loop = loop};
}

void lint_track_branches(struct lint_track *track, const struct lint *lint, const uint32_t *skip)
{
    enum { MOST_BRANCHES = 512 };
    struct lint_branch seen[MOST_BRANCHES], branch;
    bool counts[PTO_MAX_REGISTERS], negated;
    unsigned branches = 0;

    find_counters(track->code, counts);
    for (uint32_t at = 0; at < track->code->insns && branches < MOST_BRANCHES; at++) {
        if (skip[at] != at || !lint->reachable[lint->core_kind][at] ||
            !lint_branch_at(track->code, at, &branch) || branch.always)
            continue;
        track_counter(track, counts, &branch.a, &branch.b);
        track_counter(track, counts, &branch.b, &branch.a);
        add_round(track, at);
        for (unsigned i = 0; i < branches; i++)
            if (seen[i].op == branch.op && pto_scalar_same(&seen[i].a, &branch.a) &&
                pto_scalar_same(&seen[i].b, &branch.b) &&
                find_condition(track, &branch, &negated) < 0 &&
                track->conditions < LINT_CONDITIONS)
                track->condition[track->conditions++] =
                    (struct lint_condition){.op = branch.op, .a = branch.a, .b = branch.b};
        seen[branches++] = branch;
    }
}

static bool mentions(const struct lint_condition *condition, int32_t reg)
{
    if (condition->round)
        return false;
    return (condition->a.kind == PTO_S_REG && condition->a.reg == reg) ||
           (condition->b.kind == PTO_S_REG && condition->b.reg == reg);
}

/* Does a round of the loop begin with what this instruction does to the counter? */
static bool moves_round(const struct lint_track *track, size_t at, unsigned loop)
{
    unsigned kind = track->rounds->of[at].kind;

    return track->rounds->of[at].loop == loop &&
           (kind == LINT_ROUND_BEGIN || kind == LINT_ROUND_STEP);
}

bool lint_track_touches(const struct lint_track *track, const struct pto_insn *insn)
{
    int32_t reg = lint_written(insn);
    size_t at = (size_t)(insn - track->code->insn);

    if (reg < 0)
        return false;
    for (unsigned i = 0; i < track->conditions; i++)
        if (mentions(&track->condition[i], reg) ||
            (track->condition[i].round && moves_round(track, at, track->condition[i].loop)))
            return true;
    return track->slot[reg] >= 0;
}

/* ---- values ---- */

struct lint_value lint_read(const struct lint_track *track, const struct lint_state *state,
                            const struct pto_scalar *scalar)
{
    int slot = scalar->kind == PTO_S_REG ? track->slot[scalar->reg] : -1;

    if (scalar->kind == PTO_S_INT)
        return (struct lint_value){LINT_NUMBER, scalar->i};
    if (slot >= 0 && (state->number >> slot & 1))
        return (struct lint_value){LINT_NUMBER, state->value[slot]};
    if (slot >= 0 && (state->remainder >> slot & 1))
        return (struct lint_value){LINT_REMAINDER, state->value[slot]};
    return (struct lint_value){.known = LINT_NOTHING};
}

/* What a remainder becomes; numbers stay within reach of the machine's instruction limit, so that
 * small steps do not wrap around. */
static struct lint_value of_remainder(const struct lint_track *track, const struct pto_insn *insn,
                                      struct lint_value x, struct lint_value y)
{
    int64_t divisor = divisor_of(insn);

    if (insn->op == PTO_OP_MOV)
        return x;
    if (divisor && x.known == LINT_REMAINDER && track->modulus % divisor == 0)
        return (struct lint_value){LINT_NUMBER, x.value % divisor};
    if (insn->op == PTO_OP_IADD && x.known == LINT_REMAINDER && y.known == LINT_NUMBER &&
        y.value >= 0 && y.value <= LARGEST_STEP)
        return (struct lint_value){LINT_REMAINDER, (x.value + y.value) % track->modulus};
    return (struct lint_value){.known = LINT_NOTHING};
}

static struct lint_value result_of(const struct lint_track *track, const struct lint_state *state,
                                   const struct pto_insn *insn)
{
    struct lint_value unknown = {.known = LINT_NOTHING}, x, y;
    uint64_t d;

    if (insn->op != PTO_OP_MOV && insn->op != PTO_OP_SELECT && !pto_arith_is(insn->op))
        return unknown;
    x = lint_read(track, state, &insn->operand[1].scalar);
    if (insn->op == PTO_OP_SELECT)
        return x.known == LINT_NUMBER
                   ? lint_read(track, state, &insn->operand[x.value ? 2 : 3].scalar)
                   : unknown;
    y = insn->operands == 3 ? lint_read(track, state, &insn->operand[2].scalar) : x;
    if (x.known != LINT_NUMBER || y.known != LINT_NUMBER)
        return of_remainder(track, insn, x, y);
    if (insn->op == PTO_OP_MOV)
        return x;
    if (pto_arith(insn->op, (uint64_t)x.value, (uint64_t)y.value, &d) != PTO_ARITH_FINE)
        return unknown;
    return (struct lint_value){LINT_NUMBER, (int64_t)d};
}

/* Count the values of a register; with too many, remember less of it. */
static void note_value(struct lint_track *track, struct lint_tracked *tracked, int64_t value)
{
    for (unsigned i = 0; i < tracked->values; i++)
        if (tracked->value[i] == value)
            return;
    if (tracked->values < LINT_MOST_VALUES) {
        tracked->value[tracked->values++] = value;
        return;
    }
    tracked->memory = track->modulus && tracked->memory == LINT_NUMBER ? LINT_REMAINDER
                                                                       : LINT_NOTHING;
    tracked->values = 0;
    track->forgot = true;
}

static void set_value(struct lint_track *track, struct lint_state *state, int slot,
                      struct lint_value value)
{
    struct lint_tracked *tracked = &track->tracked[slot];
    uint16_t bit = (uint16_t)(1u << slot);

    if (value.known == LINT_NUMBER && tracked->memory == LINT_REMAINDER)
        value = value.value < 0 ? (struct lint_value){.known = LINT_NOTHING}
                                : (struct lint_value){LINT_REMAINDER,
                                                      value.value % track->modulus};
    if (tracked->memory == LINT_NOTHING)
        value.known = LINT_NOTHING;
    state->number &= (uint16_t)~bit;
    state->remainder &= (uint16_t)~bit;
    state->value[slot] = value.known == LINT_NOTHING ? 0 : value.value;
    if (value.known == LINT_NUMBER)
        state->number |= bit;
    if (value.known == LINT_REMAINDER)
        state->remainder |= bit;
    if (value.known == LINT_NUMBER)
        note_value(track, tracked, value.value);
}

static void forget(struct lint_state *state, unsigned condition)
{
    state->tested &= (uint16_t)~(1u << condition);
    state->held &= (uint16_t)~(1u << condition);
}

static void note(struct lint_state *state, unsigned condition, bool held)
{
    forget(state, condition);
    state->tested |= (uint16_t)(1u << condition);
    if (held)
        state->held |= (uint16_t)(1u << condition);
}

/* Whether the round before the step was the last says the branch behind it. */
static void move_round(struct lint_state *state, unsigned condition, enum lint_round round,
                       unsigned kind)
{
    if (round == LINT_ROUND_FIRST)
        note(state, condition, kind == LINT_ROUND_BEGIN);
    else if (kind == LINT_ROUND_BEGIN)
        forget(state, condition);
}

void lint_execute(struct lint_track *track, struct lint_state *state, const struct pto_insn *insn)
{
    size_t at = (size_t)(insn - track->code->insn);
    int32_t reg = lint_written(insn);

    if (reg < 0)
        return;
    if (track->slot[reg] >= 0)
        set_value(track, state, track->slot[reg], result_of(track, state, insn));
    for (unsigned i = 0; i < track->conditions; i++) {
        const struct lint_condition *condition = &track->condition[i];

        if (condition->round && moves_round(track, at, condition->loop))
            move_round(state, i, condition->round, track->rounds->of[at].kind);
        else if (mentions(condition, reg))
            forget(state, i);
    }
}

/* ---- branches ---- */

int lint_decide(const struct lint_track *track, const struct lint_state *state,
                const struct lint_branch *branch)
{
    struct lint_value a, b;
    bool negated;
    int known;

    if (branch->always)
        return 1;
    a = lint_read(track, state, &branch->a);
    b = lint_read(track, state, &branch->b);
    if (a.known == LINT_NUMBER && b.known == LINT_NUMBER)
        return pto_branch_taken(branch->op, a.value, b.value) != branch->negated;
    known = find_condition(track, branch, &negated);
    if (known < 0 || !(state->tested >> known & 1))
        return -1;
    return (state->held >> known & 1) != negated;
}

void lint_assume(const struct lint_track *track, struct lint_state *state,
                 const struct lint_branch *branch, bool taken)
{
    bool negated;
    int known = find_condition(track, branch, &negated);

    if (known < 0)
        return;
    if (track->condition[known].round && track->rounds->of[branch->at].kind == LINT_ROUND_CLOSE)
        forget(state, (unsigned)known); /* the next round may be the last, or not */
    else
        note(state, (unsigned)known, taken != negated);
}
