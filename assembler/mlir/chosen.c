/* Tiles of which only the run knows which one they are: what loops carry, and what branches give.
 *
 * A value is then a choice: of two tiles by a condition, or of several by the number in a register.
 * An operation with such operands is written once for each of them, in the arms of an `.if`.  Which
 * tiles a loop carries is seen at the end of its body: where that adds one, the body is lowered
 * again with it, and what came before is thrown away. */
#include <inttypes.h>
#include <string.h>

#include "mlir/chosen.h"

enum {
    MOST_ARMS = 64,           /* that an operation is written in */
    MOST_LOWERED = 1 << 20    /* operations, in bodies that are lowered again, too */
};

/* The first one of several. */
static const struct mlir_value *first_of(const struct mlir_value *value)
{
    while (value->kind == MLIR_V_CHOICE)
        value = value->choice.yes;
    return value;
}

bool mlir_is_tile(const struct mlir_value *value)
{
    return first_of(value)->kind == MLIR_V_TILE;
}

/* ---- which tiles a value may be ---- */

static bool is_same(const struct mlir_value *a, const struct mlir_value *b)
{
    const char *x = a->tile.byte ? a->tile.byte : "0", *y = b->tile.byte ? b->tile.byte : "0";

    return a->tile.tile == b->tile.tile && !strcmp(x, y);
}

static bool has_one_type(const struct mlir_type *a, const struct mlir_type *b)
{
    return mlir_type_same(a, b) && a->layout == b->layout && a->pad == b->pad &&
           a->valid_rows == b->valid_rows && a->valid_cols == b->valid_cols;
}

bool mlir_tiles_alike(const struct mlir_value *a, const struct mlir_value *b)
{
    return has_one_type(&first_of(a)->type, &first_of(b)->type);
}

static bool add_tile(struct mlir_lower *l, struct mlir_node *op, struct mlir_tiles *tiles,
                     struct mlir_value *value)
{
    const char *byte = value->tile.byte;

    for (unsigned i = 0; i < tiles->count; i++)
        if (is_same(tiles->tile[i], value))
            return true;
    if (value->tile.slot || (byte && byte[strspn(byte, "0123456789")]))
        mlir_refuse(l, op, op, "'%s' hands on tiles whose place is known, no popped ones, none of "
                    "a multi_tile_buf and no windows that the run places", op->text);
    else if (tiles->count && !has_one_type(&tiles->tile[0]->type, &value->type))
        mlir_refuse(l, op, op, "'%s' hands on tiles of one type", op->text);
    else if (tiles->count == MLIR_CANDIDATES)
        mlir_refuse(l, op, op, "'%s' hands on one of at most %d tiles", op->text,
                    (int)MLIR_CANDIDATES);
    else
        tiles->tile[tiles->count++] = value;
    return !op->broken;
}

bool mlir_tiles_add(struct mlir_lower *l, struct mlir_node *op, struct mlir_tiles *tiles,
                    struct mlir_value *value)
{
    if (value->kind == MLIR_V_TILE)
        return add_tile(l, op, tiles, value);
    return mlir_tiles_add(l, op, tiles, value->choice.yes) &&
           mlir_tiles_add(l, op, tiles, value->choice.no);
}

/* The number of the tile that it is, or one side of its valid region: PLACE, or ROWS and COLS. */
enum said { PLACE, ROWS, COLS, SAID };

static const char *text_of(struct mlir_lower *l, const struct mlir_tiles *tiles,
                           const struct mlir_value *value, enum said what)
{
    const char *yes, *no;

    if (value->kind == MLIR_V_CHOICE) {
        yes = text_of(l, tiles, value->choice.yes, what);
        no = text_of(l, tiles, value->choice.no, what);
        return !strcmp(yes, no) ? yes : pto_arena_printf(l->arena, "(%s ? %s : %s)",
                                                         value->choice.condition, yes, no);
    }
    if (what != PLACE)
        return what == ROWS ? value->tile.rows.text : value->tile.cols.text;
    for (unsigned i = 0; i < tiles->count; i++)
        if (is_same(tiles->tile[i], value))
            return pto_arena_printf(l->arena, "%u", i);
    return "0";
}

/* Does the run have to know it? */
static bool is_held(const struct mlir_tiles *tiles, enum said what)
{
    const struct mlir_type *type = &tiles->tile[0]->type;

    return what == PLACE  ? tiles->count > 1
           : what == ROWS ? type->valid_rows == MLIR_DYNAMIC
                          : type->valid_cols == MLIR_DYNAMIC;
}

static const char *register_of(struct mlir_lower *l, const char *name, enum said what)
{
    static const char *const suffix[SAID] = {"which", "rows", "cols"};

    return mlir_register(l, pto_arena_printf(l->arena, "%s %s", name, suffix[what]), false);
}

unsigned mlir_tiles_move(struct mlir_lower *l, const struct mlir_tiles *tiles, const char *name,
                         const struct mlir_value *value, struct mlir_move *move)
{
    unsigned count = 0;

    for (enum said what = PLACE; what < SAID; what++)
        if (is_held(tiles, what))
            move[count++] = (struct mlir_move){.reg = register_of(l, name, what),
                                               .text = text_of(l, tiles, value, what)};
    return count;
}

struct mlir_value *mlir_tiles_value(struct mlir_lower *l, const struct mlir_tiles *tiles,
                                    const char *name)
{
    struct mlir_value *result = NULL;

    for (unsigned i = tiles->count; i-- > 0;) {
        struct mlir_value *tile = mlir_value_new(l, MLIR_V_TILE);
        struct mlir_scalar *side[SAID] = {[ROWS] = &tile->tile.rows, [COLS] = &tile->tile.cols};

        *tile = *tiles->tile[i];
        for (enum said what = ROWS; what < SAID; what++)
            if (is_held(tiles, what))
                *side[what] = (struct mlir_scalar){.text = register_of(l, name, what), .bits = 64};
        result = !result ? tile
                         : mlir_choice(l, pto_arena_printf(l->arena, "(%s == %u)",
                                                           register_of(l, name, PLACE), i),
                                       tile, result);
    }
    return result;
}

struct mlir_value *mlir_tiles_joined(struct mlir_lower *l, const char *condition,
                                     struct mlir_value *yes, struct mlir_value *no)
{
    if (yes->kind == MLIR_V_TILE && no->kind == MLIR_V_TILE && is_same(yes, no) &&
        !strcmp(yes->tile.rows.text, no->tile.rows.text) &&
        !strcmp(yes->tile.cols.text, no->tile.cols.text))
        return yes;
    return mlir_choice(l, condition, yes, no);
}

/* `value` with `text`[what] in place of each side that is not NULL. */
static struct mlir_value *with_sides(struct mlir_lower *l, struct mlir_value *value,
                                     const char *const *text)
{
    struct mlir_value *copy;

    if (value->kind == MLIR_V_CHOICE)
        return mlir_choice(l, value->choice.condition, with_sides(l, value->choice.yes, text),
                           with_sides(l, value->choice.no, text));
    copy = mlir_value_new(l, MLIR_V_TILE);
    *copy = *value;
    if (text[ROWS])
        copy->tile.rows = (struct mlir_scalar){.text = text[ROWS], .bits = 64};
    if (text[COLS])
        copy->tile.cols = (struct mlir_scalar){.text = text[COLS], .bits = 64};
    return copy;
}

struct mlir_value *mlir_tiles_own(struct mlir_lower *l, struct mlir_node *op, const char *name,
                                  struct mlir_value *value)
{
    struct mlir_tiles tiles = {.count = 0};
    const char *text[SAID] = {NULL};

    if (!mlir_is_changed(l->functions, name) || !mlir_tiles_add(l, op, &tiles, value))
        return value;
    for (enum said what = ROWS; what < SAID; what++)
        if (is_held(&tiles, what)) {
            text[what] = register_of(l, name, what);
            mlir_line(&l->code, op, "%s = %s", text[what], text_of(l, &tiles, value, what));
        }
    return with_sides(l, value, text);
}

/* ---- bodies that are lowered again ---- */

void mlir_mark(const struct mlir_lower *l, struct mlir_mark *mark)
{
    *mark = (struct mlir_mark){
        .text = l->code.text.size, .lines = l->code.lines, .indent = l->code.indent,
        .quoted = l->code.quoted, .bindings = l->bindings, .errors = l->errors,
        .brought_in = l->functions->brought_in, .last_tile = l->last_tile, .rings = l->rings};
}

bool mlir_begin_again(struct mlir_lower *l, struct mlir_node *op, const struct mlir_mark *mark)
{
    if (l->errors > mark->errors || op->broken)
        return false;
    if (l->lowered > MOST_LOWERED) {
        mlir_refuse(l, op, op, "loops that carry one of several tiles stand too deep in each "
                    "other");
        return false;
    }
    l->code.text.size = mark->text;
    l->code.lines = mark->lines;
    l->code.indent = mark->indent;
    l->code.quoted = mark->quoted;
    l->functions->brought_in = mark->brought_in;
    l->rings = mark->rings;
    mlir_scope_end(l, mark->bindings);
    for (struct mlir_tile *tile = *mark->last_tile; tile; tile = tile->next)
        tile->again = true;
    if (!l->again) /* else a loop around it is lowered again: its tiles come first */
        l->again = *mark->last_tile;
    return true;
}

/* ---- operations with such operands ---- */

/* The first operand that is one of several tiles. */
static const char *chosen(struct mlir_lower *l, const struct mlir_node *inside)
{
    for (const struct mlir_node *node = inside->first; node; node = node->next) {
        const struct mlir_value *value = node->kind == MLIR_SSA ? mlir_bound(l, node->text) : NULL;
        const char *found = NULL;

        if (value && value->kind == MLIR_V_CHOICE && mlir_is_tile(value))
            return node->text;
        if (node->kind == MLIR_PAREN || node->kind == MLIR_SQUARE)
            found = chosen(l, node);
        if (found)
            return found;
    }
    return NULL;
}

/* In one arm: what the operation gives there. */
static struct mlir_value *in_arm(struct mlir_lower *l, struct mlir_node *op, const char *name,
                                 struct mlir_value *value)
{
    uint32_t scope = l->bindings;
    struct mlir_value *result;

    mlir_rebind(l, name, value);
    l->code.indent++;
    mlir_operation(l, op);
    l->code.indent--;
    result = op->result ? mlir_bound(l, op->result->text) : NULL;
    mlir_scope_end(l, scope);
    return result;
}

bool mlir_chosen_op(struct mlir_lower *l, struct mlir_node *op)
{
    const char *name = op->broken ? NULL : chosen(l, op);
    struct mlir_value *value = name ? mlir_bound(l, name) : NULL, *yes, *no;

    if (!value)
        return false;
    if (++l->arms > MOST_ARMS) {
        mlir_refuse(l, op, op, "the tiles that '%s' may be given are too many: more than %d "
                    "combinations of them", op->text, (int)MOST_ARMS);
    } else {
        mlir_line(&l->code, op, ".if %s", value->choice.condition);
        yes = in_arm(l, op, name, value->choice.yes);
        mlir_line(&l->code, op, ".else");
        no = in_arm(l, op, name, value->choice.no);
        mlir_line(&l->code, op, ".endif");
        mlir_rebind(l, name, value);
        if (op->result && yes && no && !op->broken)
            mlir_bind(l, op, op->result, yes->kind == MLIR_V_SCALAR
                ? yes /* a number: both arms have put it into one register */
                : mlir_tiles_joined(l, value->choice.condition, yes, no));
    }
    return true;
}
