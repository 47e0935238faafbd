/* Pipes: does the core have the one that an instruction needs, and do flags and barriers name real
 * ones with ids that exist. */
#include "verify.h"

static bool core_has(const struct verify *v, unsigned pipe)
{
    return pipe < PTO_PIPE_COUNT && (v->profile->pipes[v->core_kind] >> pipe & 1);
}

static void need_pipe(struct verify *v, unsigned pipe)
{
    if (!core_has(v, pipe))
        verify_insn_error(v, "%s has no pipe %s on profile %s", verify_where(v),
                          pto_enum_keyword(PTO_ENUM_PIPE, (int)pipe), v->profile->name);
}

/* The space of the first tile or global operand with this access; -1: none. */
static int end_of_path(const struct verify *v, unsigned access)
{
    const struct pto_op_info *info = pto_op_info(v->insn->op);

    for (unsigned i = 0; i < v->insn->operands; i++) {
        const struct pto_operand *operand = &v->insn->operand[i];

        if (!(info->operand[i].access & access))
            continue;
        if (operand->kind == PTO_O_TILE)
            return v->core->tile[operand->tile.tile].space;
        if (operand->kind == PTO_O_GM)
            return PTO_PATH_GM;
    }
    return -1;
}

static const char *end_name(int end)
{
    return end == PTO_PATH_GM ? "global memory" : pto_space_name((enum pto_space)end);
}

static void check_path(struct verify *v)
{
    int from = end_of_path(v, PTO_READ), to = end_of_path(v, PTO_WRITE);
    const struct pto_path *path;

    if (from < 0 || to < 0)
        return;
    path = &v->profile->path[from][to];
    if (path->exists)
        need_pipe(v, path->pipe);
    else
        verify_insn_error(v, "profile %s has no way from %s to %s", v->profile->name,
                          end_name(from), end_name(to));
}

static void check_route(struct verify *v, const struct pto_op_info *info)
{
    switch (info->route) {
    case PTO_ON_V:
        need_pipe(v, PTO_PIPE_V);
        break;
    case PTO_ON_M:
        need_pipe(v, PTO_PIPE_M);
        break;
    case PTO_ON_MTE2:
        need_pipe(v, PTO_PIPE_MTE2);
        break;
    case PTO_ON_PATH:
        check_path(v);
        break;
    default:
        break;
    }
    if (info->class == PTO_MACRO) {
        need_pipe(v, PTO_PIPE_MTE2);
        need_pipe(v, PTO_PIPE_MTE3);
    }
}

/* A literal id or mode below `limit`; registers are looked at when the instruction runs. */
static void check_id(struct verify *v, const struct pto_scalar *s, uint32_t limit, const char *what)
{
    if (s->kind == PTO_S_INT && (s->i < 0 || s->i >= limit))
        pto_diag_hint(v->diags,
                      verify_insn_error(v, "%s %lld is out of range", what, (long long)s->i),
                      "allowed are 0 to %u", limit - 1);
}

static void check_flag(struct verify *v)
{
    const struct pto_operand *operand = v->insn->operand;
    uint32_t src = operand[0].value, dst = operand[1].value;

    if (src == PTO_PIPE_ALL || dst == PTO_PIPE_ALL) {
        verify_insn_error(v, "a flag goes from one pipe to one other, not ALL");
        return;
    }
    need_pipe(v, src);
    need_pipe(v, dst);
    if (src == dst)
        pto_diag_hint(v->diags, verify_insn_error(v, "source and destination are the same pipe"),
                      "a pipe is ordered with itself by pipe_barrier %s",
                      pto_enum_keyword(PTO_ENUM_PIPE, (int)src));
    check_id(v, &operand[2].scalar, v->profile->events, "event");
}

static void check_cross_flag(struct verify *v)
{
    const struct pto_operand *operand = v->insn->operand;
    bool alone = !v->kernel->core[PTO_AIC].present || !v->kernel->core[PTO_AIV].present;

    if (operand[0].value == PTO_PIPE_ALL)
        verify_insn_error(v, "the flag leaves from one pipe, not ALL");
    else
        need_pipe(v, operand[0].value);
    check_id(v, &operand[1].scalar, 3, "mode");
    check_id(v, &operand[2].scalar, v->profile->cross_flags_user, "id");
    if (alone && operand[1].scalar.kind == PTO_S_INT && operand[1].scalar.i == 2)
        pto_diag_hint(v->diags,
                      verify_insn_error(v, "mode 2 joins cube and vector sub-cores, but the kernel "
                                           "has only one kind"),
                      "use mode 0 or 1, or add the other program");
    if (v->core_kind == PTO_AIC && operand[1].scalar.kind == PTO_S_INT && operand[1].scalar.i == 1)
        verify_insn_error(v, "mode 1 joins the vector sub-cores of a block");
}

static void check_barrier(struct verify *v)
{
    uint32_t pipe = v->insn->operand[0].value;

    if (pipe == PTO_PIPE_S)
        pto_diag_hint(v->diags, verify_insn_error(v, "the scalar unit is always in order"),
                      "leave it out, or name the pipe to wait for");
    else if (pipe != PTO_PIPE_ALL)
        need_pipe(v, pipe);
}

static void check_sync_all(struct verify *v)
{
    uint32_t scope = v->insn->operand[0].value;

    if ((scope == PTO_SYNC_AIV && v->core_kind != PTO_AIV) ||
        (scope == PTO_SYNC_AIC && v->core_kind != PTO_AIC))
        pto_diag_hint(v->diags, verify_insn_error(v, "%s does not take part in this barrier",
                                                  verify_where(v)),
                      "name its own kind, or all");
}

void verify_pipes(struct verify *v)
{
    const struct pto_op_info *info = pto_op_info(v->insn->op);

    switch (v->insn->op) {
    case PTO_OP_SET_FLAG:
    case PTO_OP_WAIT_FLAG:
        check_flag(v);
        break;
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
        check_barrier(v);
        break;
    case PTO_OP_SET_FLAG_DEV:
        check_cross_flag(v);
        break;
    case PTO_OP_WAIT_FLAG_DEV:
        check_id(v, &v->insn->operand[0].scalar, v->profile->cross_flags_user, "id");
        break;
    case PTO_OP_SYNC_ALL:
        check_sync_all(v);
        break;
    default:
        check_route(v, info);
    }
}
