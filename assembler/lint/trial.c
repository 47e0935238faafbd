#include "trial.h"

#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "pipes.h"

enum {
    RUNS = 240,
    ENOUGH = 24,            /* runs that come to their end */
    MOST_STEPS = 20000,     /* of one run */
    LITERALS = 6,           /* of the text, that values are chosen by */
    CHOICES = 8 + 6 * LITERALS
};

/* How a run ends: at `end`; by a fault, or too late; where something decides that is not known. */
enum outcome { ENDED, CUT, UNKNOWN, WRONG };

struct trial {
    struct lint *lint;
    struct lint_pipes *pipes;
    uint32_t *first;     /* by tile: its first slot, see pipes.h */
    int64_t choice[CHOICES];
    unsigned choices;
    uint32_t *times;     /* by instruction, in this run */
    uint8_t *seen;       /* most of that over all runs, up to 2 */
    uint64_t random;
    int64_t sys[PTO_SYS_COUNT];
    int64_t value[PTO_MAX_REGISTERS];
    bool known[PTO_MAX_REGISTERS];
};

static uint32_t draw(struct trial *t, uint32_t below)
{
    t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(t->random >> 33) % below;
}

/* ---- what is tried ---- */

static void add_choice(struct trial *t, int64_t value)
{
    for (unsigned i = 0; i < t->choices; i++)
        if (t->choice[i] == value)
            return;
    if (t->choices < CHOICES)
        t->choice[t->choices++] = value;
}

/* Small numbers, and those around the steps and limits of the text. */
static void find_choices(struct trial *t)
{
    const struct pto_code *code = t->lint->code;
    unsigned literals = 0;

    for (int64_t i = 0; i < 8; i++)
        add_choice(t, i);
    for (uint32_t at = 0; at < code->insns && literals < LITERALS; at++) {
        const struct pto_insn *insn = &code->insn[at];

        for (unsigned i = 1; i < insn->operands && literals < LITERALS; i++) {
            int64_t number = insn->operand[i].kind == PTO_O_SCALAR &&
                                     insn->operand[i].scalar.kind == PTO_S_INT
                                 ? insn->operand[i].scalar.i
                                 : 0;
            unsigned before = t->choices;

            if (number < 8 || number > 1 << 20 || !pto_arith_is(insn->op))
                continue;
            for (int64_t times = 1; times <= 5; times += times == 1 ? 1 : 3) {
                add_choice(t, times * number);
                add_choice(t, times * number + 1);
            }
            literals += t->choices > before;
        }
    }
}

/* Values of the launch; the first runs have the same for all parameters. */
static void choose(struct trial *t, unsigned run)
{
    const struct pto_kernel *kernel = t->lint->kernel;
    uint32_t subs = kernel->vectors_per_block ? kernel->vectors_per_block : 1;
    bool cube = t->lint->core_kind == PTO_AIC;

    memset(t->known, 0, sizeof t->known);
    for (uint32_t i = 0; i < kernel->params; i++) {
        t->known[i] = !kernel->param[i].is_float;
        t->value[i] = t->choice[run < t->choices ? run : draw(t, t->choices)];
    }
    t->sys[PTO_SYS_NRANKS] = 1 + draw(t, 4);
    t->sys[PTO_SYS_RANK] = draw(t, (uint32_t)t->sys[PTO_SYS_NRANKS]);
    t->sys[PTO_SYS_BLOCK_NUM] = 1 + draw(t, 3);
    t->sys[PTO_SYS_BLOCK_ID] = draw(t, (uint32_t)t->sys[PTO_SYS_BLOCK_NUM]);
    t->sys[PTO_SYS_SUB_NUM] = subs;
    t->sys[PTO_SYS_SUB_ID] = cube ? 0 : draw(t, subs);
    t->sys[PTO_SYS_VEC_ID] = t->sys[PTO_SYS_BLOCK_ID] * subs + t->sys[PTO_SYS_SUB_ID];
    t->sys[PTO_SYS_VEC_COUNT] = t->sys[PTO_SYS_BLOCK_NUM] * subs;
    t->sys[PTO_SYS_LAUNCH] = draw(t, 2);
    t->sys[PTO_SYS_NODE_RANKS] = 1 + draw(t, (uint32_t)t->sys[PTO_SYS_NRANKS]);
}

/* ---- one step ---- */

static bool read(const struct trial *t, const struct pto_scalar *scalar, int64_t *value)
{
    *value = scalar->kind == PTO_S_SYS ? t->sys[scalar->reg]
             : scalar->kind == PTO_S_REG ? t->value[scalar->reg]
                                         : scalar->i; /* of floats the bits */
    return scalar->kind != PTO_S_REG || t->known[scalar->reg];
}

static bool compute(struct trial *t, const struct pto_insn *insn, int64_t *result)
{
    int64_t a = 0, b = 0, c = 0;
    uint64_t d;

    if (insn->op == PTO_OP_PRESENT) {
        *result = draw(t, 2);
        return true;
    }
    if (insn->op != PTO_OP_MOV && insn->op != PTO_OP_SELECT && !pto_arith_is(insn->op))
        return false;
    if (!read(t, &insn->operand[1].scalar, &a) ||
        (insn->operands > 2 && insn->op != PTO_OP_SELECT && !read(t, &insn->operand[2].scalar, &b)))
        return false;
    *result = a;
    if (insn->op == PTO_OP_SELECT) {
        bool known = read(t, &insn->operand[a ? 2 : 3].scalar, &c);

        *result = c;
        return known;
    }
    if (insn->op == PTO_OP_MOV)
        return true;
    if (pto_arith(insn->op, (uint64_t)a, (uint64_t)b, &d) != PTO_ARITH_FINE)
        return false;
    *result = (int64_t)d;
    return true;
}

/* What memory, signals and the clock say may be any small number. */
static void assign(struct trial *t, const struct pto_insn *insn, int32_t reg)
{
    int64_t value = 0;

    t->known[reg] = compute(t, insn, &value);
    if (!t->known[reg] && pto_op_info(insn->op)->class != PTO_SCALAR &&
        !t->lint->code->reg[reg].is_float) {
        t->known[reg] = true;
        value = draw(t, 4) ? draw(t, 8) : (uint32_t)t->choice[draw(t, t->choices)];
    }
    t->value[reg] = value;
}

/* CUT: there is no such flag. */
static enum outcome flag(struct trial *t, const struct pto_insn *insn)
{
    int64_t id;

    if (!read(t, &insn->operand[2].scalar, &id))
        return UNKNOWN;
    if (id < 0 || id >= t->lint->profile->events)
        return CUT;
    lint_pipes_flag(t->pipes, insn->op == PTO_OP_SET_FLAG, insn->operand[0].value,
                    insn->operand[1].value, (unsigned)id);
    return ENDED;
}

static enum outcome touch(struct trial *t, const struct pto_tile_ref *ref, unsigned access)
{
    const struct pto_core_code *core = t->lint->core;
    uint32_t root = ref->tile;
    int64_t slot = 0;

    while (core->tile[root].parent != PTO_NONE)
        root = (uint32_t)core->tile[root].parent;
    if (ref->slot.kind != PTO_S_NONE && !read(t, &ref->slot, &slot))
        return UNKNOWN;
    if (slot < 0 || slot >= core->tile[root].slots)
        return CUT;
    lint_pipes_touch(t->pipes, t->first[root] + (uint32_t)slot, access);
    return ENDED;
}

/* Work of a pipe on tiles. */
static enum outcome work(struct trial *t, const struct pto_insn *insn, unsigned pipe)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    enum outcome outcome = ENDED;

    lint_pipes_work(t->pipes, pipe);
    for (unsigned i = 0; i < insn->operands && i < info->operands && outcome == ENDED; i++) {
        unsigned access = info->operand[i].access & (PTO_READ | PTO_WRITE);

        if (insn->operand[i].kind == PTO_O_TILE && access)
            outcome = touch(t, &insn->operand[i].tile, access);
    }
    if (outcome == ENDED)
        lint_pipes_done(t->pipes);
    return outcome;
}

static enum outcome execute(struct trial *t, const struct pto_insn *insn)
{
    int pipe = lint_pipe_of(t->lint, insn);
    int32_t reg = lint_written(insn);
    int64_t value = 0;

    if (reg >= 0)
        assign(t, insn, reg);
    switch (insn->op) {
    case PTO_OP_SET_FLAG:
    case PTO_OP_WAIT_FLAG:
        return flag(t, insn);
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
        lint_pipes_barrier(t->pipes, insn->operand[0].value);
        return ENDED;
    case PTO_OP_SYNC_ALL:
        lint_pipes_barrier(t->pipes, PTO_PIPE_ALL);
        return ENDED;
    case PTO_OP_WAIT_FLAG_DEV:
    case PTO_OP_WAIT_INTRA_BLOCK:
        lint_pipes_trust(t->pipes);
        return ENDED;
    case PTO_OP_DSB:
        lint_pipes_publish(t->pipes);
        return ENDED;
    case PTO_OP_ASSERT:
        return !read(t, &insn->operand[0].scalar, &value) || value ? ENDED : CUT;
    default:
        return pipe < 0 ? ENDED : work(t, insn, (unsigned)pipe);
    }
}

/* Where a branch goes. */
static enum outcome follow(struct trial *t, const struct lint_branch *branch, uint32_t *at)
{
    int64_t a, b;

    if (!branch->always && (!read(t, &branch->a, &a) || !read(t, &branch->b, &b)))
        return UNKNOWN;
    *at = branch->always || pto_branch_taken(branch->op, a, b) != branch->negated
              ? branch->target
              : *at + 1;
    return ENDED;
}

static enum outcome run_once(struct trial *t)
{
    const struct pto_code *code = t->lint->code;
    enum outcome outcome = ENDED;
    uint32_t at = 0;

    lint_pipes_begin(t->pipes);
    memset(t->times, 0, code->insns * sizeof *t->times);
    for (unsigned steps = 0; outcome == ENDED; steps++) {
        struct lint_branch branch;

        if (lint_pipes_wrong(t->pipes))
            return WRONG;
        if (steps == MOST_STEPS)
            return CUT;
        t->times[at]++;
        if (code->insn[at].op == PTO_OP_END)
            return lint_pipes_end(t->pipes) ? ENDED : WRONG;
        if (lint_branch_at(code, at, &branch))
            outcome = follow(t, &branch, &at);
        else
            outcome = execute(t, &code->insn[at++]);
    }
    return outcome;
}

/* ---- all runs ---- */

static bool matters(const struct trial *t, const struct pto_insn *insn)
{
    return insn->op == PTO_OP_SET_FLAG || insn->op == PTO_OP_WAIT_FLAG ||
           lint_pipe_of(t->lint, insn) >= 0;
}

/* Did runs come to all that matters, and round every loop more than once? */
static bool is_covered(const struct trial *t)
{
    const struct pto_code *code = t->lint->code;
    const bool *reachable = t->lint->reachable[t->lint->core_kind];
    struct lint_branch branch;

    for (uint32_t at = 0; at < code->insns; at++) {
        if (!reachable[at])
            continue;
        if (matters(t, &code->insn[at]) && !t->seen[at])
            return false;
        if (lint_branch_at(code, at, &branch) && branch.target <= at && t->seen[at] < 2)
            return false;
    }
    return true;
}

static bool all_clean(struct trial *t)
{
    unsigned ended = 0;

    for (unsigned run = 0; run < RUNS; run++) {
        enum outcome outcome;

        choose(t, run);
        outcome = run_once(t);
        if (outcome == WRONG || outcome == UNKNOWN)
            return false;
        ended += outcome == ENDED;
        for (uint32_t at = 0; outcome == ENDED && at < t->lint->code->insns; at++)
            if (t->times[at] > t->seen[at])
                t->seen[at] = t->times[at] > 2 ? 2 : (uint8_t)t->times[at];
    }
    return ended >= ENOUGH && is_covered(t);
}

static bool is_clean(struct lint *lint)
{
    struct trial *t = pto_xcalloc(1, sizeof *t);
    uint32_t slots = 0;
    bool clean;

    t->lint = lint;
    t->first = pto_xcalloc((size_t)lint->core->tiles + 1, sizeof *t->first);
    t->times = pto_xcalloc((size_t)lint->code->insns + 1, sizeof *t->times);
    t->seen = pto_xcalloc((size_t)lint->code->insns + 1, 1);
    for (uint32_t i = 0; i < lint->core->tiles; i++) {
        t->first[i] = slots;
        slots += lint->core->tile[i].parent == PTO_NONE ? lint->core->tile[i].slots : 0;
    }
    t->pipes = lint_pipes_new(lint->profile, slots);
    find_choices(t);
    clean = all_clean(t);
    lint_pipes_free(t->pipes);
    free(t->first);
    free(t->times);
    free(t->seen);
    free(t);
    return clean;
}

static bool is_doubted(const struct pto_lint_finding *finding)
{
    return finding->severity == PTO_WARNING && finding->verdict == PTO_LINT_UNKNOWN &&
           (finding->rule == PTO_LINT_TOKEN_LEFT || finding->rule == PTO_LINT_TOKEN_MISSING ||
            finding->rule == PTO_LINT_SET_ON_PENDING || finding->rule == PTO_LINT_RACE);
}

void lint_trials(struct lint *lint, uint32_t first)
{
    struct pto_lint *result = lint->result;
    bool any = false;

    for (uint32_t i = first; i < result->findings; i++) {
        any = any || is_doubted(&result->finding[i]);
        if (result->finding[i].severity == PTO_ERROR)
            return;
    }
    if (!any || !is_clean(lint))
        return;
    for (uint32_t i = first; i < result->findings; i++)
        if (is_doubted(&result->finding[i])) {
            result->finding[i].severity = PTO_NOTE;
            result->warnings--;
            lint_hint(lint, &result->finding[i],
                      "no run with small values of the parameters goes wrong by it");
        }
}
