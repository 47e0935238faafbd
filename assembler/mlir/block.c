/* Transfers of windows of more than two dimensions: the tile has their matrices, of the last two
 * dimensions, below each other, in dn beside each other.  Each is a transfer of its own. */
#include <inttypes.h>
#include <string.h>

#include "mlir/lower.h"

struct blocks {
    const struct mlir_part *part;
    struct mlir_value *tile;  /* all of them, */
    struct mlir_value block;  /* and one */
    bool by_cols;             /* dn */
    bool in_loop[MLIR_MAX_RANK];
    struct mlir_scalar rows, cols; /* of a block */
    int64_t bytes;                 /* from one to the next */
};

/* The dimensions that are gone through, one number after another, and what is left of the last two.
 * A side of blocks that only the run knows is gone through, too: a tile has a shape. */
static bool find_loops(struct mlir_lower *l, struct mlir_node *op, struct blocks *b)
{
    const struct mlir_type *type = &b->tile->type;
    unsigned rank = b->part->view->rank, along;
    enum pto_layout layout = type->layout_by_space
                                 ? pto_profile_layout(l->options->profile, type->space)
                                 : (enum pto_layout)type->layout;
    struct mlir_scalar *side;

    if (layout != PTO_ND && layout != PTO_DN) {
        mlir_refuse(l, op, op, "a window with more than two dimensions other than 1 goes to and "
                    "from tiles in rows or columns, not in fractals");
        return false;
    }
    b->by_cols = layout == PTO_DN;
    b->rows = b->part->size[rank - 2];
    b->cols = b->part->size[rank - 1];
    for (unsigned i = 0; i + 2 < rank; i++)
        b->in_loop[i] = !mlir_is_one(&b->part->size[i]);
    side = b->by_cols ? &b->cols : &b->rows;
    along = b->by_cols ? rank - 1 : rank - 2;
    b->in_loop[along] = !side->is_const;
    if (b->in_loop[along])
        *side = mlir_int(l, 1);
    return true;
}

/* The matrices that the tile is said to hold are as many as there are. */
static bool check_count(struct mlir_lower *l, struct mlir_node *op, const struct blocks *b)
{
    struct mlir_scalar all = b->by_cols ? b->cols : b->rows;
    const struct mlir_scalar *valid = b->by_cols ? &b->tile->tile.cols : &b->tile->tile.rows;
    const char *what = b->by_cols ? "columns" : "rows";
    unsigned rank = b->part->view->rank;

    for (unsigned i = 0; i < rank; i++) {
        const struct mlir_scalar *size = &b->part->size[i];

        if (!b->in_loop[i])
            continue;
        if (!all.is_const || !size->is_const)
            all = mlir_join(l, "(@ * #)", &all, size);
        else if (!__builtin_mul_overflow(all.i, size->i, &all.i))
            all = mlir_int(l, all.i);
    }
    if (all.is_const && valid->is_const && all.i != valid->i) {
        mlir_refuse(l, op, op, "this window has %s %s in its matrices, the tile's valid region %s",
                    all.text, what, valid->text);
        return false;
    }
    if ((!all.is_const || !valid->is_const) && strcmp(all.text, valid->text) != 0)
        mlir_line(&l->code, op, ".assert %s == %s, \"'%s': the matrices of the window have as many "
                  "%s as the tile's valid region\"", all.text, valid->text, op->text, what);
    return true;
}

/* The tile that is one block of the other one. */
static void make_block(struct mlir_lower *l, struct mlir_node *op, struct blocks *b)
{
    struct mlir_tile *from = b->tile->tile.tile, *tile;
    struct mlir_type type = b->tile->type;
    int64_t line = b->by_cols ? type.rows : type.cols, pitch = from->pitch ? from->pitch : line;
    int64_t lines = b->by_cols ? b->cols.i : b->rows.i;

    *(b->by_cols ? &type.cols : &type.rows) = lines;
    type.valid_rows = type.valid_cols = MLIR_DYNAMIC;
    tile = mlir_tile_new(l, pto_arena_printf(l->arena, "%s_block", from->name), &type, op);
    tile->of = from->of ? from->of : from;
    tile->pitch = from->pitch;
    b->block = *b->tile;
    b->block.type = type;
    b->block.tile.tile = tile;
    b->bytes = lines * pitch * (int64_t)pto_dtype_size((enum pto_dtype)type.dtype);
}

/* The smaller one of the window's side and the tile's, across the blocks. */
static void fit_across(struct mlir_lower *l, struct blocks *b)
{
    struct mlir_scalar *side = b->by_cols ? &b->rows : &b->cols;
    const struct mlir_scalar *valid = b->by_cols ? &b->tile->tile.rows : &b->tile->tile.cols;

    if (side->is_const && valid->is_const)
        *side = side->i < valid->i ? *side : *valid;
    else if (strcmp(side->text, valid->text) != 0)
        *side = mlir_join(l, "min(@, #)", side, valid);
}

/* One block, in the loops: which one it is says where it lies, here and there. */
static void move_block(struct mlir_lower *l, struct mlir_node *op, struct blocks *b,
                       const char *open, const char *keywords)
{
    const struct mlir_part *part = b->part;
    struct mlir_scalar number = mlir_int(l, 0), index;
    struct pto_buf window = {0};
    const char *tile, *byte = b->tile->tile.byte;

    pto_buf_printf(&window, "%s", open);
    for (unsigned i = 0; i < part->view->rank; i++) {
        index = part->at[i];
        if (b->in_loop[i]) {
            struct mlir_scalar counter = {.bits = 64, .text = mlir_register(
                l, pto_arena_printf(l->arena, "block %u", i), false)};

            index = mlir_sum(l, &index, &counter);
            number = number.is_const ? counter
                                     : mlir_join(l, pto_arena_printf(l->arena, "(@ * %s + #)",
                                                                     part->size[i].text),
                                                 &number, &counter);
        }
        pto_buf_printf(&window, "%s%s", i ? ", " : "", index.text);
    }
    byte = pto_arena_printf(l->arena, "(%s%s%s * %" PRId64 ")", byte ? byte : "", byte ? " + " : "",
                            number.text, b->bytes);
    tile = mlir_tile_text_of(l, &b->block, byte, &b->rows, &b->cols);
    if (keywords)
        mlir_line(&l->code, op, "TSTORE %s], %s%s", pto_buf_text(&window), tile, keywords);
    else
        mlir_line(&l->code, op, "TLOAD %s, %s]", tile, pto_buf_text(&window));
    pto_buf_free(&window);
}

void mlir_blocks(struct mlir_lower *l, struct mlir_node *op, const struct mlir_part *part,
                 struct mlir_value *tile, const char *keywords)
{
    struct blocks b = {.part = part, .tile = tile};
    unsigned indent = l->code.indent;
    const char *open;

    if (!find_loops(l, op, &b) || !check_count(l, op, &b))
        return;
    open = mlir_view_open(l, op, part->view);
    if (!open)
        return;
    make_block(l, op, &b);
    fit_across(l, &b);
    for (unsigned i = 0; i < part->view->rank; i++)
        if (b.in_loop[i]) {
            mlir_line(&l->code, op, ".for %s = 0 to %s", mlir_register(
                l, pto_arena_printf(l->arena, "block %u", i), false), part->size[i].text);
            l->code.indent++;
        }
    move_block(l, op, &b, open, keywords);
    while (l->code.indent > indent) {
        l->code.indent--;
        mlir_line(&l->code, op, ".endfor");
    }
}
