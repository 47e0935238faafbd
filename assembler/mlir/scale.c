/* `pto.tget_scale_addr`: the scales of a tile of factors lie where the chip looks for them. */
#include <string.h>

#include "mlir/lower.h"

enum { STEPS = 32, ADDRESS_SHIFT = 4 }; /* steps of k with one scale; pto-isa, SHIFT_MX_ADDR */

/* The tile of `ins(..)` or `outs(..)`. */
static struct mlir_value *only_tile(struct mlir_lower *l, struct mlir_node *op, const char *word)
{
    const struct mlir_node *group = mlir_clause(op, word);

    struct mlir_value *tile;
    struct mlir_args args;

    if (!group || group->kind != MLIR_PAREN || !group->first ||
        group->first->kind != MLIR_SSA) {
        mlir_refuse(l, op, group ? group : op, "'%s' lacks '%s(TILE : TYPE)'", op->text, word);
        return NULL;
    }
    if (!mlir_read_args(l, op, group->first, &args))
        return NULL;
    if (args.values != 1) {
        mlir_refuse(l, op, group, "'%s(..)' of '%s' takes one tile", word, op->text);
        return NULL;
    }
    tile = mlir_want(l, op, group->first, MLIR_V_TILE);
    return tile && mlir_check_types(l, op, &args) ? tile : NULL;
}

static bool check_shape(struct mlir_lower *l, struct mlir_node *op, const struct mlir_type *factor,
                        const struct mlir_type *scale)
{
    bool left = factor->space == PTO_L0A;
    int64_t numbers = pto_dtype_numbers((enum pto_dtype)factor->dtype);
    int64_t steps = (left ? factor->valid_cols : factor->valid_rows) * numbers;
    int64_t groups = (steps + STEPS - 1) / STEPS;

    if ((!left && factor->space != PTO_L0B) ||
        scale->space != (left ? PTO_L0A_MX : PTO_L0B_MX)) {
        mlir_refuse(l, op, op, "scales of a left or right tile lie in 'scaling', in boxes of that "
                    "side");
        return false;
    }
    if ((left ? factor->valid_cols : factor->valid_rows) == MLIR_DYNAMIC ||
        (left ? scale->rows == factor->rows && scale->cols == groups
              : scale->cols == factor->cols && scale->rows == groups))
        return true;
    mlir_refuse(l, op, op, "%lld steps of k have %lld scales: this tile has %lld x %lld",
                (long long)steps, (long long)groups, (long long)scale->rows,
                (long long)scale->cols);
    return false;
}

/* Products name their scales here, so that only a tile whose factor has an address gets one. */
static void bind_scales(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_value *factor = only_tile(l, op, "ins");
    struct mlir_value *scale = factor ? only_tile(l, op, "outs") : NULL;
    struct mlir_tile *tile;
    int64_t address;

    if (!scale || !check_shape(l, op, &factor->type, &scale->type))
        return;
    tile = scale->tile.tile;
    if (!factor->tile.tile->placed)
        return;
    address = factor->tile.tile->address >> ADDRESS_SHIFT;
    if (tile->placed && tile->address != address) {
        mlir_refuse(l, op, op, "these scales lie at %lld, and those of this tile are taken from "
                    "%lld, a sixteenth of its address", (long long)tile->address,
                    (long long)address);
        return;
    }
    tile->placed = true;
    tile->address = address;
}

bool mlir_scale_op(struct mlir_lower *l, struct mlir_node *op)
{
    if (strcmp(op->text, "pto.tget_scale_addr") != 0)
        return false;
    if (!l->options->profile->a5)
        mlir_refuse(l, op, op, "'pto.tget_scale_addr' is of a5");
    else
        bind_scales(l, op);
    return true;
}
