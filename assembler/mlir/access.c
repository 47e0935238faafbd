/* Transfers between global memory and tiles, and elements of global memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mlir/lower.h"

/* ---- windows as operands ---- */

bool mlir_sides_of(const struct mlir_part *part, unsigned *row, unsigned *col)
{
    unsigned rank = part->view->rank, wide = 0, first = 0;

    *col = rank - 1;
    *row = rank > 1 ? rank - 2 : 0;
    for (unsigned i = 0; i + 1 < rank; i++)
        if (!mlir_is_one(&part->size[i])) {
            first = i;
            wide++;
        }
    if (wide == 1)
        *row = first;
    return wide <= 1;
}

/* The view with its rows' dimension moved before the last one. */
static struct mlir_view turned(const struct mlir_view *view, unsigned row, unsigned *order)
{
    struct mlir_view result = *view;
    unsigned rank = view->rank, out = 0;

    for (unsigned i = 0; i < rank; i++)
        if (i != row || rank < 2)
            order[out++] = i;
    if (rank > 1) {
        order[rank - 1] = order[rank - 2];
        order[rank - 2] = row;
    }
    for (unsigned i = 0; i < rank; i++) {
        result.dim[i] = view->dim[order[i]];
        result.stride[i] = view->stride[order[i]];
    }
    return result;
}

struct mlir_part mlir_part_of(struct mlir_lower *l, const struct mlir_value *value)
{
    struct mlir_part whole = {.view = &value->view};

    if (value->kind == MLIR_V_PART)
        return value->part;
    for (unsigned i = 0; i < value->view.rank; i++) {
        whole.at[i] = mlir_int(l, 0);
        whole.size[i] = value->view.dim[i];
    }
    return whole;
}

bool mlir_window_of(struct mlir_lower *l, struct mlir_node *op, const struct mlir_part *part,
                    unsigned row, unsigned col, struct mlir_window *window)
{
    struct mlir_view view;
    struct pto_buf text = {0};
    unsigned order[MLIR_MAX_RANK] = {0};
    const char *open;

    view = turned(part->view, row, order);
    open = mlir_view_open(l, op, &view);
    if (!open)
        return false;
    pto_buf_printf(&text, "%s", open);
    for (unsigned i = 0; i < view.rank; i++)
        pto_buf_printf(&text, "%s%s", i ? ", " : "", part->at[order[i]].text);
    pto_buf_printf(&text, "]");
    window->text = pto_arena_strdup(l->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    window->rows = view.rank > 1 ? part->size[row] : mlir_int(l, 1);
    window->cols = part->size[col];
    return true;
}

/* ---- transfers ---- */

struct transfer {
    struct mlir_value *tile;
    bool is_load;
    const char *keywords;
};

/* The smaller of two sides; equal texts are one. */
static struct mlir_scalar smaller(struct mlir_lower *l, const struct mlir_scalar *a,
                                  const struct mlir_scalar *b)
{
    if (!strcmp(a->text, b->text))
        return *a;
    if (a->is_const && b->is_const)
        return a->i < b->i ? *a : *b;
    return (struct mlir_scalar){.text = pto_arena_printf(l->arena, "min(%s, %s)", a->text,
                                                         b->text), .bits = 64};
}

static bool is_more(const struct mlir_scalar *a, const struct mlir_scalar *b)
{
    return a->is_const && b->is_const && a->i > b->i;
}

/* One of them is inside of the other, as far as that is known. */
static bool nest(struct mlir_lower *l, struct mlir_node *op, const struct mlir_window *window,
                 const struct mlir_tile_value *tile)
{
    bool wider = is_more(&window->rows, &tile->rows) || is_more(&window->cols, &tile->cols);
    bool narrower = is_more(&tile->rows, &window->rows) || is_more(&tile->cols, &window->cols);

    if (!wider || !narrower)
        return true;
    mlir_refuse(l, op, op, "the window of %s x %s and the tile's valid region of %s x %s do not "
                "fit into each other", window->rows.text, window->cols.text, tile->rows.text,
                tile->cols.text);
    return false;
}

static void transfer(struct mlir_lower *l, struct mlir_node *op, const struct mlir_value *value,
                     const struct transfer *t)
{
    struct mlir_scalar rows, cols;
    struct mlir_part part;
    struct mlir_window window;
    const char *tile;
    unsigned row, col;

    if (value->kind == MLIR_V_CHOICE) {
        mlir_line(&l->code, op, ".if %s", value->choice.condition);
        l->code.indent++;
        transfer(l, op, value->choice.yes, t);
        l->code.indent--;
        mlir_line(&l->code, op, ".else");
        l->code.indent++;
        transfer(l, op, value->choice.no, t);
        l->code.indent--;
        mlir_line(&l->code, op, ".endif");
        return;
    }
    if (value->kind != MLIR_V_PART && value->kind != MLIR_V_VIEW) {
        mlir_refuse(l, op, op, "'%s' wants a partition_tensor_view and a tile_buf", op->text);
        return;
    }
    part = mlir_part_of(l, value);
    if (!mlir_sides_of(&part, &row, &col)) {
        mlir_blocks(l, op, &part, t->tile, t->is_load ? NULL : t->keywords);
        return;
    }
    if (!mlir_window_of(l, op, &part, row, col, &window) || !nest(l, op, &window, &t->tile->tile))
        return;
    rows = smaller(l, &window.rows, &t->tile->tile.rows);
    cols = smaller(l, &window.cols, &t->tile->tile.cols);
    tile = mlir_tile_text_of(l, t->tile, "", &rows, &cols);
    if (t->is_load)
        mlir_line(&l->code, op, "TLOAD %s, %s", tile, window.text);
    else
        mlir_line(&l->code, op, "TSTORE %s, %s%s", window.text, tile, t->keywords);
}

bool mlir_atomic_keyword(struct mlir_lower *l, struct mlir_node *op, const char **keyword)
{
    static const struct {
        const char *word, *keyword;
    } atomic[] = {
        {"none", ""}, {"atomic_none", ""}, {"add", ", atomic_add"}, {"atomic_add", ", atomic_add"},
        {"AtomicNone", ""}, {"AtomicAdd", ", atomic_add"}, {"max", ", atomic_max"},
        {"atomic_max", ", atomic_max"}, {"min", ", atomic_min"}, {"atomic_min", ", atomic_min"},
    };
    const struct mlir_node *value = mlir_attribute(op, "atomicType");

    *keyword = "";
    if (!value)
        return true;
    for (unsigned i = 0; i < sizeof atomic / sizeof *atomic; i++)
        if (!strcmp(mlir_enum_word(value), atomic[i].word)) {
            *keyword = atomic[i].keyword;
            return true;
        }
    mlir_refuse(l, op, value, "this atomic operation is not taken");
    return false;
}

static const struct mlir_node *only_value(struct mlir_lower *l, struct mlir_node *op,
                                          const char *word)
{
    const struct mlir_node *group = mlir_clause(op, word);
    struct mlir_args args;

    if (!group || group->kind != MLIR_PAREN || !mlir_read_args(l, op, group->first, &args) ||
        args.values != 1) {
        mlir_refuse(l, op, group ? group : op, "'%s' wants one operand in '%s(..)'", op->text,
                    word);
        return NULL;
    }
    if (args.value[0]->kind == MLIR_SSA && !mlir_find(l, op, args.value[0]))
        return NULL;
    return mlir_check_types(l, op, &args) ? args.value[0] : NULL;
}

static void transfer_op(struct mlir_lower *l, struct mlir_node *op, bool is_load)
{
    const struct mlir_node *in = only_value(l, op, "ins"), *out = in ? only_value(l, op, "outs")
                                                                    : NULL;
    struct transfer t = {.is_load = is_load, .keywords = ""};
    struct mlir_value *view;

    if (!out || (!is_load && !mlir_atomic_keyword(l, op, &t.keywords)))
        return;
    view = mlir_find(l, op, is_load ? in : out);
    t.tile = view ? mlir_want(l, op, is_load ? out : in, MLIR_V_TILE) : NULL;
    if (t.tile)
        transfer(l, op, view, &t);
}

/* ---- single elements ---- */

struct mlir_scalar mlir_loaded(struct mlir_lower *l, const char *place, enum pto_dtype dtype)
{
    return (struct mlir_scalar){.text = pto_arena_printf(l->arena, "ld %s", place),
                                .is_float = pto_dtype_is_float(dtype), .dtype = (uint8_t)dtype,
                                .bits = (uint8_t)(8 * pto_dtype_size(dtype))};
}

bool mlir_is_of(const struct mlir_scalar *value, enum pto_dtype dtype)
{
    return value->is_float ? value->dtype == dtype
                           : !pto_dtype_is_float(dtype) && value->bits == 8 * pto_dtype_size(dtype);
}

/* `%x = pto.load_scalar %p[%i] : ...`, `pto.load` in newer files */
static void load_scalar(struct mlir_lower *l, struct mlir_node *op)
{
    const char *place;
    struct mlir_value *base;
    struct mlir_scalar value;

    if (!op->first)
        mlir_refuse(l, op, op, "'%%VALUE = %s POINTER[INDEX]' was expected", op->text);
    if (!op->first || mlir_context_op(l, op))
        return;
    place = mlir_element(l, op, op->first);
    base = place ? mlir_find(l, op, op->first) : NULL;
    if (!base)
        return;
    value = mlir_loaded(l, place, (enum pto_dtype)base->type.dtype);
    mlir_assign(l, op, &value);
}

/* `pto.store_scalar %x, %p[%i] : ...`, `pto.store` in newer files */
static void store_scalar(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *pointer = op->first && op->first->next ? op->first->next->next : NULL;
    struct mlir_scalar value;
    const char *place = pointer ? mlir_element(l, op, pointer) : NULL;
    struct mlir_value *base = place ? mlir_find(l, op, pointer) : NULL;
    enum pto_dtype dtype;

    if (!pointer)
        mlir_refuse(l, op, op, "'%s VALUE, POINTER[INDEX]' was expected", op->text);
    if (!base || !mlir_number(l, op, op->first, &value))
        return;
    dtype = (enum pto_dtype)base->type.dtype;
    if (mlir_is_of(&value, dtype))
        mlir_line(&l->code, op, "st %s, %s", place, value.text);
    else
        mlir_refuse(l, op, op->first, "the elements of '%%%s' are %s, this is %s of %u bits",
                    pointer->text, mlir_element_name(dtype),
                    value.is_float ? "a floating-point number" : "an integer", value.bits);
}

bool mlir_access_op(struct mlir_lower *l, struct mlir_node *op)
{
    if (!strcmp(op->text, "pto.tload"))
        transfer_op(l, op, true);
    else if (!strcmp(op->text, "pto.tstore"))
        transfer_op(l, op, false);
    else if (!strcmp(op->text, "pto.load_scalar") || !strcmp(op->text, "pto.load"))
        load_scalar(l, op);
    else if (!strcmp(op->text, "pto.store_scalar") || !strcmp(op->text, "pto.store"))
        store_scalar(l, op);
    else
        return false;
    return true;
}
