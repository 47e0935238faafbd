/* Declarations: global objects, tiles, local arrays, labels. */
#include "verify.h"

#include <stdlib.h>

#include "fit_tile.h"

enum { MOST_LOCAL_ELEMENTS = 1 << 20 }; /* of all local arrays of a program: 8 MiB */

/* ---- global objects -------------------------------------------------------------------------- */

static bool too_deep(const struct pto_kernel *kernel, const struct pto_object *object)
{
    unsigned depth = 0;

    while (object && depth <= PTO_MAX_VIEW_DEPTH) {
        object = misfit_base(kernel, object);
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
    if (!misfit_base(v->kernel, object)) {
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
    verify_position(v, object->pos, object->name);
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
    if (object->flat && object->kind != PTO_OBJ_IN && object->kind != PTO_OBJ_INOUT &&
        object->kind != PTO_OBJ_SYM)
        verify_error(v, object->pos, "'%s' is flat, but no .in, .inout or .sym", object->name);
    if (object->flat && object->dims != 1)
        verify_error(v, object->pos, "'%s' is flat, but has %u dimensions", object->name,
                     object->dims);
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

static void check_tile(struct verify *v, const struct pto_tile *tile)
{
    struct pto_misfit misfit;
    struct pto_diag *diag;

    verify_position(v, tile->pos, tile->name);
    if (tile->parent != PTO_NONE && (tile->parent < 0 || tile->parent >= tile - v->core->tile)) {
        verify_error(v, tile->pos, "tile '%s' does not view an earlier tile", tile->name);
        return;
    }
    if (pto_tile_fits(v->profile, v->core_kind, tile, &misfit) &&
        pto_tile_place_fits(v->profile, v->core, tile, &misfit))
        return;
    diag = verify_error(v, tile->pos, "tile '%s': %s", tile->name, misfit.text);
    if (*misfit.hint)
        pto_diag_hint(v->diags, diag, "%s", misfit.hint);
}

/* ---- the tables of a program ----------------------------------------------------------------- */

static void check_locals(struct verify *v)
{
    uint64_t elements = 0;

    for (uint32_t i = 0; i < v->core->locals; i++) {
        const struct pto_local *local = &v->core->local[i];

        elements += local->count;
        verify_position(v, local->pos, local->name);
        if (local->count == 0)
            verify_error(v, local->pos, "local array '%s' is empty", local->name);
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
        bool tile = i < outer + core->tiles;

        verify_name(v, tile ? core->tile[i - outer].pos : core->local[i - outer - core->tiles].pos,
                    names[i], tile ? "tile" : "local array");
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
