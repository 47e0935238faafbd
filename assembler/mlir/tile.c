/* Tiles: declared when an instruction names them, so that scratch tiles which a machine does
 * without take no room. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mlir/chosen.h"

enum { LOOK_AHEAD = 256 }; /* tiles, for one that is taken again */

/* ---- values ---- */

/* The tile that an operation made when it was lowered before; NULL: none.  They are taken in the
 * order in which they were made, but for few; one that is not found costs its room once more. */
static struct mlir_tile *taken_again(struct mlir_lower *l, const struct mlir_node *node)
{
    struct mlir_tile *tile;

    while (l->again && !l->again->again)
        l->again = l->again->next;
    tile = l->again;
    for (unsigned i = 0; tile && i < LOOK_AHEAD; i++, tile = tile->next)
        if (tile->again && tile->node == node) {
            tile->again = false;
            return tile;
        }
    return NULL;
}

struct mlir_tile *mlir_tile_new(struct mlir_lower *l, const char *name,
                                const struct mlir_type *type, const struct mlir_node *node)
{
    struct mlir_tile *tile = taken_again(l, node);

    if (tile)
        return tile;
    tile = pto_arena_alloc(l->arena, sizeof *tile);
    *tile = (struct mlir_tile){.name = mlir_fresh(l, name), .type = *type, .slots = 1,
                               .node = node};
    *l->last_tile = tile;
    l->last_tile = &tile->next;
    return tile;
}

/* Where the function changes the valid region later, registers hold what the type leaves open. */
static void hold_valid(struct mlir_lower *l, struct mlir_node *op, struct mlir_value *value)
{
    struct mlir_scalar *side[2] = {&value->tile.rows, &value->tile.cols};
    const bool open[2] = {value->type.valid_rows == MLIR_DYNAMIC,
                          value->type.valid_cols == MLIR_DYNAMIC};

    for (unsigned i = 0; i < 2; i++) {
        const char *name;

        if (!open[i] && side[i]->is_const)
            continue;
        /* By the value's name: another one of the same tile has a valid region of its own. */
        name = mlir_register(l, pto_arena_printf(l->arena, "%s %s", op->result->text,
                                                 i ? "cols" : "rows"), false);
        mlir_line(&l->code, op, "%s = %s", name, side[i]->text);
        *side[i] = (struct mlir_scalar){.text = name, .bits = 64};
    }
}

/* A side of the valid region: what the operation says, else what the type says, else all of it. */
static bool valid_side(struct mlir_lower *l, struct mlir_node *op, const char *word, int64_t valid,
                       int64_t all, struct mlir_scalar *side)
{
    const struct mlir_node *given = mlir_clause(op, word);
    struct pto_diag *diag;

    *side = mlir_int(l, valid == MLIR_DYNAMIC ? all : valid);
    if (!given)
        return true;
    if (!mlir_integer(l, op, given, side))
        return false;
    if (valid != MLIR_DYNAMIC && !(side->is_const && side->i == valid)) {
        diag = mlir_refuse(l, op, given, "the type says %" PRId64 " for '%s'", valid, word);
        if (diag)
            pto_diag_hint(l->tree->diags, diag, "a type that leaves it open has valid=?x?");
        return false;
    }
    if (side->is_const && (side->i < 0 || side->i > all)) {
        mlir_refuse(l, op, given, "'%s' is 0 to %" PRId64 ", not %" PRId64, word, all, side->i);
        return false;
    }
    return true;
}

static const struct mlir_node *type_of(const struct mlir_node *op)
{
    for (const struct mlir_node *node = op->first; node; node = node->next)
        if (mlir_is(node, MLIR_SIGN, ":") || mlir_is(node, MLIR_SIGN, "->"))
            return node->next;
    return NULL;
}

static bool address_of(struct mlir_lower *l, struct mlir_node *op, struct mlir_tile *tile)
{
    const struct mlir_node *given = mlir_clause(op, "addr");
    struct mlir_scalar address;

    if (!given)
        return true;
    if (!mlir_integer(l, op, given, &address))
        return false;
    if (!address.is_const) {
        mlir_refuse(l, op, given, "the address of a tile has to be constant");
        return false;
    }
    tile->placed = true;
    tile->address = address.i;
    return true;
}

/* The tile of the same name, type and address that was made already: in another branch, or by the
 * same operation in a function that is called twice. */
static struct mlir_tile *same_tile(struct mlir_lower *l, const struct mlir_tile *wanted)
{
    struct mlir_tile *tile = wanted->placed ? l->tile : NULL;

    while (tile && !(tile->placed && tile->address == wanted->address &&
                     tile->slots == wanted->slots &&
                     tile->type.layout == wanted->type.layout &&
                     tile->type.pad == wanted->type.pad &&
                     mlir_type_same(&tile->type, &wanted->type)))
        tile = tile->next;
    return tile;
}

/* `pto.alloc_tile`, and `pto.alloc_multi_tile`: several of one type, one after another. */
static void alloc_tile(struct mlir_lower *l, struct mlir_node *op, bool several)
{
    const struct mlir_node *at = type_of(op);
    struct mlir_value *value = mlir_value_new(l, several ? MLIR_V_TILES : MLIR_V_TILE);
    struct mlir_tile wanted = {.slots = 1}, *tile;

    if (!at) {
        mlir_refuse(l, op, op, "'%s' lacks its type", op->text);
        return;
    }
    if (!mlir_read_type(l, op, &at, &value->type))
        return;
    if (value->type.kind != MLIR_T_TILE || several != (value->type.count > 0) || !op->result) {
        mlir_refuse(l, op, op, several ? "'%%TILES = pto.alloc_multi_tile : "
                                         "!pto.multi_tile_buf<.., count=N>' was expected"
                                       : "'%%TILE = pto.alloc_tile : !pto.tile_buf<..>' was "
                                         "expected");
        return;
    }
    wanted.type = value->type;
    if (several)
        wanted.slots = value->type.count;
    if (!address_of(l, op, &wanted))
        return;
    tile = same_tile(l, &wanted);
    if (!tile) {
        tile = mlir_tile_new(l, op->result->text, &value->type, op);
        tile->placed = wanted.placed;
        tile->address = wanted.address;
        tile->slots = wanted.slots;
    }
    value->tile.tile = tile;
    if (!valid_side(l, op, "valid_row", value->type.valid_rows, value->type.rows,
                    &value->tile.rows) ||
        !valid_side(l, op, "valid_col", value->type.valid_cols, value->type.cols,
                    &value->tile.cols))
        return;
    if (!several && mlir_is_changed(l->functions, op->result->text))
        hold_valid(l, op, value);
    mlir_bind(l, op, op->result, value);
}

/* The number of a tile among several, as it stays: in a register of its own where it is computed.
 * NULL after an error. */
static const char *slot_text(struct mlir_lower *l, struct mlir_node *op,
                             const struct mlir_node *at, const struct mlir_tile *tiles)
{
    struct mlir_scalar number;
    const char *name;

    if (!mlir_integer(l, op, at, &number))
        return NULL;
    if (number.is_const && (number.i < 0 || number.i >= tiles->slots)) {
        mlir_refuse(l, op, at, "tiles 0 to %u, there is none %" PRId64, tiles->slots - 1,
                    number.i);
        return NULL;
    }
    if (number.is_const || number.text[0] == '%')
        return number.text;
    name = mlir_register(l, pto_arena_printf(l->arena, "%s slot", op->result->text), false);
    mlir_line(&l->code, op, "%s = %s", name, number.text);
    return name;
}

/* `%t = pto.multi_tile_get %tiles[%i] : A -> B` */
static void get_tile(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *index = op->first ? op->first->next : NULL, *at = mlir_behind_arrow(op);
    struct mlir_value *value = mlir_value_new(l, MLIR_V_TILE), *from, slot;

    if (!at || !index || index->kind != MLIR_SQUARE || !index->first || index->first->next ||
        !op->result) {
        mlir_refuse(l, op, op, "'%%TILE = pto.multi_tile_get TILES[NUMBER] : TYPE -> TYPE' was "
                    "expected");
        return;
    }
    from = mlir_want(l, op, op->first, MLIR_V_TILES);
    if (!from)
        return;
    if (!mlir_read_type(l, op, &at, &value->type))
        return;
    slot = *from;
    slot.type.count = 0;
    if (!mlir_tiles_alike(&slot, value)) {
        mlir_refuse(l, op, op, "the type of the tile is that in the multi_tile_buf");
        return;
    }
    value->tile = from->tile;
    value->tile.slot = slot_text(l, op, index->first, from->tile.tile);
    if (!value->tile.slot)
        return;
    if (mlir_is_changed(l->functions, op->result->text))
        hold_valid(l, op, value);
    mlir_bind(l, op, op->result, value);
}

/* A side is held by a register, or stays what it is. */
static bool set_side(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *at,
                     const struct mlir_scalar *side, const struct mlir_scalar *wanted)
{
    if (side->is_const && wanted->is_const && side->i == wanted->i)
        return true;
    if (side->text[0] == '%') {
        mlir_line(&l->code, op, "%s = %s", side->text, wanted->text);
        return true;
    }
    mlir_refuse(l, op, at, "the type of this tile does not leave this side of its valid region "
                "open");
    return false;
}

/* `pto.set_validshape %t, %rows, %cols : T` */
static void set_valid(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_scalar rows, cols;
    struct mlir_value *value;
    struct mlir_args args;

    if (!mlir_read_args(l, op, op->first, &args))
        return;
    if (args.values != 3) {
        mlir_refuse(l, op, op, "'pto.set_validshape TILE, ROWS, COLUMNS' was expected");
        return;
    }
    value = mlir_want(l, op, args.value[0], MLIR_V_TILE);
    if (!value || !mlir_integer(l, op, args.value[1], &rows) ||
        !mlir_integer(l, op, args.value[2], &cols))
        return;
    if (set_side(l, op, args.value[1], &value->tile.rows, &rows))
        set_side(l, op, args.value[2], &value->tile.cols, &cols);
}

/* `%b = pto.treshape %a : A -> B`: the same bytes as another tile. */
static void reshape(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *at = mlir_behind_arrow(op);
    struct mlir_value *from, *value = mlir_value_new(l, MLIR_V_TILE);
    struct mlir_tile *root;

    if (!at || !op->first || !op->result) {
        mlir_refuse(l, op, op, "'%%TILE = pto.treshape TILE : TYPE -> TYPE' was expected");
        return;
    }
    from = mlir_want(l, op, op->first, MLIR_V_TILE);
    if (!from)
        return;
    if (!mlir_read_type(l, op, &at, &value->type))
        return;
    root = from->tile.tile->of ? from->tile.tile->of : from->tile.tile;
    if (value->type.kind != MLIR_T_TILE || value->type.space != root->type.space ||
        root->slots > 1 || from->tile.tile->pitch) {
        mlir_refuse(l, op, op, from->tile.tile->pitch
                                   ? "a window of a tile whose rows do not touch keeps its shape"
                                   : "a tile becomes another tile of the same memory");
        return;
    }
    value->tile.byte = from->tile.byte;
    value->tile.tile = mlir_tile_new(l, op->result->text, &value->type, op);
    value->tile.tile->of = root;
    value->tile.rows = mlir_int(l, value->type.valid_rows < 0 ? value->type.rows
                                                              : value->type.valid_rows);
    value->tile.cols = mlir_int(l, value->type.valid_cols < 0 ? value->type.cols
                                                              : value->type.valid_cols);
    mlir_bind(l, op, op->result, value);
}

bool mlir_tile_op(struct mlir_lower *l, struct mlir_node *op)
{
    if (!strcmp(op->text, "pto.alloc_tile"))
        alloc_tile(l, op, false);
    else if (!strcmp(op->text, "pto.alloc_multi_tile"))
        alloc_tile(l, op, true);
    else if (!strcmp(op->text, "pto.multi_tile_get"))
        get_tile(l, op);
    else if (!strcmp(op->text, "pto.set_validshape"))
        set_valid(l, op);
    else if (!strcmp(op->text, "pto.treshape"))
        reshape(l, op);
    else if (!strcmp(op->text, "pto.subview"))
        mlir_subview(l, op);
    else
        return false;
    return true;
}

/* ---- operands ---- */

const char *mlir_tile_text_of(struct mlir_lower *l, struct mlir_value *value, const char *at,
                              const struct mlir_scalar *rows, const struct mlir_scalar *cols)
{
    struct mlir_tile *tile = value->tile.tile;
    const char *slot = value->tile.slot
                           ? pto_arena_printf(l->arena, "[%s]", value->tile.slot) : "";

    tile->used = true;
    if (tile->of)
        tile->of->used = true;
    if (value->tile.byte && !*at)
        at = pto_arena_printf(l->arena, "(%s)", value->tile.byte);
    if (rows->is_const && rows->i == tile->type.rows && cols->is_const &&
        cols->i == tile->type.cols)
        return pto_arena_printf(l->arena, "%s%s%s", tile->name, slot, at);
    return pto_arena_printf(l->arena, "%s%s%s{%s, %s}", tile->name, slot, at, rows->text,
                            cols->text);
}

const char *mlir_tile_text(struct mlir_lower *l, struct mlir_value *value, const char *at)
{
    return mlir_tile_text_of(l, value, at, &value->tile.rows, &value->tile.cols);
}

/* ---- declarations ---- */

uint64_t mlir_tile_bytes(const struct mlir_tile *tile)
{
    return (uint64_t)tile->type.rows * (uint64_t)tile->type.cols *
           pto_dtype_size((enum pto_dtype)tile->type.dtype);
}

static bool at_one_address(const struct mlir_tile *a, const struct mlir_tile *b)
{
    return a->used && a->placed && b->used && b->placed && a->address == b->address &&
           a->type.space == b->type.space && a->slots == 1 && b->slots == 1;
}

/* Tiles at one address are views of the largest of them: the same bytes under another type. */
static void find_roots(struct mlir_tile *tiles)
{
    for (struct mlir_tile *tile = tiles; tile; tile = tile->next) {
        struct mlir_tile *root = tile;

        if (!tile->used || !tile->placed)
            continue;
        for (struct mlir_tile *other = tiles; other; other = other->next)
            if (at_one_address(other, tile) && mlir_tile_bytes(other) > mlir_tile_bytes(root))
                root = other;
        for (struct mlir_tile *other = tiles; other != tile && root == tile; other = other->next)
            if (at_one_address(other, tile) && mlir_tile_bytes(other) == mlir_tile_bytes(tile))
                root = other;
        tile->of = root == tile ? NULL : root;
    }
}

static void declare(const struct mlir_tile *tile, struct mlir_out *out)
{
    const struct mlir_type *type = &tile->type;
    const char *layout = type->layout_by_space ? ""
                                               : pto_layout_name((enum pto_layout)type->layout);
    char slots[32] = "", place[300] = "", pitch[32] = "";

    if (tile->slots > 1)
        snprintf(slots, sizeof slots, "[%u]", tile->slots);
    if (tile->of)
        snprintf(place, sizeof place, " of %s", tile->of->name);
    else if (tile->placed)
        snprintf(place, sizeof place, " @ %" PRId64, tile->address);
    if (tile->pitch)
        snprintf(pitch, sizeof pitch, " pitch %" PRId64, tile->pitch);
    mlir_line(out, tile->node, ".tile %s%s : %s%s%s[%" PRId64 ", %" PRId64 "]%s%s%s%s", tile->name,
              slots, tile->of ? "" : pto_space_name((enum pto_space)type->space),
              tile->of ? "" : " ", pto_dtype_name((enum pto_dtype)type->dtype), type->rows,
              type->cols, *layout ? " " : "", layout, place, pitch);
}

void mlir_tiles_declare(struct mlir_tile *tiles, struct mlir_out *out)
{
    find_roots(tiles);
    for (const struct mlir_tile *tile = tiles; tile; tile = tile->next)
        if (tile->used && !tile->of)
            declare(tile, out);
    for (const struct mlir_tile *tile = tiles; tile; tile = tile->next)
        if (tile->used && tile->of)
            declare(tile, out);
}
