/* What an instruction needs of its core and profile: element types, pipes, flags. */
#include <stdio.h>
#include <string.h>

#include "core_name.h"
#include "fit.h"

/* ---- element types --------------------------------------------------------------------------- */

/* "f32,f16" */
static void list_types(char *text, size_t room, const uint8_t *dtype, unsigned count)
{
    size_t length = 0;

    *text = 0;
    for (unsigned i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, room - length, "%s%s", i ? "," : "",
                                   pto_dtype_name(dtype[i]));
}

/* All the same: one name for all of them. */
static bool alike(const uint8_t *dtype, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (dtype[i] != dtype[0])
            return false;
    return true;
}

/* The operand whose type the instruction gave as number `n`. */
static unsigned operand_of_type(const struct check *c, unsigned n)
{
    for (unsigned i = 0; i < c->site->insn->operands; i++) {
        unsigned kind = c->site->insn->operand[i].kind;

        if (c->info->operand[i].access & PTO_SCRATCH || (kind != PTO_O_TILE && kind != PTO_O_GM))
            continue;
        if (n-- == 0)
            return i;
    }
    return PTO_WHOLE_INSN;
}

/* The only operand that would have to be of another type, PTO_WHOLE_INSN if there are none or
 * several. */
static unsigned odd_type(const struct check *c, const uint8_t *dtype, unsigned count)
{
    unsigned odd = PTO_WHOLE_INSN;

    for (unsigned i = 0; i < count; i++) {
        uint8_t other[PTO_MAX_OPERANDS];
        bool mends = false;

        memcpy(other, dtype, count * sizeof *other);
        for (unsigned type = 0; type < PTO_DTYPE_COUNT && !mends; type++) {
            other[i] = (uint8_t)type;
            mends = pto_types_match(c->info, c->site->profile->a5, other, count);
        }
        if (mends && odd != PTO_WHOLE_INSN)
            return PTO_WHOLE_INSN;
        if (mends)
            odd = operand_of_type(c, i);
    }
    return odd;
}

static bool check_types(const struct check *c)
{
    const struct pto_op_info *info = c->info;
    const struct pto_site *site = c->site;
    bool a5 = site->profile->a5;
    uint8_t dtype[PTO_MAX_OPERANDS];
    unsigned count = pto_insn_types(site->kernel, site->core, site->insn, dtype);
    char given[96];
    unsigned odd;

    if (pto_types_match(info, a5, dtype, count))
        return true;
    list_types(given, sizeof given, dtype, count);
    odd = count > 2 ? odd_type(c, dtype, count) : PTO_WHOLE_INSN;
    if (odd == PTO_WHOLE_INSN)
        misfit_about(c, PTO_WHOLE_INSN, NULL, "does not take the types %s on profile %s", given,
                     site->profile->name);
    else
        misfit_about(c, odd, NULL, "types %s on profile %s: that of %s does not go with the others",
                     given, site->profile->name, misfit_name(c, odd));
    if (!a5 && pto_types_match(info, true, dtype, count))
        return misfit_hint(c->misfit, "allowed: %s; %s needs level a5",
                           *info->types ? info->types : "none",
                           alike(dtype, count) ? pto_dtype_name(dtype[0]) : given);
    return misfit_hint(c->misfit, "allowed: %s%s%s", *info->types || a5 ? info->types : "none",
                       a5 && *info->types && *info->types_a5 ? " " : "", a5 ? info->types_a5 : "");
}

/* ---- pipes ----------------------------------------------------------------------------------- */

static bool has_pipe(const struct pto_site *site, unsigned pipe)
{
    return pipe < PTO_PIPE_COUNT && site->profile->pipes[site->core_kind] >> pipe & 1;
}

static bool need_pipe(const struct check *c, unsigned pipe)
{
    return has_pipe(c->site, pipe) ||
           misfit_about(c, PTO_WHOLE_INSN, NULL,
                        "needs the pipe %s, which %s on profile %s does not have",
                        pto_queue_name(pipe), pto_core_names[c->site->core_kind],
                        c->site->profile->name);
}

/* The space of the first tile or global operand with this access; PTO_PATH_GM for global memory;
 * -1: none. */
static int end_of_path(const struct check *c, unsigned access)
{
    for (unsigned i = 0; i < c->site->insn->operands; i++) {
        const struct pto_operand *operand = &c->site->insn->operand[i];

        if (!(c->info->operand[i].access & access))
            continue;
        if (operand->kind == PTO_O_TILE)
            return c->site->core->tile[operand->tile.tile].space;
        if (operand->kind == PTO_O_GM)
            return PTO_PATH_GM;
    }
    return -1;
}

static const char *end_name(int end)
{
    return end == PTO_PATH_GM ? "global memory" : pto_space_name((enum pto_space)end);
}

/* "l1 leads to l0a, l0b", "ub is reached from global memory" */
static void list_ways(const struct pto_site *site, int end, bool out, char *text, size_t room)
{
    size_t length = (size_t)snprintf(text, room, out ? "%s leads to" : "%s is reached from",
                                     end_name(end));
    unsigned count = 0;

    for (int other = 0; other <= PTO_PATH_GM; other++) {
        const struct pto_path *path = &site->profile->path[out ? end : other][out ? other : end];

        if (path->exists && has_pipe(site, path->pipe))
            length += (size_t)snprintf(text + length, room - length, "%s %s", count++ ? "," : "",
                                       end_name(other));
    }
    if (!count)
        snprintf(text + length, room - length, " nothing");
}

static bool check_path(const struct check *c)
{
    int from = end_of_path(c, PTO_READ), to = end_of_path(c, PTO_WRITE);
    char leads[120], reached[120];

    if (from < 0 || to < 0)
        return true;
    if (c->site->profile->path[from][to].exists)
        return need_pipe(c, c->site->profile->path[from][to].pipe);
    misfit_about(c, PTO_WHOLE_INSN, NULL, "finds no way from %s to %s on profile %s",
                 end_name(from), end_name(to), c->site->profile->name);
    list_ways(c->site, from, true, leads, sizeof leads);
    list_ways(c->site, to, false, reached, sizeof reached);
    return misfit_hint(c->misfit, "%s; %s", leads, reached);
}

static bool check_route(const struct check *c)
{
    if (c->info->class == PTO_MACRO)
        return need_pipe(c, PTO_PIPE_MTE2) && need_pipe(c, PTO_PIPE_MTE3);
    switch (c->info->route) {
    case PTO_ON_V:
        return need_pipe(c, PTO_PIPE_V);
    case PTO_ON_M:
        return need_pipe(c, PTO_PIPE_M);
    case PTO_ON_MTE2:
        return need_pipe(c, PTO_PIPE_MTE2);
    case PTO_ON_PATH:
        return check_path(c);
    default:
        return true;
    }
}

/* ---- flags and barriers ---------------------------------------------------------------------- */

/* One pipe, named by an operand. */
static bool check_pipe(const struct check *c, unsigned operand)
{
    unsigned pipe = c->site->insn->operand[operand].value;

    if (pipe == PTO_PIPE_ALL)
        return misfit_about(c, operand, NULL, "ALL is for pipe_barrier; here one pipe is meant");
    return has_pipe(c->site, pipe) ||
           misfit_about(c, operand, NULL, "%s on profile %s has no pipe %s",
                        pto_core_names[c->site->core_kind], c->site->profile->name,
                        pto_queue_name(pipe));
}

/* A literal id or mode below `limit`; registers are looked at when the instruction runs. */
static bool check_id(const struct check *c, unsigned operand, uint32_t limit, const char *what)
{
    const struct pto_scalar *s = &c->site->insn->operand[operand].scalar;

    return s->kind != PTO_S_INT || (s->i >= 0 && s->i < limit) ||
           misfit_about(c, operand, NULL, "%s %lld does not exist on profile %s: they are 0 to %u",
                        what, (long long)s->i, c->site->profile->name, limit - 1);
}

static bool check_flag(const struct check *c)
{
    enum { FROM, TO, EVENT }; /* operands */
    unsigned from = c->site->insn->operand[FROM].value, to = c->site->insn->operand[TO].value;

    if (!check_pipe(c, FROM) || !check_pipe(c, TO))
        return false;
    if (from != to)
        return check_id(c, EVENT, c->site->profile->events, "event");
    misfit_about(c, TO, NULL, "a flag orders two different pipes");
    return misfit_hint(c->misfit, "use pipe_barrier %s to order work inside one pipe",
                       pto_queue_name(from));
}

static bool check_cross_flag(const struct check *c)
{
    enum { PIPE, MODE, ID, MODES = 3, VECTORS = 1 }; /* operands, modes */
    const struct pto_scalar *mode = &c->site->insn->operand[MODE].scalar;

    if (!check_pipe(c, PIPE) || !check_id(c, MODE, MODES, "cross-core flag mode") ||
        !check_id(c, ID, c->site->profile->cross_flags_user, "cross-core flag"))
        return false;
    return c->site->core_kind != PTO_AIC || mode->kind != PTO_S_INT || mode->i != VECTORS ||
           misfit_about(c, MODE, NULL, "mode 1 joins the vector sub-cores of a block");
}

/* The cube names both vector sub-cores, the second one by ids from 16 on. */
static bool check_intra_block(const struct check *c)
{
    enum { PIPE, ID }; /* operands */
    bool both = c->site->core_kind == PTO_AIC && c->site->kernel->vectors_per_block > 1;

    if (!c->site->profile->a5)
        return misfit_about(c, PTO_WHOLE_INSN, "set_flag_dev and wait_flag_dev are on all profiles",
                            "needs level a5, which profile %s is not of", c->site->profile->name);
    return check_pipe(c, PIPE) &&
           check_id(c, ID, both ? 2 * PTO_INTRA_BLOCK_FLAGS : PTO_INTRA_BLOCK_FLAGS,
                    "intra-block flag");
}

static bool check_barrier(const struct check *c)
{
    unsigned pipe = c->site->insn->operand[0].value;

    if (pipe == PTO_PIPE_S)
        return misfit_about(c, 0, "pipe_barrier ALL waits for all pipes, dsb for stores",
                            "the scalar unit has no barrier of its own");
    return pipe == PTO_PIPE_ALL || check_pipe(c, 0);
}

static bool check_sync_all(const struct check *c)
{
    static const int own[PTO_CORE_KINDS] = {[PTO_AIC] = PTO_SYNC_AIC, [PTO_AIV] = PTO_SYNC_AIV};
    int scope = (int)c->site->insn->operand[0].value;
    enum pto_core_kind kind = c->site->core_kind;

    return scope == own[kind] || (scope != PTO_SYNC_AIC && scope != PTO_SYNC_AIV) ||
           misfit_about(c, 0, "name its own kind, or all", "%s does not take part in this barrier",
                        pto_core_names[kind]);
}

static bool check_sync(const struct check *c)
{
    switch (c->site->insn->op) {
    case PTO_OP_SET_FLAG:
    case PTO_OP_WAIT_FLAG:
        return check_flag(c);
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
        return check_barrier(c);
    case PTO_OP_SET_FLAG_DEV:
        return check_cross_flag(c);
    case PTO_OP_WAIT_FLAG_DEV:
        return check_id(c, 0, c->site->profile->cross_flags_user, "cross-core flag");
    case PTO_OP_SET_INTRA_BLOCK:
    case PTO_OP_WAIT_INTRA_BLOCK:
        return check_intra_block(c);
    case PTO_OP_SYNC_ALL:
        return check_sync_all(c);
    default:
        return true;
    }
}

bool pto_insn_fits(const struct pto_site *site, struct pto_misfit *misfit)
{
    struct check c;

    misfit_begin(&c, site, misfit);
    return check_types(&c) && check_route(&c) && check_sync(&c);
}

void pto_misfit_print(const struct pto_misfit *misfit, const char *mnemonic, struct pto_buf *out)
{
    pto_buf_printf(out, misfit->operand == PTO_WHOLE_INSN ? "%s %s" : "%s: %s", mnemonic,
                   misfit->text);
}
