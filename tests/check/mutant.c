#include "mutant.h"

#include <string.h>

enum { DETOUR = 5 }; /* instructions: two to compute a value, the changed one, back, end */

static const char *const NAME[CHANGES] = {
    [CHANGE_DROP] = "drop",
    [CHANGE_DROP_PAIR] = "drop the pair",
    [CHANGE_EVENT] = "other event id",
    [CHANGE_PIPE] = "other pipe",
    [CHANGE_SCOPE] = "other scope",
    [CHANGE_TELL_EARLY] = "notify before payload",
    [CHANGE_TELL_MORE] = "notify one more",
    [CHANGE_TELL_OTHER] = "notify another rank",
    [CHANGE_TELL_HOW] = "set for add",
    [CHANGE_WAIT_MORE] = "wait for one more",
    [CHANGE_WAIT_LESS] = "wait for one less",
};

const char *mutant_change_name(enum change change)
{
    return NAME[change];
}

/* ---- what there is ---- */

static bool is_flag(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_SET_FLAG || insn->op == PTO_OP_WAIT_FLAG;
}

static bool is_cross_flag(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_SET_FLAG_DEV || insn->op == PTO_OP_WAIT_FLAG_DEV;
}

static bool is_wait_for_any(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_TWAIT_ANY2 || insn->op == PTO_OP_TWAIT_ANY3;
}

static bool is_signal_wait(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_TWAIT || insn->op == PTO_OP_TTEST || is_wait_for_any(insn);
}

/* Number of the event, of the cross-core flag, of the value told or waited for (of the first signal
 * of several). */
static unsigned value_index(const struct pto_insn *insn)
{
    switch (insn->op) {
    case PTO_OP_WAIT_FLAG_DEV:
        return 0;
    case PTO_OP_TNOTIFY:
        return 1;
    case PTO_OP_TTEST:
    case PTO_OP_TWAIT_ANY2:
    case PTO_OP_TWAIT_ANY3:
        return 3;
    default:
        return 2;
    }
}

static bool same_scalar(const struct pto_scalar *a, const struct pto_scalar *b)
{
    return a->kind == b->kind && (a->kind == PTO_S_REG ? a->reg == b->reg : a->i == b->i);
}

static bool is_pair(const struct pto_insn *set, const struct pto_insn *wait)
{
    if (set->op == PTO_OP_SET_FLAG)
        return wait->op == PTO_OP_WAIT_FLAG &&
               set->operand[0].value == wait->operand[0].value &&
               set->operand[1].value == wait->operand[1].value &&
               same_scalar(&set->operand[2].scalar, &wait->operand[2].scalar);
    if (set->op == PTO_OP_SET_FLAG_DEV)
        return wait->op == PTO_OP_WAIT_FLAG_DEV &&
               same_scalar(&set->operand[2].scalar, &wait->operand[0].scalar);
    return set->op == PTO_OP_TNOTIFY && wait->op == PTO_OP_TWAIT &&
           set->operand[0].gm.object == wait->operand[0].gm.object;
}

/* The nearest wait for a set, forwards first and then backwards (round a loop); of the own program
 * first, then of the other one. */
static bool find_wait(const struct pto_kernel *kernel, struct mutant *m)
{
    const struct pto_code *code = &kernel->core[m->core].code;
    const struct pto_insn *set = &code->insn[m->pc];
    const struct pto_core_code *partner = &kernel->core[!m->core];

    for (uint32_t i = 1; i < code->insns; i++) {
        m->other = (m->pc + i) % code->insns;
        if (is_pair(set, &code->insn[m->other]))
            return true;
    }
    m->other_core = !m->core;
    for (m->other = 0; partner->present && m->other < partner->code.insns; m->other++)
        if (set->op != PTO_OP_SET_FLAG && is_pair(set, &partner->code.insn[m->other]))
            return true;
    return false;
}

/* First of the barrier and the fence right before a TNOTIFY. */
static uint32_t group_of(const struct pto_code *code, uint32_t pc)
{
    while (pc > 0 && (code->insn[pc - 1].op == PTO_OP_DSB ||
                      code->insn[pc - 1].op == PTO_OP_PIPE_BARRIER))
        pc--;
    return pc;
}

static bool has_both_cores(const struct pto_kernel *kernel)
{
    return kernel->core[PTO_AIC].present && kernel->core[PTO_AIV].present;
}

bool mutant_plan(const struct pto_module *module, enum change change, uint32_t kernel,
                 unsigned core, uint32_t pc, struct mutant *m)
{
    const struct pto_kernel *in = &module->kernel[kernel];
    const struct pto_insn *insn = &in->core[core].code.insn[pc];
    bool notify = insn->op == PTO_OP_TNOTIFY;

    *m = (struct mutant){change, kernel, core, pc, core, pc};
    switch (change) {
    case CHANGE_DROP:
        return pto_op_info(insn->op)->class == PTO_SYNC;
    case CHANGE_DROP_PAIR:
        return find_wait(in, m);
    case CHANGE_EVENT:
        return is_flag(insn) || is_cross_flag(insn);
    case CHANGE_PIPE:
        return is_flag(insn) || insn->op == PTO_OP_PIPE_BARRIER ||
               insn->op == PTO_OP_SET_FLAG_DEV;
    case CHANGE_SCOPE:
        return insn->op == PTO_OP_SYNC_ALL && has_both_cores(in);
    case CHANGE_TELL_EARLY:
        m->other = group_of(&in->core[core].code, pc);
        return notify && m->other < pc;
    case CHANGE_TELL_OTHER:
        return notify && insn->operand[0].gm.rank.kind != PTO_S_NONE;
    case CHANGE_TELL_MORE:
    case CHANGE_TELL_HOW:
        return notify;
    default:
        return is_signal_wait(insn);
    }
}

/* ---- doing it ---- */

/* A program of one's own, with room for a detour and one register. */
static void own_code(struct pto_code *code, struct pto_arena *arena)
{
    struct pto_insn *insn = pto_arena_array(arena, code->insns + DETOUR, sizeof *insn);
    struct pto_register *reg = pto_arena_array(arena, code->regs + 1, sizeof *reg);

    memcpy(insn, code->insn, code->insns * sizeof *insn);
    memcpy(reg, code->reg, code->regs * sizeof *reg);
    code->insn = insn;
    code->reg = reg;
}

static struct pto_insn *own_operands(struct pto_insn *insn, struct pto_arena *arena)
{
    struct pto_operand *operand =
        pto_arena_array(arena, PTO_MAX_OPERANDS, sizeof *operand);

    memcpy(operand, insn->operand, insn->operands * sizeof *operand);
    insn->operand = operand;
    return insn;
}

static struct pto_scalar literal(int64_t value)
{
    return (struct pto_scalar){.kind = PTO_S_INT, .i = value};
}

static struct pto_insn make(struct pto_arena *arena, uint16_t op, uint32_t pos,
                            const struct pto_operand *operand, uint8_t count)
{
    struct pto_insn insn = {.op = op, .operands = count, .pos = pos};

    insn.operand = pto_arena_array(arena, PTO_MAX_OPERANDS, sizeof *insn.operand);
    memcpy(insn.operand, operand, count * sizeof *operand);
    return insn;
}

static struct pto_insn jump(struct pto_arena *arena, uint32_t pos, uint32_t target)
{
    return make(arena, PTO_OP_JUMP, pos,
                &(struct pto_operand){.kind = PTO_O_LABEL, .value = target}, 1);
}

static struct pto_insn compute(struct pto_arena *arena, uint32_t pos, uint16_t op,
                               const struct pto_scalar *d, struct pto_scalar a,
                               struct pto_scalar b)
{
    struct pto_operand operand[3] = {{.kind = PTO_O_SCALAR, .scalar = *d},
                                     {.kind = PTO_O_SCALAR, .scalar = a},
                                     {.kind = PTO_O_SCALAR, .scalar = b}};

    return make(arena, op, pos, operand, 3);
}

/* Send instruction `pc` round by a detour where `value`, one of its own scalars, becomes
 * `value op by`, and that modulo `modulus` if there is one. */
static void recompute(struct pto_code *code, uint32_t pc, struct pto_scalar *value, uint16_t op,
                      struct pto_scalar by, const struct pto_scalar *modulus,
                      struct pto_arena *arena)
{
    struct pto_insn changed = code->insn[pc], end = code->insn[code->insns - 1];
    struct pto_scalar d = {.kind = PTO_S_REG, .reg = (uint16_t)code->regs};
    uint32_t pos = changed.pos, at = code->insns;

    code->reg[code->regs++] = (struct pto_register){"_changed", false};
    code->insn[pc] = jump(arena, pos, at);
    code->insn[at++] = compute(arena, pos, op, &d, *value, by);
    if (modulus)
        code->insn[at++] = compute(arena, pos, PTO_OP_IMOD, &d, d, *modulus);
    *value = d;
    code->insn[at++] = changed;
    code->insn[at++] = jump(arena, pos, pc + 1);
    code->insn[at++] = end;
    code->insns = at;
}

static void drop(struct pto_code *code, uint32_t pc, struct pto_arena *arena)
{
    struct pto_insn *insn = &code->insn[pc];
    struct pto_operand yes[2] = {
        insn->operands ? insn->operand[0] : (struct pto_operand){0},
        {.kind = PTO_O_SCALAR, .scalar = literal(insn->op == PTO_OP_TTEST)}};

    *insn = insn->op == PTO_OP_TTEST || is_wait_for_any(insn)
                ? make(arena, PTO_OP_MOV, insn->pos, yes, 2)
                : jump(arena, insn->pos, pc + 1);
}

/* Divide by zero. */
static void trap(struct pto_code *code, uint32_t pc, struct pto_arena *arena)
{
    struct pto_scalar d = {.kind = PTO_S_REG, .reg = (uint16_t)code->regs};

    code->reg[code->regs++] = (struct pto_register){"_changed", false};
    code->insn[pc] =
        compute(arena, code->insn[pc].pos, PTO_OP_IDIV, &d, literal(1), literal(0));
}

static unsigned other_pipe(const struct pto_profile *profile, unsigned core, unsigned a,
                           unsigned b)
{
    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
        if ((profile->pipes[core] >> p & 1) && p != a && p != b)
            return p;
    return PTO_PIPE_S;
}

static void change_pipe(const struct pto_profile *profile, unsigned core, struct pto_insn *insn)
{
    struct pto_operand *operand = insn->operand;

    if (insn->op == PTO_OP_PIPE_BARRIER)
        operand[0].value = operand[0].value == PTO_PIPE_ALL
                               ? PTO_PIPE_MTE2
                               : other_pipe(profile, core, operand[0].value, PTO_PIPE_ALL);
    else if (insn->op == PTO_OP_SET_FLAG)
        operand[1].value =
            other_pipe(profile, core, operand[0].value, operand[1].value);
    else if (insn->op == PTO_OP_WAIT_FLAG)
        operand[0].value =
            other_pipe(profile, core, operand[0].value, operand[1].value);
    else
        operand[0].value = other_pipe(profile, core, operand[0].value, PTO_PIPE_ALL);
}

static void tell_early(struct pto_code *code, const struct mutant *m)
{
    struct pto_insn moved = code->insn[m->pc];

    memmove(&code->insn[m->other + 1], &code->insn[m->other],
            (m->pc - m->other) * sizeof *code->insn);
    code->insn[m->other] = moved;
}

static void change_value(struct pto_code *code, const struct mutant *m, struct pto_arena *arena)
{
    struct pto_insn *insn = &code->insn[m->pc];
    struct pto_scalar *value = &insn->operand[value_index(insn)].scalar;
    struct pto_scalar ranks = {.kind = PTO_S_SYS, .reg = PTO_SYS_NRANKS};

    switch (m->change) {
    case CHANGE_EVENT: /* the neighbour: 0 and 1, 2 and 3 */
        recompute(code, m->pc, value, PTO_OP_XOR, literal(1), NULL, arena);
        return;
    case CHANGE_TELL_OTHER:
        recompute(code, m->pc, &insn->operand[0].gm.rank, PTO_OP_IADD, literal(1), &ranks, arena);
        return;
    case CHANGE_WAIT_LESS:
        recompute(code, m->pc, value, PTO_OP_ISUB, literal(1), NULL, arena);
        return;
    default:
        recompute(code, m->pc, value, PTO_OP_IADD, literal(1), NULL, arena);
    }
}

void mutant_apply(struct pto_module *module, const struct pto_profile *profile,
                  const struct mutant *m, struct mutant_saved *saved)
{
    struct pto_core_code *core = module->kernel[m->kernel].core;
    struct pto_code *code = &core[m->core].code;
    struct pto_insn *insn;

    *saved = (struct mutant_saved){0};
    for (int kind = 0; kind < PTO_CORE_KINDS; kind++) {
        saved->code[kind] = core[kind].code;
        if (core[kind].present)
            own_code(&core[kind].code, &saved->arena);
    }
    insn = own_operands(&code->insn[m->pc], &saved->arena);
    switch (m->change) {
    case CHANGE_DROP_PAIR:
        drop(&core[m->other_core].code, m->other, &saved->arena);
        drop(code, m->pc, &saved->arena);
        return;
    case CHANGE_DROP:
        drop(code, m->pc, &saved->arena);
        return;
    case CHANGE_PIPE:
        change_pipe(profile, m->core, insn);
        return;
    case CHANGE_SCOPE:
        insn->operand[0].value = insn->operand[0].value == PTO_SYNC_ALL
                                     ? (m->core == PTO_AIC ? PTO_SYNC_AIC : PTO_SYNC_AIV)
                                     : PTO_SYNC_ALL;
        return;
    case CHANGE_TRAP:
        trap(code, m->pc, &saved->arena);
        return;
    case CHANGE_TELL_EARLY:
        tell_early(code, m);
        return;
    case CHANGE_TELL_HOW:
        insn->operand[2].value =
            insn->operand[2].value == PTO_NOTIFY_SET ? PTO_NOTIFY_ADD : PTO_NOTIFY_SET;
        return;
    default:
        change_value(code, m, &saved->arena);
    }
}

void mutant_undo(struct pto_module *module, const struct mutant *m, struct mutant_saved *saved)
{
    for (int kind = 0; kind < PTO_CORE_KINDS; kind++)
        module->kernel[m->kernel].core[kind].code = saved->code[kind];
    pto_arena_free(&saved->arena);
}

bool mutant_is_valid(struct pto_program *program, const struct pto_profile *profile)
{
    struct pto_module module = program->module;
    struct pto_diags diags = {0};
    enum pto_status status = pto_verify(&module, profile, program, &diags);

    pto_diags_free(&diags);
    return status == PTO_OK;
}
