/* What is legal for an instruction beyond the kinds of its operands: memories, element types, pipes
 * and flags of this core on this profile. */
#include "check.h"

#include <inttypes.h>
#include <string.h>

#include "assembly.h"
#include "ring.h"
#include "slots.h"
#include "symbols.h"
#include "fit.h"

static const char *core_name(const struct assembly *a)
{
    return a->core_kind == PTO_AIC ? "aic" : "aiv";
}

/* ---- memories and types ---- */

static bool check_spaces(struct assembly *a, const struct pto_insn *insn,
                         const struct asm_expr *const *expr)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < info->operands; i++) {
        const struct pto_operand_spec *spec = &info->operand[i];
        struct pto_buf list = {0};
        enum pto_space space;

        if (spec->kind != PTO_K_TILE || insn->operand[i].kind != PTO_O_TILE)
            continue;
        space = a->core->tile[insn->operand[i].tile.tile].space;
        if (spec->spaces >> space & 1)
            continue;
        for (unsigned s = 0; s < PTO_SPACE_COUNT; s++)
            if (spec->spaces >> s & 1)
                pto_buf_printf(&list, "%s%s", list.size ? " or " : "", pto_space_name(s));
        asm_error_expr(a, expr[i], "'%s' of %s must lie in %s, '%s' lies in %s", spec->name,
                       info->mnemonic, pto_buf_text(&list), expr[i]->token->text,
                       pto_space_name(space));
        pto_buf_free(&list);
        return false;
    }
    return true;
}

static bool check_types(struct assembly *a, const struct asm_stmt *stmt,
                        const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    uint8_t dtype[PTO_MAX_OPERANDS];
    unsigned count = pto_insn_types(a->kernel, a->core, insn, dtype);
    bool a5 = a->profile->a5;
    bool alike = true;
    struct pto_buf list = {0};

    if (pto_types_match(info, a5, dtype, count))
        return true;
    for (unsigned i = 0; i < count; i++) {
        pto_buf_printf(&list, "%s%s", i ? "," : "", pto_dtype_name(dtype[i]));
        alike = alike && dtype[i] == dtype[0];
    }
    asm_hint(a, asm_error(a, stmt->token, "%s does not take the types %s on profile %s",
                          info->mnemonic, pto_buf_text(&list), a->profile->name),
             "allowed: %s%s%s%s", *info->types || a5 ? info->types : "none",
             a5 && *info->types && *info->types_a5 ? " " : "", a5 ? info->types_a5 : "",
             !a5 && pto_types_match(info, true, dtype, count)
                 ? pto_arena_printf(&a->arena, "; %s needs level a5",
                                    alike ? pto_dtype_name(dtype[0]) : pto_buf_text(&list))
                 : "");
    pto_buf_free(&list);
    return false;
}

static bool check_writes(struct assembly *a, const struct pto_insn *insn,
                         const struct asm_expr *const *expr)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < info->operands; i++) {
        const struct pto_object *object;

        if (insn->operand[i].kind != PTO_O_GM || !(info->operand[i].access & PTO_WRITE))
            continue;
        object = &a->kernel->object[insn->operand[i].gm.object];
        while (object->kind == PTO_OBJ_VIEW && object->base != PTO_NONE)
            object = &a->kernel->object[object->base];
        if (object->kind != PTO_OBJ_IN)
            continue;
        asm_hint(a, asm_error_expr(a, expr[i], "%s would write the input '%s'", info->mnemonic,
                                   object->name),
                 "declare it .inout, or write to an .out or .gm object");
        return false;
    }
    return true;
}

/* ---- pipes ---- */

static bool has_pipe(const struct assembly *a, unsigned pipe)
{
    return pipe == PTO_PIPE_S || a->profile->pipes[a->core_kind] >> pipe & 1;
}

static bool need_pipe(struct assembly *a, const struct asm_token *token, unsigned pipe)
{
    if (has_pipe(a, pipe))
        return true;
    asm_error(a, token, "%s needs the pipe %s, which %s on profile %s does not have", token->text,
              pto_enum_keyword(PTO_ENUM_PIPE, (int)pipe), core_name(a), a->profile->name);
    return false;
}

/* Space of the first operand with this access; PTO_PATH_GM for global memory. */
static unsigned end_of_path(const struct assembly *a, const struct pto_insn *insn,
                            enum pto_access access)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    unsigned i = 0;

    while (!(info->operand[i].access & access))
        i++;
    return insn->operand[i].kind == PTO_O_TILE ? a->core->tile[insn->operand[i].tile.tile].space
                                               : (unsigned)PTO_PATH_GM;
}

static const char *end_name(unsigned end)
{
    return end == PTO_PATH_GM ? "global memory" : pto_space_name(end);
}

/* "l1 leads to l0a, l0b", "ub is reached from global memory" */
static const char *ways(struct assembly *a, unsigned end, bool out)
{
    const char *text = pto_arena_printf(&a->arena, out ? "%s leads to" : "%s is reached from",
                                        end_name(end));
    unsigned count = 0;

    for (unsigned other = 0; other <= PTO_PATH_GM; other++) {
        const struct pto_path *path = &a->profile->path[out ? end : other][out ? other : end];

        if (path->exists && has_pipe(a, path->pipe))
            text = pto_arena_printf(&a->arena, "%s%s %s", text, count++ ? "," : "",
                                    end_name(other));
    }
    return count ? text : pto_arena_printf(&a->arena, "%s nothing", text);
}

static bool check_path(struct assembly *a, const struct asm_stmt *stmt,
                       const struct pto_insn *insn)
{
    unsigned from = end_of_path(a, insn, PTO_READ), to = end_of_path(a, insn, PTO_WRITE);
    const struct pto_path *path = &a->profile->path[from][to];

    if (path->exists)
        return need_pipe(a, stmt->token, path->pipe);
    asm_hint(a, asm_error(a, stmt->token, "profile %s has no way from %s to %s", a->profile->name,
                          end_name(from), end_name(to)),
             "%s; %s", ways(a, from, true), ways(a, to, false));
    return false;
}

static bool check_route(struct assembly *a, const struct asm_stmt *stmt,
                        const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    if (info->class == PTO_MACRO)
        return need_pipe(a, stmt->token, PTO_PIPE_MTE2) && need_pipe(a, stmt->token, PTO_PIPE_MTE3);
    switch (info->route) {
    case PTO_ON_V:
        return need_pipe(a, stmt->token, PTO_PIPE_V);
    case PTO_ON_M:
        return need_pipe(a, stmt->token, PTO_PIPE_M);
    case PTO_ON_MTE2:
        return need_pipe(a, stmt->token, PTO_PIPE_MTE2);
    case PTO_ON_PATH:
        return check_path(a, stmt, insn);
    default:
        return true;
    }
}

/* ---- flags and barriers ---- */

static bool check_pipe_operand(struct assembly *a, const struct asm_expr *x, unsigned pipe)
{
    if (pipe == PTO_PIPE_ALL) {
        asm_error_expr(a, x, "ALL is for pipe_barrier; here one pipe is meant");
        return false;
    }
    if (has_pipe(a, pipe))
        return true;
    asm_error_expr(a, x, "%s on profile %s has no pipe %s", core_name(a), a->profile->name,
                   x->token->text);
    return false;
}

static bool check_literal(struct assembly *a, const struct asm_expr *x,
                          const struct pto_operand *operand, uint32_t limit, const char *what)
{
    if (operand->scalar.kind != PTO_S_INT ||
        (operand->scalar.i >= 0 && operand->scalar.i < limit))
        return true;
    asm_error_expr(a, x, "%s %" PRId64 " does not exist on profile %s: they are 0 to %u", what,
                   operand->scalar.i, a->profile->name, limit - 1);
    return false;
}

/* Is the event free for the program's own use? */
static bool check_slots(struct assembly *a, const struct asm_expr *x,
                        const struct pto_operand *operand)
{
    const struct asm_slots *slots =
        operand[2].scalar.kind == PTO_S_INT
            ? asm_slots_of_flag(a, operand[0].value, operand[1].value, operand[2].scalar.i) : NULL;

    if (!slots)
        return true;
    asm_hint(a, asm_error_expr(a, x, "event %" PRId64 " of these pipes says which slots of %%%s "
                               "are free", operand[2].scalar.i, slots->symbol->name),
             ".take and .give do what is to be done with it; flags N chooses other events for "
             ".slots");
    asm_note(a, slots->directive, "the slots are declared here");
    return false;
}

static bool check_flag(struct assembly *a, const struct asm_stmt *stmt,
                       const struct pto_insn *insn, const struct asm_expr *const *expr)
{
    const struct pto_operand *operand = insn->operand;

    if (!check_pipe_operand(a, expr[0], operand[0].value) ||
        !check_pipe_operand(a, expr[1], operand[1].value))
        return false;
    if (operand[0].value == operand[1].value) {
        asm_hint(a, asm_error_expr(a, expr[1], "%s orders two different pipes",
                                   stmt->token->text),
                 "use pipe_barrier %s to order work inside one pipe", expr[1]->token->text);
        return false;
    }
    return check_literal(a, expr[2], &operand[2], a->profile->events, "event") &&
           check_slots(a, expr[2], operand);
}

static bool check_barrier(struct assembly *a, const struct pto_insn *insn,
                          const struct asm_expr *const *expr)
{
    unsigned pipe = insn->operand[0].value;

    if (pipe == PTO_PIPE_ALL)
        return true;
    if (pipe != PTO_PIPE_S)
        return check_pipe_operand(a, expr[0], pipe);
    asm_hint(a, asm_error_expr(a, expr[0], "the scalar unit has no barrier of its own"),
             "pipe_barrier ALL waits for all pipes, dsb for stores");
    return false;
}

/* Is the flag free for the program's own use? */
static bool check_ring_flag(struct assembly *a, const struct asm_expr *x,
                            const struct pto_operand *operand)
{
    const struct asm_ring *ring = operand->scalar.kind == PTO_S_INT
                                      ? asm_ring_of_flag(a, operand->scalar.i) : NULL;

    if (!ring)
        return true;
    asm_error_expr(a, x, "cross-core flag %" PRId64 " belongs to ring '%s'", operand->scalar.i,
                   ring->token->text);
    asm_note(a, ring->token, "'%s' takes %" PRId64 " and %" PRId64, ring->token->text, ring->flags,
             ring->flags + 1);
    return false;
}

static bool check_cross_flag(struct assembly *a, const struct pto_insn *insn,
                             const struct asm_expr *const *expr)
{
    const struct pto_operand *operand = insn->operand;

    return check_pipe_operand(a, expr[0], operand[0].value) &&
           check_literal(a, expr[1], &operand[1], 3, "cross-core flag mode") &&
           check_literal(a, expr[2], &operand[2], a->profile->cross_flags_user,
                         "cross-core flag") &&
           check_ring_flag(a, expr[2], &operand[2]);
}

static bool check_sync(struct assembly *a, const struct asm_stmt *stmt,
                       const struct pto_insn *insn, const struct asm_expr *const *expr)
{
    switch (insn->op) {
    case PTO_OP_SET_FLAG:
    case PTO_OP_WAIT_FLAG:
        return check_flag(a, stmt, insn, expr);
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
        return check_barrier(a, insn, expr);
    case PTO_OP_SET_FLAG_DEV:
        return check_cross_flag(a, insn, expr);
    case PTO_OP_WAIT_FLAG_DEV:
        return check_literal(a, expr[0], &insn->operand[0], a->profile->cross_flags_user,
                             "cross-core flag") &&
               check_ring_flag(a, expr[0], &insn->operand[0]);
    default:
        return true;
    }
}

/* ---- what operands need of each other ---- */

static bool check_fit(struct assembly *a, const struct asm_stmt *stmt, const struct pto_insn *insn,
                      const struct asm_expr *const *expr)
{
    struct pto_misfit misfit;
    struct pto_diag *diag;
    const char *mnemonic = pto_op_info(insn->op)->mnemonic;

    if (a->section == SECTION_SETUP ||
        pto_operands_fit(a->profile, a->kernel, a->core, insn, &misfit))
        return true;
    diag = expr[misfit.operand]
               ? asm_error_expr(a, expr[misfit.operand], "%s: %s", mnemonic, misfit.text)
               : asm_error(a, stmt->token, "%s: %s", mnemonic, misfit.text);
    if (*misfit.hint)
        asm_hint(a, diag, "%s", misfit.hint);
    return false;
}

bool asm_check(struct assembly *a, const struct asm_stmt *stmt, const struct pto_insn *insn,
               const struct asm_expr *const *expr)
{
    return check_spaces(a, insn, expr) && check_types(a, stmt, insn) &&
           check_writes(a, insn, expr) && check_route(a, stmt, insn) &&
           check_sync(a, stmt, insn, expr) && check_fit(a, stmt, insn, expr);
}
