/* Declarations: global objects, tiles, local arrays, labels. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_LOCAL_ELEMENTS = 1 << 20, /* of all local arrays of a program: 8 MiB */
    STRIDE_UNIT = 32,              /* bytes: slots start on blocks */
};

/* The object that a view names, NULL for others and for views that name no earlier one. */
static const struct pto_object *base_of(const struct pto_kernel *kernel,
                                        const struct pto_object *object)
{
    bool named = object->kind == PTO_OBJ_VIEW && object->base >= 0 &&
                 object->base < object - kernel->object;

    return named ? &kernel->object[object->base] : NULL;
}

const struct pto_object *verify_root(const struct pto_kernel *kernel,
                                     const struct pto_object *object)
{
    /* A base comes earlier than its view, so the chain ends. */
    for (const struct pto_object *base; (base = base_of(kernel, object));)
        object = base;
    return object;
}

/* ---- global objects -------------------------------------------------------------------------- */

static bool too_deep(const struct pto_kernel *kernel, const struct pto_object *object)
{
    unsigned depth = 0;

    while (object && depth <= PTO_MAX_VIEW_DEPTH) {
        object = base_of(kernel, object);
        depth += object != NULL;
    }
    return depth > PTO_MAX_VIEW_DEPTH;
}

static void check_distance(struct verify *v, const struct pto_object *object,
                           const struct pto_scalar *distance, const char *what)
{
    if (verify_int(v, object->pos, distance, false, what) && distance->kind == PTO_S_INT &&
        distance->i < 0)
        verify_error(v, object->pos, "%s '%s' is negative", what, object->name);
}

static void check_view(struct verify *v, const struct pto_object *object)
{
    if (!base_of(v->kernel, object)) {
        verify_error(v, object->pos, "view '%s' does not name an earlier object as its base",
                     object->name);
        return;
    }
    if (too_deep(v->kernel, object)) {
        verify_error(v, object->pos, "view '%s' is nested more than %d deep", object->name,
                     PTO_MAX_VIEW_DEPTH);
        return;
    }
    check_distance(v, object, &object->offset, "offset of the view");
    for (unsigned i = 0; object->strided && i < object->dims; i++)
        check_distance(v, object, &object->stride[i], "stride of the view");
}

static void check_object(struct verify *v, const struct pto_object *object)
{
    if (object->pos >= v->module->positions && (object->pos || v->module->positions))
        verify_error(v, v->kernel->pos, "'%s' has no valid position", object->name);
    if (object->dims < 1 || object->dims > PTO_MAX_DIMS) {
        verify_error(v, object->pos, "'%s' has %u dimensions, allowed are 1 to %d", object->name,
                     object->dims, PTO_MAX_DIMS);
        return;
    }
    for (unsigned i = 0; i < object->dims; i++) {
        const struct pto_scalar *dim = &object->dim[i];

        if (verify_int(v, object->pos, dim, false, "dimension") && dim->kind == PTO_S_INT &&
            dim->i < 0)
            verify_error(v, object->pos, "dimension %u of '%s' is negative", i, object->name);
    }
    if (object->kind == PTO_OBJ_SIGNAL && object->dtype != PTO_I32)
        verify_error(v, object->pos, "signals are i32, '%s' is %s", object->name,
                     pto_dtype_name(object->dtype));
    if (object->optional && object->kind != PTO_OBJ_IN)
        verify_error(v, object->pos, "'%s' is optional, but no input (.in)", object->name);
    if (object->uniform && object->kind != PTO_OBJ_IN)
        verify_error(v, object->pos, "'%s' is uniform, but no input (.in)", object->name);
    if (object->kind == PTO_OBJ_VIEW)
        check_view(v, object);
    else if (object->base != PTO_NONE || object->strided || object->offset.kind != PTO_S_NONE)
        verify_error(v, object->pos, "'%s' has base, offset or strides, but is no view",
                     object->name);
}

void verify_objects(struct verify *v)
{
    for (uint32_t i = 0; i < v->kernel->objects && v->errors < VERIFY_MOST_ERRORS; i++)
        check_object(v, &v->kernel->object[i]);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static void check_layout(struct verify *v, const struct pto_tile *tile)
{
    unsigned legal = pto_profile_layouts(v->profile, tile->space), rows, cols;

    if (!(legal >> tile->layout & 1)) {
        struct pto_diag *diag =
            verify_error(v, v->kernel->pos, "tile '%s': %s cannot hold the layout %s", tile->name,
                         pto_space_name(tile->space), pto_layout_name(tile->layout));
        const char *list = "";

        for (unsigned i = 0; i < PTO_LAYOUT_COUNT; i++)
            if (legal >> i & 1)
                list = pto_arena_printf(&v->diags->arena, "%s %s", list, pto_layout_name(i));
        pto_diag_hint(v->diags, diag, "on profile %s it holds%s", v->profile->name, list);
        return;
    }
    pto_fractal(tile->layout, tile->space, pto_dtype_size(tile->dtype), &rows, &cols);
    if (tile->rows % rows || tile->cols % cols)
        pto_diag_hint(v->diags,
                      verify_error(v, v->kernel->pos,
                                   "tile '%s' is no multiple of its %u x %u fractal", tile->name,
                                   rows, cols),
                      "make it %llu x %llu",
                      (unsigned long long)(((uint64_t)tile->rows + rows - 1) / rows * rows),
                      (unsigned long long)(((uint64_t)tile->cols + cols - 1) / cols * cols));
}

static void check_place(struct verify *v, const struct pto_tile *tile)
{
    uint32_t capacity = v->profile->capacity[tile->space];
    /* Views may start at any element of their parent. */
    uint32_t alignment = tile->parent == PTO_NONE ? v->profile->alignment[tile->space]
                                                  : pto_dtype_size(tile->dtype);
    uint64_t bytes = pto_tile_bytes(tile);
    uint64_t last = (uint64_t)(tile->slots - 1) * tile->slot_stride + tile->address;

    if (tile->rows > PTO_MAX_TILE_SIDE || tile->cols > PTO_MAX_TILE_SIDE) {
        verify_error(v, v->kernel->pos, "tile '%s' of %u x %u elements: a side has at most %d",
                     tile->name, tile->rows, tile->cols, PTO_MAX_TILE_SIDE);
        return;
    }
    if (tile->address % alignment)
        verify_error(v, v->kernel->pos, "tile '%s' is at 0x%x, which is no multiple of %u bytes",
                     tile->name, tile->address, alignment);
    if (tile->slot_stride % STRIDE_UNIT || (tile->slots > 1 && tile->slot_stride < bytes))
        verify_error(v, v->kernel->pos,
                     "tile '%s': slots of %llu bytes every %u bytes; the distance must hold a slot "
                     "and be a multiple of %d", tile->name, (unsigned long long)bytes,
                     tile->slot_stride, STRIDE_UNIT);
    if (tile->slot_stride > capacity)
        verify_error(v, v->kernel->pos, "tile '%s': slots every %u bytes in %s with %u bytes",
                     tile->name, tile->slot_stride, pto_space_name(tile->space), capacity);
    else if (bytes > capacity || last > capacity - bytes)
        verify_error(v, v->kernel->pos,
                     "tile '%s' does not fit: %u slots of %llu bytes from 0x%x, but %s has %u "
                     "bytes on profile %s", tile->name, tile->slots, (unsigned long long)bytes,
                     tile->address, pto_space_name(tile->space), capacity, v->profile->name);
}

/* A view lies inside its parent's slot, slot for slot. */
static void check_tile_view(struct verify *v, const struct pto_tile *tile)
{
    const struct pto_tile *parent;

    if (tile->parent < 0 || tile->parent >= tile - v->core->tile) {
        verify_error(v, v->kernel->pos, "tile '%s' does not view an earlier tile", tile->name);
        return;
    }
    parent = &v->core->tile[tile->parent];
    if (tile->space != parent->space || tile->slots > parent->slots ||
        (tile->slots > 1 && tile->slot_stride != parent->slot_stride) ||
        tile->address < parent->address ||
        tile->address - parent->address + pto_tile_bytes(tile) > pto_tile_bytes(parent))
        verify_error(v, v->kernel->pos, "tile '%s' does not lie inside the slots of '%s'",
                     tile->name, parent->name);
}

static void check_tile(struct verify *v, const struct pto_tile *tile)
{
    if (pto_spaces[tile->space].core != v->core_kind) {
        verify_error(v, v->kernel->pos, "tile '%s': %s has no %s", tile->name, verify_where(v),
                     pto_space_name(tile->space));
        return;
    }
    if (tile->rows == 0 || tile->cols == 0 || tile->slots == 0) {
        verify_error(v, v->kernel->pos, "tile '%s' has no rows, columns or slots", tile->name);
        return;
    }
    check_layout(v, tile);
    check_place(v, tile);
    if (tile->parent != PTO_NONE)
        check_tile_view(v, tile);
}

/* ---- the tables of a program ----------------------------------------------------------------- */

static void check_locals(struct verify *v)
{
    uint64_t elements = 0;

    for (uint32_t i = 0; i < v->core->locals; i++) {
        elements += v->core->local[i].count;
        if (v->core->local[i].count == 0)
            verify_error(v, v->kernel->pos, "local array '%s' is empty", v->core->local[i].name);
    }
    if (elements > MOST_LOCAL_ELEMENTS)
        verify_error(v, v->kernel->pos, "the local arrays of %s have %llu elements, at most %d fit",
                     verify_where(v), (unsigned long long)elements, MOST_LOCAL_ELEMENTS);
}

static void check_labels(struct verify *v)
{
    const char **names = pto_xcalloc(v->core->labels, sizeof *names);

    for (uint32_t i = 0; i < v->core->labels && v->errors < VERIFY_MOST_ERRORS; i++) {
        const struct pto_label *label = &v->core->label[i];

        verify_name(v, v->kernel->pos, label->name, "label");
        if (label->insn > v->code->insns || (i && label->insn < label[-1].insn))
            verify_error(v, v->kernel->pos,
                         "label '%s' is behind the end of %s or before an earlier label",
                         label->name, verify_where(v));
    }
    for (uint32_t i = 0; i < v->core->labels; i++)
        names[i] = v->core->label[i].name ? v->core->label[i].name : "";
    if (v->errors < VERIFY_MOST_ERRORS)
        verify_unique(v, names, v->core->labels, 0, "labels");
    free(names);
}

/* Whatever stands before brackets in an operand has a name of its own. */
static void check_place_names(struct verify *v)
{
    const struct pto_kernel *kernel = v->kernel;
    const struct pto_core_code *core = v->core;
    uint32_t outer = kernel->params + kernel->objects, count = 0;
    const char **names = pto_xcalloc((size_t)outer + core->tiles + core->locals, sizeof *names);

    for (uint32_t i = 0; i < kernel->params; i++)
        names[count++] = kernel->param[i].name;
    for (uint32_t i = 0; i < kernel->objects; i++)
        names[count++] = kernel->object[i].name;
    for (uint32_t i = 0; i < core->tiles; i++)
        names[count++] = core->tile[i].name;
    for (uint32_t i = 0; i < core->locals; i++)
        names[count++] = core->local[i].name;
    for (uint32_t i = outer; i < count && v->errors < VERIFY_MOST_ERRORS; i++) {
        verify_name(v, kernel->pos, names[i], i < outer + core->tiles ? "tile" : "local array");
        names[i] = names[i] ? names[i] : "";
    }
    if (v->errors < VERIFY_MOST_ERRORS)
        verify_unique(v, names, count, outer, "parameters, objects, tiles or local arrays");
    free(names);
}

void verify_core_tables(struct verify *v)
{
    check_place_names(v);
    for (uint32_t i = 0; i < v->core->tiles && v->errors < VERIFY_MOST_ERRORS; i++)
        check_tile(v, &v->core->tile[i]);
    check_locals(v);
    check_labels(v);
}
