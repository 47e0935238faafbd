#include "uniform.h"

#include <inttypes.h>
#include <string.h>

#include "bits.h"

/* ---- parameters ---- */

static const char *parameter_text(struct pto_vm *vm, const struct pto_param *param, uint64_t bits)
{
    return param->is_float ? pto_arena_printf(&vm->arena, "%.17g", pto_f64_from_bits(bits))
                           : pto_arena_printf(&vm->arena, "%" PRId64, (int64_t)bits);
}

enum pto_status uniform_parameters(const struct preparation *c)
{
    const struct pto_kernel *kernel = c->launch->kernel;
    enum pto_status status = PTO_OK;

    for (uint32_t i = 0; i < kernel->params; i++) {
        const struct pto_param *param = &kernel->param[i];

        if (!param->uniform || c->param[i] == c->launch->param[0][i])
            continue;
        status = COMPLAIN(c, kernel->pos, NULL,
                          "parameter '%s' of kernel %s must be the same on all ranks: it is %s on "
                          "rank 0 and %s on rank %d", param->name, kernel->name,
                          parameter_text(c->vm, param, c->launch->param[0][i]),
                          parameter_text(c->vm, param, c->param[i]), c->rank->number);
    }
    return status;
}

/* ---- inputs ---- */

static const char *element_text(struct pto_vm *vm, const struct object *object, uint64_t index)
{
    enum pto_dtype dtype = (enum pto_dtype)object->dtype;
    const uint8_t *element = object->data + index * pto_dtype_size(dtype);

    if (pto_dtype_is_float(dtype))
        return pto_arena_printf(&vm->arena, "%.9g", pto_load_f64(element, dtype));
    return pto_arena_printf(&vm->arena, dtype == PTO_U64 ? "%" PRIu64 : "%" PRId64,
                            pto_load_int(element, dtype));
}

/* "[row, column]" of an element, by its number. */
static const char *index_text(struct pto_vm *vm, const struct object *object, uint64_t index)
{
    const char *text = "]";

    for (unsigned i = object->dims; i-- > 0; index /= object->dim[i])
        text = pto_arena_printf(&vm->arena, "%s%" PRIu64 "%s", i ? ", " : "[",
                                index % object->dim[i], text);
    return text;
}

/* Their sizes are equal and their bytes are not. */
static enum pto_status complain_element(const struct preparation *c, uint32_t pos,
                                        const struct object *first, const struct object *other)
{
    unsigned bytes = pto_dtype_size((enum pto_dtype)first->dtype);
    uint64_t index = 0;

    while (!memcmp(first->data + index * bytes, other->data + index * bytes, bytes))
        index++;
    return COMPLAIN(c, pos, NULL,
                    "'%s' must be the same on all ranks: %s is %s on rank 0 and %s on rank %d",
                    first->name, index_text(c->vm, first, index),
                    element_text(c->vm, first, index), element_text(c->vm, other, index),
                    c->rank->number);
}

static enum pto_status compare_input(const struct preparation *c, uint32_t index)
{
    const struct bound_object *first = &c->launch->bound[0][index], *other = &c->bound[index];
    const struct object *a = &c->vm->rank[0].object[first->object];
    const struct object *b = &c->rank->object[other->object];
    uint32_t pos = c->launch->kernel->object[index].pos;

    if (first->given != other->given)
        return COMPLAIN(c, pos, NULL,
                        "'%s' must be the same on all ranks: it is given on rank %d and not on "
                        "rank %d", a->name, first->given ? 0 : c->rank->number,
                        first->given ? c->rank->number : 0);
    if (!first->given)
        return PTO_OK;
    if (a->size != b->size)
        return COMPLAIN(c, pos, NULL,
                        "'%s' must be the same on all ranks: it has %" PRIu64 " bytes on rank 0 "
                        "and %" PRIu64 " on rank %d", a->name, a->size, b->size, c->rank->number);
    return a->size == 0 || !memcmp(a->data, b->data, a->size) ? PTO_OK
                                                              : complain_element(c, pos, a, b);
}

static enum pto_status compare_rank(struct pto_vm *vm, struct launch *launch, int r,
                                    struct pto_diags *diags)
{
    struct preparation c = {.vm = vm, .launch = launch, .rank = &vm->rank[r],
                            .bound = launch->bound[r], .diags = diags};
    enum pto_status status = PTO_OK;

    for (uint32_t i = 0; i < launch->kernel->objects; i++)
        if (launch->kernel->object[i].uniform && compare_input(&c, i) != PTO_OK)
            status = PTO_ECONFIG;
    return status;
}

/* Rank 0 and rank r see the same objects as in the launch before of the same kernel. */
static bool as_before(const struct pto_vm *vm, const struct launch *launch, int r)
{
    const struct launch *earlier = launch->earlier < 0 ? NULL : &vm->launch[launch->earlier];

    return earlier && earlier->bound[0] == launch->bound[0] &&
           earlier->bound[r] == launch->bound[r];
}

enum pto_status pto_vm_compare_uniform(struct pto_vm *vm, struct pto_diags *diags)
{
    for (unsigned l = 0; l < vm->launches; l++)
        for (int i = 0; i < vm->owns; i++)
            if (vm->own[i] > 0 && !as_before(vm, &vm->launch[l], vm->own[i]))
                PTO_TRY(compare_rank(vm, &vm->launch[l], vm->own[i], diags));
    return PTO_OK;
}
