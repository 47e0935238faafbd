/* Single elements of tiles: `pto.tgetval`, `pto.tsetval`. */
#include <inttypes.h>
#include <string.h>

#include "mlir/lower.h"

/* `name ins(..) outs(..)`: the values of one group. */
static bool read_values(struct mlir_lower *l, struct mlir_node *op, const char *word,
                        unsigned count, struct mlir_args *args)
{
    const struct mlir_node *group = mlir_clause(op, word);

    if (group && group->kind == MLIR_PAREN) {
        if (!mlir_read_args(l, op, group->first, args))
            return false;
        if (args->values == count)
            return mlir_check_types(l, op, args);
    }
    mlir_refuse(l, op, group ? group : op, "'%s' wants %s in '%s(..)'", op->text,
                count == 1                          ? "a tile"
                : !strcmp(op->text, "pto.tgetval") ? "a tile and an index"
                                                   : "an index and a number", word);
    return false;
}

/* An element by its number in the tile's bytes, as upstream counts: row by row, in dn column by
 * column, each as long as the tile's. */
static const char *place_of(struct mlir_lower *l, struct mlir_node *op,
                            const struct mlir_node *name, const struct mlir_node *number,
                            const struct mlir_value **tile)
{
    struct mlir_value *value = mlir_want(l, op, name, MLIR_V_TILE);
    struct mlir_scalar at;
    const char *line, *step, *slot;
    int64_t length;

    if (!value || !mlir_integer(l, op, number, &at))
        return NULL;
    if (value->type.layout_by_space ||
        (value->type.layout != PTO_ND && value->type.layout != PTO_DN) || value->tile.byte ||
        value->tile.tile->pitch) {
        mlir_refuse(l, op, name, "elements are taken of tiles in rows or columns, not in fractals, "
                    "and of whole ones");
        return NULL;
    }
    length = value->type.layout == PTO_ND ? value->type.cols : value->type.rows;
    line = at.is_const && at.i >= 0 ? pto_arena_printf(l->arena, "%" PRId64, at.i / length)
                                    : pto_arena_printf(l->arena, "%s / %" PRId64, at.text, length);
    step = at.is_const && at.i >= 0
               ? pto_arena_printf(l->arena, "%" PRId64, at.i % length)
               : pto_arena_printf(l->arena, "mod(%s, %" PRId64 ")", at.text, length);
    slot = value->tile.slot ? pto_arena_printf(l->arena, "[%s]", value->tile.slot) : "";
    value->tile.tile->used = true;
    if (value->tile.tile->of)
        value->tile.tile->of->used = true;
    *tile = value;
    return pto_arena_printf(l->arena, "%s%s(%s, %s)", value->tile.tile->name, slot,
                            value->type.layout == PTO_ND ? line : step,
                            value->type.layout == PTO_ND ? step : line);
}

/* `%x = pto.tgetval ins(%t, %i : T, index) outs : f32` */
static void get(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_value *tile;
    const char *place;
    struct mlir_args args;
    struct mlir_scalar value;

    if (!read_values(l, op, "ins", 2, &args))
        return;
    place = place_of(l, op, args.value[0], args.value[1], &tile);
    if (!place)
        return;
    value = mlir_loaded(l, place, (enum pto_dtype)tile->type.dtype);
    mlir_assign(l, op, &value);
}

/* `pto.tsetval ins(%i, %x : index, f32) outs(%t : T)` */
static void set(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_value *tile;
    const char *place;
    struct mlir_args in, out;
    struct mlir_scalar value;
    enum pto_dtype dtype;

    if (!read_values(l, op, "ins", 2, &in) || !read_values(l, op, "outs", 1, &out))
        return;
    place = place_of(l, op, out.value[0], in.value[0], &tile);
    if (!place || !mlir_number(l, op, in.value[1], &value))
        return;
    dtype = (enum pto_dtype)tile->type.dtype;
    if (mlir_is_of(&value, dtype))
        mlir_line(&l->code, op, "st %s, %s", place, value.text);
    else
        mlir_refuse(l, op, in.value[1], "the elements of the tile are %s, this is another type",
                    mlir_element_name(dtype));
}

bool mlir_cell_op(struct mlir_lower *l, struct mlir_node *op)
{
    if (!strcmp(op->text, "pto.tgetval"))
        get(l, op);
    else if (!strcmp(op->text, "pto.tsetval"))
        set(l, op);
    else
        return false;
    return true;
}
