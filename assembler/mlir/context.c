/* Communication contexts, as PyPTO hands them to kernels of several ranks: an argument of i64
 * words (comm_context.h).
 *
 * A kernel reaches another rank by the distance between that rank's window and its own, added to a
 * pointer of its own.  Here each rank has a copy of a symmetric object, so all that such a distance
 * says is whose copy is meant: it is followed through the text and never computed. */
#include <inttypes.h>
#include <string.h>

#include "comm_context.h"
#include "mlir/lower.h"

static const struct mlir_node *argument(const struct mlir_node *op, const char *name)
{
    for (const struct mlir_node *node = op->first; node; node = node->next)
        if (mlir_is(node, MLIR_SSA, name))
            return node;
    return NULL;
}

/* Is the number cut to its low half, or its high half taken, by the operations behind it?  That is
 * how the rank and their number are read, and no element of an array. */
static bool is_halved(const struct mlir_node *load)
{
    if (!load->result)
        return false;
    for (const struct mlir_node *op = load->next; op; op = op->next)
        if (op->kind == MLIR_OP && argument(op, load->result->text))
            return !strcmp(op->text, "arith.trunci") || !strcmp(op->text, "arith.shrui") ||
                   !strcmp(op->text, "arith.shrsi");
    return false;
}

/* What a kernel reads first of its context is the rank; no argument is both that and data. */
static bool is_context(const struct mlir_node *op, struct mlir_object *object,
                       const struct mlir_scalar *index)
{
    if (object->use == MLIR_UNUSED && object->dtype == PTO_I64 && index->is_const &&
        index->i == COMM_RANK && is_halved(op))
        object->use = MLIR_CONTEXT;
    return object->use == MLIR_CONTEXT;
}

/* The operation's result is such a number. */
static void bind_distance(struct mlir_lower *l, struct mlir_node *op,
                          const struct mlir_distance *distance)
{
    struct mlir_distance *kept = pto_arena_alloc(l->arena, sizeof *kept);
    struct mlir_value *value = mlir_value_new(l, MLIR_V_SCALAR);

    *kept = *distance;
    value->type = (struct mlir_type){.kind = MLIR_T_INT, .bits = 64};
    value->scalar = (struct mlir_scalar){.text = "0", .bits = 64, .distance = kept};
    if (!op->result)
        mlir_refuse(l, op, op, "'%s' has one result", op->text);
    else
        mlir_bind(l, op, op->result, value);
}

bool mlir_context_op(struct mlir_lower *l, struct mlir_node *op)
{
    static const char ranks[] = "(rank() | (nranks() << 32))";
    const struct mlir_node *at = op->first->next;
    const struct mlir_value *base = mlir_bound(l, op->first->text);
    struct mlir_scalar index;

    if (!base || base->kind != MLIR_V_PTR || base->ptr.object->dtype != PTO_I64 || !op->result ||
        !at || at->kind != MLIR_SQUARE || !at->first || at->first->next ||
        !mlir_integer(l, op, at->first, &index))
        return op->broken;
    index = mlir_sum(l, &base->ptr.offset, &index);
    if (!is_context(op, base->ptr.object, &index))
        return false;
    if (index.is_const && index.i == COMM_RANK) {
        struct mlir_scalar value = {.text = ranks, .setup = ranks, .bits = 64};

        mlir_assign(l, op, &value);
    } else if (index.is_const && index.i < COMM_WINDOWS) {
        mlir_refuse(l, op, at, "word %" PRId64 " of a communication context is not taken: %d has "
                    "the rank, those from %d on the windows", index.i, COMM_RANK, COMM_WINDOWS);
    } else {
        bind_distance(l, op, &(struct mlir_distance){.ranks = index, .unit = 1});
    }
    return true;
}

/* ---- distances ---- */

const struct mlir_distance *mlir_distance_at(struct mlir_lower *l, const struct mlir_node *node)
{
    const struct mlir_value *value = node && node->kind == MLIR_SSA ? mlir_bound(l, node->text)
                                                                    : NULL;

    return value && value->kind == MLIR_V_SCALAR ? value->scalar.distance : NULL;
}

void mlir_refuse_distance(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node)
{
    struct pto_diag *diag = mlir_refuse(l, op, node, "an address of a window is no number here");

    if (diag)
        pto_diag_hint(l->tree->diags, diag, "a pointer to another rank is made of its window, less "
                      "the own one (arith.subi), divided by the bytes of an element (arith.divsi)");
}

/* `a - b` of two windows, `a / bytes`; false after an error. */
static bool compute(struct mlir_lower *l, struct mlir_node *op, const struct mlir_args *args,
                    struct mlir_distance *result)
{
    const struct mlir_distance *other = mlir_distance_at(l, args->value[1]);
    struct mlir_scalar bytes;

    if (!strcmp(op->text, "arith.subi") && other && !other->is_difference &&
        !result->is_difference) {
        result->ranks = result->ranks.is_const && other->ranks.is_const
                            ? mlir_int(l, result->ranks.i - other->ranks.i)
                            : mlir_join(l, "(@ - #)", &result->ranks, &other->ranks);
        result->is_difference = true;
        return true;
    }
    if (other || strcmp(op->text, "arith.divsi") != 0) {
        mlir_refuse_distance(l, op, args->value[other != NULL]);
        return false;
    }
    if (!mlir_integer(l, op, args->value[1], &bytes))
        return false;
    if (!result->is_difference || result->unit != 1 || !bytes.is_const || bytes.i < 1) {
        mlir_refuse_distance(l, op, args->value[0]);
        return false;
    }
    result->unit = bytes.i;
    return true;
}

bool mlir_distance_op(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_distance *first = mlir_distance_at(l, op->first);
    bool is_cast = !strcmp(op->text, "arith.index_cast");
    struct mlir_distance result;
    struct mlir_args args;

    if (!first || (!is_cast && strncmp(op->text, "arith.", 6) != 0))
        return false;
    result = *first;
    if (!is_cast) {
        if (!mlir_read_args(l, op, op->first, &args))
            return true;
        if (args.values != 2) {
            mlir_refuse_distance(l, op, op->first);
            return true;
        }
        if (!compute(l, op, &args, &result))
            return true;
    }
    bind_distance(l, op, &result);
    return true;
}

bool mlir_move_to_rank(struct mlir_lower *l, struct mlir_node *op,
                       const struct mlir_distance *distance, enum pto_dtype dtype,
                       struct mlir_ptr *ptr)
{
    int64_t size = (int64_t)pto_dtype_size(dtype);

    if (!distance->is_difference) {
        mlir_refuse_distance(l, op, op->first->next->next);
        return false;
    }
    if (distance->unit != size) {
        mlir_refuse(l, op, op, "the distance between two windows was divided by %" PRId64
                    ", an element of this pointer has %" PRId64 " bytes", distance->unit, size);
        return false;
    }
    if (!mlir_use_object(l, op, ptr->object, MLIR_SHARED))
        return false;
    ptr->rank = pto_arena_printf(l->arena, "(%s + %s)", ptr->rank ? ptr->rank : "rank()",
                                 distance->ranks.text);
    return true;
}
