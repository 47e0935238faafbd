#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "machine/memory.h"

/* ---- bindings ---- */

static const char *shape_text(struct pto_vm *vm, unsigned dims, const uint64_t *dim)
{
    struct pto_buf text = {0};
    const char *copy;

    pto_buf_printf(&text, "[");
    for (unsigned i = 0; i < dims; i++)
        pto_buf_printf(&text, i ? ", %llu" : "%llu", (unsigned long long)dim[i]);
    pto_buf_printf(&text, "]");
    copy = pto_arena_strdup(&vm->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    return copy;
}

unsigned objects_given_dims(const struct pto_object *object, const struct binding *binding,
                            uint64_t *dim)
{
    if (object->flat && (binding->data || binding->lent)) {
        dim[0] = binding->bytes / pto_dtype_size(binding->dtype);
        return 1;
    }
    memcpy(dim, binding->dim, sizeof binding->dim);
    return binding->dims;
}

/* What lets an object take an array of another number of dimensions; NULL: nothing. */
static const char *flat_hint(const struct preparation *c, const struct pto_object *object)
{
    if (object->dims != 1 || (object->kind != PTO_OBJ_IN && object->kind != PTO_OBJ_INOUT))
        return NULL;
    return pto_arena_printf(&c->vm->arena, "'flat' behind the declaration of '%s' lets it take an "
                            "array of any shape as its elements, row after row", object->name);
}

static enum pto_status check_binding(const struct preparation *c, const struct pto_object *object,
                                     const struct bound_object *bound,
                                     const struct binding *binding)
{
    uint64_t dim[PTO_MAX_DIMS];
    bool same = objects_given_dims(object, binding, dim) == bound->dims;

    if (!binding->data && !binding->lent)
        return PTO_OK;
    if (binding->dtype != bound->dtype)
        return COMPLAIN(c, object->pos, c->vm->options.remedies.wrong_type,
                        "rank %d: '%s' is declared %s and was given %s", c->rank->number,
                        object->name, pto_dtype_name(bound->dtype),
                        pto_dtype_name(binding->dtype));
    for (unsigned i = 0; same && i < bound->dims; i++)
        same = dim[i] == bound->dim[i];
    if (!same)
        return COMPLAIN(c, object->pos,
                        binding->dims != bound->dims ? flat_hint(c, object) : NULL,
                        "rank %d: '%s' is declared %s%s and was given %s%s%s%s",
                        c->rank->number, object->name, pto_dtype_name(bound->dtype),
                        shape_text(c->vm, bound->dims, bound->dim), pto_dtype_name(binding->dtype),
                        shape_text(c->vm, binding->dims, binding->dim),
                        binding->origin ? " by " : "", binding->origin ? binding->origin : "");
    return PTO_OK;
}

static bool has_dim(const struct pto_object *object, uint32_t parameter)
{
    for (unsigned d = 0; d < object->dims; d++)
        if (object->dim[d].kind == PTO_S_REG && object->dim[d].reg == parameter)
            return true;
    return false;
}

enum pto_status objects_other_dims(const struct preparation *c, uint32_t index)
{
    const struct pto_kernel *kernel = c->launch->kernel;

    for (uint32_t i = 0; i < kernel->objects; i++) {
        const struct pto_object *object = &kernel->object[i];
        const struct binding *binding = prepare_binding(c->vm, c->rank->number, object->name);

        if (binding && (binding->data || binding->lent) && !object->flat &&
            binding->dims != object->dims && has_dim(object, index))
            return COMPLAIN(c, object->pos, flat_hint(c, object),
                            "rank %d: '%s' is declared with %u dimension%s and was given %s%s%s%s",
                            c->rank->number, object->name, object->dims,
                            object->dims == 1 ? "" : "s", pto_dtype_name(binding->dtype),
                            shape_text(c->vm, binding->dims, binding->dim),
                            binding->origin ? " by " : "", binding->origin ? binding->origin : "");
    }
    return PTO_OK;
}

/* ---- shapes ---- */

static int64_t evaluate(const struct preparation *c, const struct pto_scalar *scalar)
{
    if (scalar->kind == PTO_S_REG)
        return (int64_t)c->reg[scalar->reg];
    if (scalar->kind == PTO_S_SYS)
        return (int64_t)c->reg[c->launch->ready->setup.first_sys + scalar->reg];
    return scalar->kind == PTO_S_INT ? scalar->i : 0;
}

static enum pto_status shape_dims(struct preparation *c, const struct pto_object *object,
                                  struct bound_object *bound)
{
    bound->dims = object->dims;
    for (unsigned i = 0; i < object->dims; i++) {
        int64_t dim = evaluate(c, &object->dim[i]);

        if (dim < 0 || dim > 1ll << 40)
            return COMPLAIN(c, object->pos, NULL, "rank %d: dimension %u of '%s' is %lld",
                            c->rank->number, i, object->name, (long long)dim);
        bound->dim[i] = (uint64_t)dim;
    }
    return PTO_OK;
}

/* Byte strides: row major, the last one being an element (a signal: its 64-byte line). */
static enum pto_status shape_strides(struct preparation *c, const struct pto_object *object,
                                     struct bound_object *bound, uint64_t *bytes)
{
    uint64_t unit = pto_dtype_size(object->dtype);
    uint64_t step = object->kind == PTO_OBJ_SIGNAL ? 64 : unit;

    for (unsigned i = object->dims; i-- > 0;) {
        bound->stride[i] = (int64_t)step;
        if (object->strided) {
            int64_t stride = evaluate(c, &object->stride[i]);

            if (stride < 0 || stride > 1ll << 40)
                return COMPLAIN(c, object->pos, NULL, "rank %d: stride %u of '%s' is %lld",
                                c->rank->number, i, object->name, (long long)stride);
            bound->stride[i] = stride * (int64_t)unit;
        }
        if (__builtin_mul_overflow(step, bound->dim[i], &step) || step > 1ull << 44)
            return COMPLAIN(c, object->pos, NULL, "rank %d: '%s' is too large", c->rank->number,
                            object->name);
    }
    *bytes = step;
    return PTO_OK;
}

/* A view stays inside the object that it looks at. */
static enum pto_status shape_view(struct preparation *c, const struct pto_object *object,
                                  struct bound_object *bound)
{
    const struct bound_object *base = &c->bound[object->base];
    const struct object *whole = &c->rank->object[base->object];
    uint64_t unit = pto_dtype_size(object->dtype);
    int64_t offset = evaluate(c, &object->offset);
    unsigned __int128 end;

    bound->object = base->object;
    bound->present = base->present;
    bound->kind = base->kind;
    if (offset < 0 || offset > 1ll << 40)
        return COMPLAIN(c, object->pos, NULL, "rank %d: offset of view '%s' is %lld",
                        c->rank->number, object->name, (long long)offset);
    bound->offset = base->offset + (uint64_t)offset * unit;
    end = (unsigned __int128)bound->offset + unit;
    for (unsigned i = 0; i < bound->dims; i++) {
        if (bound->dim[i] == 0)
            return PTO_OK;
        end += (unsigned __int128)(bound->dim[i] - 1) * (uint64_t)bound->stride[i];
    }
    if (end > whole->size)
        return COMPLAIN(c, object->pos, NULL,
                        "rank %d: view '%s' reaches byte %llu of '%s', which has %llu",
                        c->rank->number, object->name, (unsigned long long)end, whole->name,
                        (unsigned long long)whole->size);
    return PTO_OK;
}

/* ---- objects by name, shared between launches ---- */

static uint32_t find_object(const struct rank *rank, const char *name)
{
    uint32_t i = 0;

    while (i < rank->objects && strcmp(rank->object[i].name, name) != 0)
        i++;
    return i;
}

static bool writes(uint8_t kind)
{
    return kind != PTO_OBJ_IN;
}

static enum pto_status declare_object(struct preparation *c, const struct pto_object *object,
                                      struct bound_object *bound, uint64_t bytes)
{
    struct object *whole = &c->rank->object[bound->object];
    bool symmetric = object->kind == PTO_OBJ_SYM || object->kind == PTO_OBJ_SIGNAL;

    whole->uniform = whole->uniform || object->uniform;
    whole->flat = object->flat && (whole->flat || !whole->declared);
    if (!whole->declared) {
        whole->declared = true;
        whole->kind = object->kind;
        whole->dtype = object->dtype;
        whole->size = bytes;
        whole->dims = bound->dims;
        memcpy(whole->dim, bound->dim, sizeof whole->dim);
        for (unsigned i = 0; i < bound->dims; i++)
            whole->stride[i] = bound->stride[i] / (int64_t)pto_dtype_size(object->dtype);
        return PTO_OK;
    }
    if (whole->dtype != object->dtype || whole->size != bytes)
        return COMPLAIN(c, object->pos, "objects of one name are one object in all launches",
                        "rank %d: '%s' is %s of %llu bytes here and %s of %llu bytes in an "
                        "earlier launch", c->rank->number, object->name,
                        pto_dtype_name(object->dtype), (unsigned long long)bytes,
                        pto_dtype_name(whole->dtype), (unsigned long long)whole->size);
    if (symmetric != (whole->kind == PTO_OBJ_SYM || whole->kind == PTO_OBJ_SIGNAL))
        return COMPLAIN(c, object->pos, NULL,
                        "rank %d: '%s' is symmetric in one launch and not in another",
                        c->rank->number, object->name);
    return PTO_OK;
}

static bool can_be_bound(uint8_t kind)
{
    return kind != PTO_OBJ_OUT && kind != PTO_OBJ_VIEW;
}

static enum pto_status bind_contents(struct preparation *c, const struct pto_object *object,
                                     struct bound_object *bound)
{
    struct object *whole = &c->rank->object[bound->object];
    const struct binding *binding = prepare_binding(c->vm, c->rank->number, object->name);
    bool needed = (object->kind == PTO_OBJ_IN || object->kind == PTO_OBJ_INOUT) &&
                  !object->optional && !whole->written && !c->vm->sizes_only;

    bound->present = true;
    if (can_be_bound(object->kind))
        prepare_use_bindings(c->vm, object->name);
    if (binding && can_be_bound(object->kind)) {
        PTO_TRY(check_binding(c, object, bound, binding));
        whole->bound = true;
    } else if (needed && !whole->bound) {
        return COMPLAIN(c, object->pos, c->vm->options.remedies.no_input,
                        "rank %d: input '%s' of kernel %s was not given", c->rank->number,
                        object->name, c->launch->kernel->name);
    } else if (object->optional) {
        bound->present = whole->bound || whole->written;
    }
    bound->given = whole->bound && !whole->written;
    whole->written = whole->written || writes(object->kind);
    return PTO_OK;
}

enum pto_status objects_shape(struct preparation *c, uint32_t index)
{
    const struct pto_object *object = &c->launch->kernel->object[index];
    struct bound_object *bound = &c->bound[index];
    uint64_t bytes = 0;

    bound->dtype = object->dtype;
    bound->kind = object->kind;
    PTO_TRY(shape_dims(c, object, bound));
    PTO_TRY(shape_strides(c, object, bound, &bytes));
    if (object->kind == PTO_OBJ_VIEW)
        return shape_view(c, object, bound);
    bound->object = find_object(c->rank, object->name);
    PTO_TRY(declare_object(c, object, bound, bytes));
    return bind_contents(c, object, bound);
}

/* ---- all objects ---- */

/* The table of objects, with the same numbers on every rank. */
void objects_number(struct pto_vm *vm)
{
    unsigned most = 0;

    for (unsigned l = 0; l < vm->launches; l++)
        if (vm->launch[l].earlier < 0)
            most += vm->launch[l].kernel->objects;
    for (int r = 0; r < vm->ranks; r++) {
        struct rank *rank = &vm->rank[r];

        rank->object = pto_arena_array(&vm->arena, most, sizeof *rank->object);
        for (unsigned l = 0; l < vm->launches; l++) {
            const struct pto_kernel *kernel = vm->launch[l].kernel;

            for (uint32_t i = 0; vm->launch[l].earlier < 0 && i < kernel->objects; i++)
                if (kernel->object[i].kind != PTO_OBJ_VIEW &&
                    find_object(rank, kernel->object[i].name) == rank->objects)
                    rank->object[rank->objects++].name = kernel->object[i].name;
        }
    }
}

/* An optional input that is absent is known before the set-up asks present(). */
void objects_presume(struct preparation *c)
{
    const struct pto_kernel *kernel = c->launch->kernel;

    for (uint32_t i = 0; i < kernel->objects; i++) {
        const struct pto_object *object = &kernel->object[i];

        c->bound[i].present = true;
        if (object->kind == PTO_OBJ_VIEW)
            c->bound[i].present = c->bound[object->base].present;
        else if (object->optional)
            c->bound[i].present =
                prepare_binding(c->vm, c->rank->number, object->name) ||
                c->rank->object[find_object(c->rank, object->name)].written;
    }
}

enum pto_status objects_check_symmetry(struct pto_vm *vm, struct pto_diags *diags)
{
    for (int r = 1; r < vm->ranks; r++)
        for (unsigned i = 0; i < vm->rank[0].objects; i++) {
            const struct object *a = &vm->rank[0].object[i], *b = &vm->rank[r].object[i];

            if ((a->kind == PTO_OBJ_SYM || a->kind == PTO_OBJ_SIGNAL) && a->size != b->size) {
                pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                             "symmetric object '%s' has %llu bytes on rank 0 and %llu on rank %d",
                             a->name, (unsigned long long)a->size, (unsigned long long)b->size, r);
                return PTO_ECONFIG;
            }
        }
    return PTO_OK;
}

void objects_place(struct pto_vm *vm)
{
    uint64_t line = vm->profile.l2_line ? vm->profile.l2_line : 1;

    for (int r = 0; r < vm->ranks; r++) {
        uint64_t address = 0;

        for (unsigned i = 0; i < vm->rank[r].objects; i++) {
            struct object *object = &vm->rank[r].object[i];

            object->address = address;
            address += (object->size + line - 1) / line * line;
        }
        vm->rank[r].memory_bytes = address;
    }
}

/* Bytes of the caller's that nobody writes: the object is them. */
static bool take_lent(struct object *object, const struct binding *binding)
{
    if (!object->bound || !binding || !binding->lent || !binding->data || object->written ||
        object->size != binding->bytes)
        return false;
    object->data = (uint8_t *)(uintptr_t)binding->data;
    object->lent = true;
    return true;
}

static void fill_bound(struct object *object, const struct binding *binding)
{
    bool signal = object->kind == PTO_OBJ_SIGNAL;

    for (uint64_t at = 0; signal && at < binding->bytes; at += 4) /* a line each */
        memcpy(object->data + at * 16, binding->data + at, 4);
    if (!signal && binding->bytes)
        memcpy(object->data, binding->data, binding->bytes);
}

static enum pto_status allocate(struct pto_vm *vm, int rank, struct object *object,
                                struct pto_diags *diags)
{
    const struct binding *binding = prepare_binding(vm, rank, object->name);
    bool filled = object->bound && binding;
    bool compared = rank == 0 && object->uniform; /* what other ranks have is held against it */

    if (object->skipped || take_lent(object, binding) || (!is_own(vm, rank) && !compared))
        return PTO_OK;
    if (!memory_allocate(vm, object, filled)) {
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                     "rank %d: the host has no memory for the %llu bytes of '%s'", rank,
                     (unsigned long long)object->size, object->name);
        return PTO_EMEMORY;
    }
    if (filled)
        fill_bound(object, binding);
    return PTO_OK;
}

enum pto_status objects_allocate(struct pto_vm *vm, struct pto_diags *diags)
{
    for (int r = 0; r < vm->ranks; r++)
        for (unsigned i = 0; i < vm->rank[r].objects; i++)
            PTO_TRY(allocate(vm, r, &vm->rank[r].object[i], diags));
    for (unsigned i = 0; i < vm->bindings; i++) {
        if (!vm->binding[i].lent)
            free((void *)(uintptr_t)vm->binding[i].data);
        vm->binding[i].data = NULL;
    }
    return PTO_OK;
}
