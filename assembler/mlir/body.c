/* The operations of a region, one after another. */
#include <string.h>

#include "mlir/carry.h"

static bool is_nothing(const struct mlir_node *op)
{
    static const char *const name[] = {"return", "func.return", "scf.yield", "scf.condition",
                                       "pto.tfree_from_aic", "pto.tfree_from_aiv"};

    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(op->text, name[i]))
            return true;
    return false;
}

/* Files in forms that are not taken are told by one of their operations. */
static const char *other_form(const char *name)
{
    static const char *const vector[] = {
        "pto.vecscope", "pto.strict_vecscope", "pto.castptr", "pto.mte_gm_ub", "pto.mte_ub_gm",
        "pto.vlds", "pto.vsts", "pto.plt_b32", "pto.pset_b32", "pto.tile_buf_addr",
    };

    for (unsigned i = 0; i < sizeof vector / sizeof *vector; i++)
        if (!strcmp(name, vector[i]))
            return "files with vector registers or micro-operations (VPTO) are not taken";
    if (!strncmp(name, "memref.", 7) || !strcmp(name, "pto.pointer_cast") ||
        !strcmp(name, "pto.bind_tile"))
        return "this is upstream's internal form after its passes, which is not taken";
    if (strlen(name) > 4 && !strcmp(name + strlen(name) - 4, "_dps"))
        return "this is a legacy form, which is not taken";
    if (!strncmp(name, "cf.", 3))
        return "blocks that branch to each other (cf) are not taken: loops and choices are "
               "scf.for, scf.while and scf.if";
    return NULL;
}

void mlir_unknown(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *name)
{
    static const char *const known[] = {
#define MLIR_INTEGER(name, ...) name,
#define MLIR_REAL(name, ...) name,
#define MLIR_OP(name, ...) name,
#include "mlir/mlir_ops.def"
#undef MLIR_OP
#undef MLIR_REAL
#undef MLIR_INTEGER
        "pto.make_tensor_view", "pto.partition_view", "pto.alloc_tile", "pto.tload", "pto.tstore",
        "pto.set_flag", "pto.wait_flag", "scf.for", "scf.if", "scf.while", "arith.constant"};
    const char *word = strchr(name->text, '.') ? name->text
                                               : pto_arena_printf(l->arena, "pto.%s", name->text);
    const char *nearest = pto_nearest(word, known, sizeof known / sizeof *known);
    struct pto_diag *diag = mlir_refuse(l, op, name, "the operation '%s' is not taken", name->text);

    if (diag && (!strncmp(name->text, "math.", 5) || !strcmp(name->text, "arith.remf")))
        pto_diag_hint(l->tree->diags, diag, "such functions are computed in tiles (pto.texp, "
                      "pto.tlog, pto.tfmods, ..) or before the kernel, which gets numbers as "
                      "arguments");
    else if (diag && nearest)
        pto_diag_hint(l->tree->diags, diag, "did you mean '%s'?", nearest);
}

void mlir_operation(struct mlir_lower *l, struct mlir_node *op)
{
    const char *other = other_form(op->text);

    if (op->broken) {
        mlir_break(l, op);
        return;
    }
    if (other)
        mlir_refuse(l, op, op, "%s", other);
    else if (!is_nothing(op) && !mlir_flow_op(l, op) && !mlir_select_op(l, op) &&
             !mlir_chosen_op(l, op) && !mlir_distance_op(l, op) && !mlir_scalar_op(l, op) &&
             !mlir_affine_op(l, op) && !mlir_view_op(l, op) && !mlir_access_op(l, op) &&
             !mlir_tile_op(l, op) && !mlir_scale_op(l, op) && !mlir_cell_op(l, op) &&
             !mlir_array_op(l, op) && !mlir_table_access_op(l, op) && !mlir_flag_op(l, op) &&
             !mlir_comm_op(l, op) && !mlir_ring_op(l, op) && !mlir_table_op(l, op))
        mlir_unknown(l, op, op);
    mlir_check_form(l, op);
    if (op->broken)
        mlir_break(l, op);
}

static bool ends_region(const struct mlir_node *op)
{
    return !strcmp(op->text, "scf.yield") || !strcmp(op->text, "return") ||
           !strcmp(op->text, "func.return") || !strcmp(op->text, "scf.condition");
}

/* What a region hands on: the values behind its last operation. */
static void take_results(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *node = op->first;

    l->results = 0;
    if (node && node->kind == MLIR_PAREN)
        node = node->next;
    for (; node && !mlir_is(node, MLIR_SIGN, ":"); node = node->next)
        if (node->kind == MLIR_SSA && l->results < MLIR_CARRIED) {
            struct mlir_value *value = mlir_find(l, op, node);

            l->result[l->results++] = value ? value : mlir_value_new(l, MLIR_V_BROKEN);
        }
}

void mlir_body(struct mlir_lower *l, const struct mlir_node *region)
{
    bool ended = false;

    l->results = 0;
    for (struct mlir_node *op = region->first; op; op = op->next) {
        if (op->kind == MLIR_OP && l->calls &&
            !mlir_may_follow(l, op, &l->functions->brought_in))
            return;
        if (op->kind != MLIR_OP)
            continue;
        l->lowered++;
        l->arms = 0;
        mlir_operation(l, op);
        if (!ended)
            l->results = 0; /* of a region inside of the operation, which has taken them */
        if (!ends_region(op))
            continue;
        ended = true;
        take_results(l, op);
        if (op->next)
            mlir_refuse(l, op, op->next, "nothing stands behind '%s', which ends its region",
                        op->text);
    }
}
