/* Pointers, views and windows of global memory.
 *
 * A view becomes a .view of the object behind its pointer, so its shape and strides have to be
 * known before the cores start.  What is added to the pointer may be known when it runs only: such
 * a view has a first dimension of stride 1, whose index is the offset. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mlir/lower.h"

struct mlir_value *mlir_map_choice(struct mlir_lower *l, struct mlir_node *op,
                                   const struct mlir_value *value, mlir_each *each, void *context)
{
    struct mlir_value *yes, *no;

    if (value->kind != MLIR_V_CHOICE)
        return each(l, op, value, context);
    yes = mlir_map_choice(l, op, value->choice.yes, each, context);
    no = mlir_map_choice(l, op, value->choice.no, each, context);
    if (!yes || !no)
        return NULL;
    return mlir_choice(l, value->choice.condition, yes, no);
}

static void bind_result(struct mlir_lower *l, struct mlir_node *op, struct mlir_value *value)
{
    if (!value)
        op->broken = true;
    else if (!op->result)
        mlir_refuse(l, op, op, "'%s' has one result", op->text);
    else
        mlir_bind(l, op, op->result, value);
}

/* `[a, b, c]`: the numbers in a list. */
static bool read_list(struct mlir_lower *l, struct mlir_node *op, const char *word,
                      struct mlir_scalar *number, uint8_t *count)
{
    const struct mlir_node *list = mlir_clause(op, word);
    struct mlir_args args;

    if (!list || list->kind != MLIR_SQUARE) {
        mlir_refuse(l, op, list ? list : op, "'%s' lacks '%s = [..]'", op->text, word);
        return false;
    }
    if (!mlir_read_args(l, op, list->first, &args))
        return false;
    if (!args.values || args.values > MLIR_MAX_RANK) {
        mlir_refuse(l, op, list, "views have 1 to %d dimensions", (int)MLIR_MAX_RANK);
        return false;
    }
    for (unsigned i = 0; i < args.values; i++)
        if (!mlir_integer(l, op, args.value[i], &number[i]))
            return false;
    *count = (uint8_t)args.values;
    return true;
}

/* ---- pointers ---- */

/* What is added to a pointer: elements, or the distance to another rank's copy. */
struct added {
    struct mlir_scalar elements;
    const struct mlir_distance *distance; /* NULL: elements */
};

static struct mlir_value *add_offset(struct mlir_lower *l, struct mlir_node *op,
                                     const struct mlir_value *value, void *context)
{
    const struct added *added = context;
    struct mlir_value *moved = mlir_value_new(l, MLIR_V_PTR);

    if (value->kind != MLIR_V_PTR) {
        mlir_refuse(l, op, op, "'pto.addptr' wants a pointer");
        return NULL;
    }
    *moved = *value;
    if (!added->distance)
        moved->ptr.offset = mlir_sum(l, &value->ptr.offset, &added->elements);
    else if (!mlir_move_to_rank(l, op, added->distance, (enum pto_dtype)value->type.dtype,
                                &moved->ptr))
        return NULL;
    return moved;
}

/* `pto.addptr %p, %n : ...` */
static void add_pointer(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_args args;
    struct mlir_value *base;
    struct added added;

    if (!mlir_read_args(l, op, op->first, &args))
        return;
    if (args.values != 2) {
        mlir_refuse(l, op, op, "'pto.addptr POINTER, OFFSET' was expected");
        return;
    }
    base = mlir_find(l, op, args.value[0]);
    added.distance = mlir_distance_at(l, args.value[1]);
    if (base && (added.distance || mlir_integer(l, op, args.value[1], &added.elements)))
        bind_result(l, op, mlir_map_choice(l, op, base, add_offset, &added));
}

/* ---- views ---- */

static const char *known_text(const struct mlir_scalar *number)
{
    return number->setup;
}

/* Elements from the pointer on that a view reaches: 1 + the sum of (dim - 1) * stride. */
static const char *extent(struct mlir_lower *l, const struct mlir_view *view)
{
    struct pto_buf text = {0};
    int64_t sum = 1;
    bool constant = true;
    const char *result;

    for (unsigned i = 0; i < view->rank; i++) {
        const struct mlir_scalar *dim = &view->dim[i], *stride = &view->stride[i];
        int64_t part = 0;

        if (dim->is_const && stride->is_const) {
            if (__builtin_mul_overflow(dim->i - 1, stride->i, &part) ||
                __builtin_add_overflow(sum, part, &sum))
                constant = false;
            continue;
        }
        constant = false;
        pto_buf_printf(&text, " + (%s - 1) * %s", known_text(dim), known_text(stride));
    }
    if (constant)
        result = pto_arena_printf(l->arena, "%" PRId64, sum);
    else
        result = text.size < MLIR_MAX_SETUP
                     ? pto_arena_printf(l->arena, "%" PRId64 "%s", sum, pto_buf_text(&text))
                     : NULL;
    pto_buf_free(&text);
    return result;
}

/* The object is to have room for it. */
static void reach(struct mlir_lower *l, const struct mlir_view *view, const char *elements)
{
    struct mlir_object *object = view->base.object;
    const struct mlir_scalar *offset = &view->base.offset;
    const char *least = offset->is_const && !offset->i
                            ? elements
                            : offset->setup ? pto_arena_printf(l->arena, "%s + %s", offset->setup,
                                                               elements)
                                            : elements;

    if (!object->least)
        object->least = least;
    else if (strcmp(object->least, least) != 0 && strlen(object->least) < MLIR_MAX_SETUP &&
             !strstr(object->least, least))
        object->least = pto_arena_printf(l->arena, "max(%s, %s)", object->least, least);
}

static const char *declare(struct mlir_lower *l, struct mlir_node *op,
                           const struct mlir_object *object, const char *body)
{
    struct mlir_declared *view = l->view;

    while (view && strcmp(view->body, body) != 0)
        view = view->next;
    if (!view) {
        view = pto_arena_alloc(l->arena, sizeof *view);
        view->body = body;
        view->name = mlir_fresh(l, pto_arena_printf(l->arena, "%s_view", object->name));
        view->next = l->view;
        l->view = view;
        mlir_line(&l->views, op, ".view %s : %s", view->name, body);
    }
    return view->name;
}

/* The first side of it that only the run knows; its rank: none. */
static unsigned unknown_side(const struct mlir_view *view)
{
    unsigned i = 0;

    while (i < view->rank && view->dim[i].setup && view->stride[i].setup)
        i++;
    return i;
}

static bool is_known(struct mlir_lower *l, struct mlir_node *op, const struct mlir_view *view)
{
    unsigned i = unknown_side(view);
    struct pto_diag *diag;

    if (i == view->rank)
        return true;
    diag = mlir_refuse(l, op, op, "%s %u of this view is known only when it runs",
                       view->dim[i].setup ? "stride" : "dimension", i);
    if (diag)
        pto_diag_hint(l->tree->diags, diag, "shapes and strides follow from constants and the "
                      "function's arguments");
    return false;
}

/* Is stride `at` the product of the dimensions behind it?  Numbers are multiplied, of one that is
 * none the text is compared. */
static bool is_product(const struct mlir_view *view, unsigned at)
{
    const struct mlir_scalar *stride = &view->stride[at], *other = NULL;
    int64_t product = 1;

    for (unsigned i = at + 1; i < view->rank; i++)
        if (!view->dim[i].is_const && other)
            return false;
        else if (!view->dim[i].is_const)
            other = &view->dim[i];
        else if (__builtin_mul_overflow(product, view->dim[i].i, &product))
            return false;
    if (!other)
        return stride->is_const && stride->i == product;
    return product == 1 && !stride->is_const && !strcmp(known_text(stride), known_text(other));
}

/* Rows behind each other, as objects have them: then no two elements share bytes, which is known of
 * no other strides. */
static bool is_plain(const struct mlir_view *view)
{
    for (unsigned i = 0; i < view->rank; i++)
        if (!is_product(view, i))
            return false;
    return true;
}

static const char *rank_text(struct mlir_lower *l, const struct mlir_ptr *ptr)
{
    return ptr->rank ? pto_arena_printf(l->arena, "@%s", ptr->rank) : "";
}

bool mlir_use_object(struct mlir_lower *l, struct mlir_node *op, struct mlir_object *object,
                     enum mlir_object_use use)
{
    if (object->use == MLIR_CONTEXT) {
        mlir_refuse(l, op, op, "'%%%s' is a communication context here: its words are loaded, no "
                    "more", object->name);
        return false;
    }
    if (object->use < use)
        object->use = use;
    return true;
}

const char *mlir_view_open(struct mlir_lower *l, struct mlir_node *op,
                           const struct mlir_view *view)
{
    struct mlir_object *object = view->base.object;
    bool offset_first = !view->base.offset.setup;
    const char *elements, *name;
    struct pto_buf body = {0};

    if (!is_known(l, op, view) ||
        !mlir_use_object(l, op, object, view->base.rank ? MLIR_SHARED : MLIR_OWN))
        return NULL;
    elements = extent(l, view);
    if (!elements) {
        mlir_refuse(l, op, op, "the shape of this view follows from too long an expression");
        return NULL;
    }
    pto_buf_printf(&body, "%s[", pto_dtype_name((enum pto_dtype)view->dtype));
    if (offset_first)
        pto_buf_printf(&body, "%s + 1 - (%s), ", object->size, elements);
    for (unsigned i = 0; i < view->rank; i++)
        pto_buf_printf(&body, "%s%s", i ? ", " : "", known_text(&view->dim[i]));
    pto_buf_printf(&body, "] of %s", object->name);
    if (!offset_first && !(view->base.offset.is_const && !view->base.offset.i))
        pto_buf_printf(&body, " offset %s", view->base.offset.setup);
    if (offset_first || !is_plain(view)) {
        pto_buf_printf(&body, " strides %s", offset_first ? "1, " : "");
        for (unsigned i = 0; i < view->rank; i++)
            pto_buf_printf(&body, "%s%s", i ? ", " : "", known_text(&view->stride[i]));
    }
    name = declare(l, op, object, pto_arena_strdup(l->arena, pto_buf_text(&body)));
    pto_buf_free(&body);
    if (offset_first)
        return pto_arena_printf(l->arena, "%s%s[%s, ", name, rank_text(l, &view->base),
                                view->base.offset.text);
    return pto_arena_printf(l->arena, "%s%s[", name, rank_text(l, &view->base));
}

const char *mlir_place(struct mlir_lower *l, struct mlir_node *op, const struct mlir_ptr *ptr,
                       const struct mlir_scalar *at)
{
    if (!mlir_use_object(l, op, ptr->object, ptr->rank ? MLIR_SHARED : MLIR_OWN))
        return NULL;
    return pto_arena_printf(l->arena, "%s%s[%s]", ptr->object->name, rank_text(l, ptr),
                            mlir_sum(l, &ptr->offset, at).text);
}

const char *mlir_element(struct mlir_lower *l, struct mlir_node *op,
                         const struct mlir_node *pointer)
{
    const struct mlir_node *index = pointer->next;
    struct mlir_value *base;
    struct mlir_scalar at;

    if (!index || index->kind != MLIR_SQUARE || !index->first) {
        mlir_refuse(l, op, pointer, "'POINTER[INDEX]' was expected");
        return NULL;
    }
    if (index->first->next) {
        mlir_refuse(l, op, index->first->next, "a pointer has one index");
        return NULL;
    }
    base = mlir_want(l, op, pointer, MLIR_V_PTR);
    return base && mlir_integer(l, op, index->first, &at) ? mlir_place(l, op, &base->ptr, &at)
                                                          : NULL;
}

static struct mlir_value *view_of(struct mlir_lower *l, struct mlir_node *op,
                                  const struct mlir_value *pointer, void *context)
{
    struct mlir_value *value = mlir_value_new(l, MLIR_V_VIEW);
    const char *elements;

    if (pointer->kind != MLIR_V_PTR) {
        mlir_refuse(l, op, op, "'pto.make_tensor_view' wants a pointer");
        return NULL;
    }
    value->view = *(const struct mlir_view *)context;
    value->view.base = pointer->ptr;
    value->view.dtype = pointer->type.dtype;
    value->type = (struct mlir_type){.kind = MLIR_T_VIEW, .dtype = pointer->type.dtype};
    elements = unknown_side(&value->view) == value->view.rank ? extent(l, &value->view) : NULL;
    if (elements)
        reach(l, &value->view, elements);
    return value;
}

/* Do neighbours of the line that the layout names lie apart, and those of the other one side by
 * side?  A dimension of one element says nothing. */
static bool contradicts(const struct mlir_view *view, bool by_cols)
{
    unsigned last = view->rank - 1u, line = last - by_cols, other = last - !by_cols;

    if (view->rank < 2 || mlir_is_one(&view->dim[last]) || mlir_is_one(&view->dim[last - 1]))
        return false;
    return !mlir_is_one(&view->stride[line]) && mlir_is_one(&view->stride[other]);
}

/* The strides say where elements are; a layout says it again. */
static bool check_layout(struct mlir_lower *l, struct mlir_node *op,
                         const struct mlir_node *layout, const struct mlir_view *view)
{
    const char *word = layout ? mlir_enum_word(layout) : "nd";
    bool by_cols = !strcmp(word, "dn");
    struct pto_diag *diag;

    if (!by_cols && strcmp(word, "nd") != 0) {
        mlir_refuse(l, op, layout, "views in layout %s are not taken", word);
        return false;
    }
    if (!layout || !contradicts(view, by_cols))
        return true;
    diag = mlir_refuse(l, op, layout, "the strides of this view are those of layout %s, not %s",
                       by_cols ? "nd" : "dn", word);
    if (diag)
        pto_diag_hint(l->tree->diags, diag, "leave the layout out, or exchange the last two "
                      "strides");
    return false;
}

static void make_view(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *list = mlir_clause(op, "shape");
    const struct mlir_node *layout = mlir_attribute(op, "layout");
    struct mlir_view view = {.rank = 0};
    struct mlir_value *base;
    uint8_t strides;

    if (list && list->kind == MLIR_SQUARE && list->next && list->next->kind == MLIR_WORD) {
        mlir_refuse(l, op, list->next, "a ',' was expected before '%s' (the form without is a "
                    "legacy one)", list->next->text);
        return;
    }
    if (!op->first || op->first->kind != MLIR_SSA) {
        mlir_refuse(l, op, op, "'%%VIEW = pto.make_tensor_view POINTER, shape = [..], strides = "
                    "[..] : TYPE' was expected");
        return;
    }
    if (!read_list(l, op, "shape", view.dim, &view.rank) ||
        !read_list(l, op, "strides", view.stride, &strides))
        return;
    if (strides != view.rank) {
        mlir_refuse(l, op, mlir_clause(op, "strides"), "this view has %u dimensions and %u strides",
                    view.rank, strides);
        return;
    }
    if (!check_layout(l, op, layout, &view))
        return;
    base = mlir_find(l, op, op->first);
    if (base)
        bind_result(l, op, mlir_map_choice(l, op, base, view_of, &view));
}

/* ---- windows ---- */

static struct mlir_value *part_of(struct mlir_lower *l, struct mlir_node *op,
                                  const struct mlir_value *view, void *context)
{
    const struct mlir_part *window = context;
    struct mlir_value *value = mlir_value_new(l, MLIR_V_PART);

    if (view->kind != MLIR_V_VIEW) {
        mlir_refuse(l, op, op, "'pto.partition_view' wants a tensor_view");
        return NULL;
    }
    value->part = *window;
    value->part.view = &view->view;
    value->type = view->type;
    return value;
}

static struct mlir_value *count_rank(struct mlir_lower *l, struct mlir_node *op,
                                     const struct mlir_value *view, void *context)
{
    (void)l;
    (void)op;
    if (view->kind == MLIR_V_VIEW)
        *(unsigned *)context = view->view.rank;
    return (struct mlir_value *)view;
}

static void partition(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_part window = {0};
    struct mlir_value *view;
    uint8_t offsets = 0, sizes = 0;
    unsigned rank = 0;

    if (!op->first || op->first->kind != MLIR_SSA) {
        mlir_refuse(l, op, op, "'%%WINDOW = pto.partition_view VIEW, offsets = [..], sizes = [..] "
                    ": TYPE -> TYPE' was expected");
        return;
    }
    view = mlir_find(l, op, op->first);
    if (!view || !read_list(l, op, "offsets", window.at, &offsets) ||
        !read_list(l, op, "sizes", window.size, &sizes))
        return;
    mlir_map_choice(l, op, view, count_rank, &rank);
    if (rank && (offsets != rank || sizes != rank)) {
        mlir_refuse(l, op, op, "the view has %u dimensions, its window %u offsets and %u sizes",
                    rank, offsets, sizes);
        return;
    }
    bind_result(l, op, mlir_map_choice(l, op, view, part_of, &window));
}

bool mlir_view_op(struct mlir_lower *l, struct mlir_node *op)
{
    if (!strcmp(op->text, "pto.addptr"))
        add_pointer(l, op);
    else if (!strcmp(op->text, "pto.make_tensor_view"))
        make_view(l, op);
    else if (!strcmp(op->text, "pto.partition_view"))
        partition(l, op);
    else
        return false;
    return true;
}
