/* `pto.subview`: a window of a tile becomes a tile that views it, with its pitch. */
#include <string.h>

#include "mlir/lower.h"

enum { ROWS, COLS, SIDES };

/* `[a, b]`, behind a word or by itself. */
static bool read_pair(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *list,
                      struct mlir_scalar *pair)
{
    struct mlir_args args;

    if (!list || list->kind != MLIR_SQUARE) {
        mlir_refuse(l, op, op, "'%%WINDOW = pto.subview TILE[ROW, COLUMN] sizes [ROWS, COLUMNS] : "
                    "TYPE -> TYPE' was expected");
        return false;
    }
    if (!mlir_read_args(l, op, list->first, &args))
        return false;
    if (args.values != SIDES) {
        mlir_refuse(l, op, list, "a tile has two dimensions");
        return false;
    }
    return mlir_integer(l, op, args.value[ROWS], &pair[ROWS]) &&
           mlir_integer(l, op, args.value[COLS], &pair[COLS]);
}

static bool read_type(struct mlir_lower *l, struct mlir_node *op, struct mlir_type *type)
{
    const struct mlir_node *at = mlir_behind_arrow(op);

    if (at)
        return mlir_read_type(l, op, &at, type);
    mlir_refuse(l, op, op, "'pto.subview' lacks '-> TYPE'");
    return false;
}

/* What of the tile is a window, as the type says and as the sizes do. */
static bool check_window(struct mlir_lower *l, struct mlir_node *op, const struct mlir_value *from,
                         const struct mlir_type *type, const struct mlir_scalar *size)
{
    const struct mlir_type *whole = &from->type;

    if (type->kind != MLIR_T_TILE || type->space != whole->space || type->dtype != whole->dtype ||
        (type->layout != whole->layout && !type->layout_by_space) || from->tile.slot) {
        mlir_refuse(l, op, op, "a window has the memory, the element type and the layout of its "
                    "tile");
        return false;
    }
    if (size[ROWS].is_const && size[COLS].is_const && size[ROWS].i == type->rows &&
        size[COLS].i == type->cols)
        return true;
    mlir_refuse(l, op, op, "the sizes of a window are constant, and those of its type");
    return false;
}

/* Does it begin at a fractal, as far as that is known? */
static bool check_corner(struct mlir_lower *l, struct mlir_node *op,
                         const struct mlir_scalar *offset, const unsigned *box)
{
    for (unsigned i = 0; i < SIDES; i++)
        if (offset[i].is_const && offset[i].i % box[i]) {
            mlir_refuse(l, op, op, "a window of fractals begins at one: these are %u x %u elements",
                        box[ROWS], box[COLS]);
            return false;
        }
    return true;
}

/* Where it begins in the tile that has the bytes: lines of fractals are as long as `pitch`, and
 * each of their steps is as high as a fractal (of nd and dn: one element). */
static const char *first_byte(struct mlir_lower *l, struct mlir_node *op,
                              const struct mlir_value *from, const struct mlir_scalar *offset,
                              int64_t pitch, bool by_cols, const unsigned *box)
{
    int64_t size = pto_dtype_size((enum pto_dtype)from->type.dtype);
    int64_t step = by_cols ? box[COLS] : box[ROWS];
    struct mlir_scalar row = mlir_times(l, &offset[ROWS], (by_cols ? step : pitch) * size);
    struct mlir_scalar col = mlir_times(l, &offset[COLS], (by_cols ? pitch : step) * size);
    struct mlir_scalar byte = mlir_sum(l, &row, &col);
    const char *name;

    if (byte.is_const && byte.i == 0)
        return from->tile.byte;
    if (from->tile.byte) {
        struct mlir_scalar before = {.text = from->tile.byte, .bits = 64};

        byte = mlir_sum(l, &before, &byte);
    }
    if (byte.is_const)
        return byte.text;
    name = pto_arena_printf(l->arena, "%%%s", mlir_fresh(l, "window"));
    mlir_line(&l->code, op, "%s = %s", name, byte.text);
    return name;
}

void mlir_subview(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_value *from, *value = mlir_value_new(l, MLIR_V_TILE);
    struct mlir_scalar offset[SIDES], size[SIDES], valid[SIDES];
    const struct mlir_node *shown = mlir_clause(op, "valid");
    enum pto_layout layout;
    bool by_cols;
    int64_t pitch, line;
    unsigned box[SIDES];

    if (!op->first || !op->result || op->first->kind != MLIR_SSA) {
        mlir_refuse(l, op, op, "'%%WINDOW = pto.subview TILE[..] ..' was expected");
        return;
    }
    from = mlir_want(l, op, op->first, MLIR_V_TILE);
    if (!from || !read_pair(l, op, op->first->next, offset) ||
        !read_pair(l, op, mlir_clause(op, "sizes"), size) || !read_type(l, op, &value->type) ||
        !check_window(l, op, from, &value->type, size))
        return;
    valid[ROWS] = mlir_int(l, value->type.valid_rows < 0 ? value->type.rows
                                                         : value->type.valid_rows);
    valid[COLS] = mlir_int(l, value->type.valid_cols < 0 ? value->type.cols
                                                         : value->type.valid_cols);
    if (shown && !read_pair(l, op, shown, valid))
        return;
    layout = value->type.layout_by_space
                 ? pto_profile_layout(l->options->profile, value->type.space)
                 : (enum pto_layout)value->type.layout;
    by_cols = pto_layouts[layout].columns_first;
    pto_fractal(layout, (enum pto_space)value->type.space,
                pto_dtype_size((enum pto_dtype)value->type.dtype), &box[ROWS], &box[COLS]);
    if (!check_corner(l, op, offset, box))
        return;
    line = by_cols ? value->type.rows : value->type.cols;
    pitch = from->tile.tile->pitch ? from->tile.tile->pitch
                                   : (by_cols ? from->type.rows : from->type.cols);
    value->tile.tile = mlir_tile_new(l, op->result->text, &value->type, op);
    value->tile.tile->of = from->tile.tile->of ? from->tile.tile->of : from->tile.tile;
    value->tile.tile->pitch = pitch == line ? 0 : pitch;
    value->tile.byte = first_byte(l, op, from, offset, pitch, by_cols, box);
    value->tile.rows = valid[ROWS];
    value->tile.cols = valid[COLS];
    mlir_bind(l, op, op->result, value);
}
