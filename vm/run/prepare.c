/* Before the first launch: parameters, set-ups, shapes, types, sizes - everything that can be
 * wrong with what the caller bound is found here, before anything runs. */
#include <stdlib.h>
#include <string.h>

#include "footprint.h"
#include "launch.h"
#include "machine/cost.h"
#include "machine/memory.h"
#include "machine/parts.h"
#include "objects.h"
#include "payload.h"
#include "uniform.h"
#include "units/scalar.h"

/* ---- parameters ---- */

static enum pto_status take_parameter(struct preparation *c, uint32_t index)
{
    const struct pto_param *param = &c->launch->kernel->param[index];

    for (unsigned i = 0; i < c->vm->parameters; i++) {
        struct parameter_value *value = &c->vm->parameter[i];
        double as_float;

        if (strcmp(value->name, param->name) != 0)
            continue;
        value->used = true;
        if (value->rank != PTO_ALL_RANKS && value->rank != c->rank->number)
            continue;
        if (value->is_float && !param->is_float)
            return COMPLAIN(c, c->launch->kernel->pos, NULL,
                            "parameter '%s' is an integer and was given a float", param->name);
        c->param[index] = value->bits;
        if (!value->is_float && param->is_float) {
            as_float = (double)(int64_t)value->bits;
            memcpy(&c->param[index], &as_float, sizeof as_float);
        }
        c->given[index] = true;
    }
    return PTO_OK;
}

/* A parameter that is a dimension of a given input has that dimension's size. */
static void infer_parameters(struct preparation *c)
{
    const struct pto_kernel *kernel = c->launch->kernel;

    for (uint32_t i = 0; i < kernel->objects; i++) {
        const struct pto_object *object = &kernel->object[i];
        const struct binding *binding = prepare_binding(c->vm, c->rank->number, object->name);
        uint64_t dim[PTO_MAX_DIMS];

        if (!binding || objects_given_dims(object, binding, dim) != object->dims)
            continue;
        for (unsigned d = 0; d < object->dims; d++) {
            uint32_t reg = object->dim[d].reg;

            if (object->dim[d].kind == PTO_S_REG && reg < kernel->params && !c->given[reg] &&
                !kernel->param[reg].is_float) {
                c->param[reg] = dim[d];
                c->given[reg] = true;
            }
        }
    }
}

static enum pto_status check_parameters(const struct preparation *c)
{
    const struct pto_kernel *kernel = c->launch->kernel;
    enum pto_status status = PTO_OK;

    for (uint32_t i = 0; i < kernel->params; i++)
        if (!c->given[i] && !kernel->param[i].has_default) {
            PTO_TRY(objects_other_dims(c, i)); /* it may be why the parameter has no value */
            status = COMPLAIN(c, kernel->pos, c->vm->options.remedies.no_parameter,
                              "rank %d: parameter '%s' of kernel %s has no value",
                              c->rank->number, kernel->param[i].name, kernel->name);
        }
    return status;
}

/* ---- the set-up ---- */

static enum pto_status run_setup(struct preparation *c, struct core *core)
{
    const struct ready_code *ready = &c->launch->ready->setup;

    *core = (struct core){.rank = c->rank, .ready = ready, .given = c->given};
    parts_begin(core, NULL);
    memory_reset(core);
    launch_fill_sys(core, c->launch->kernel);
    memcpy(core->reg, c->param, c->launch->kernel->params * sizeof *c->param);
    if (!scalar_setup(core)) {
        const struct pto_fault *fault = &c->rank->fault;

        return COMPLAIN(c, (uint32_t)fault->pos, fault->hint, "rank %d: %s", c->rank->number,
                        fault->message);
    }
    c->reg = core->reg;
    memcpy(c->param, core->reg, c->launch->kernel->params * sizeof *c->param);
    return PTO_OK;
}

/* ---- all of it ---- */

static enum pto_status prepare_launch(struct preparation *c, struct core *core)
{
    const struct pto_kernel *kernel = c->launch->kernel;
    enum pto_status status = PTO_OK;

    for (uint32_t i = 0; i < kernel->params; i++)
        PTO_TRY(take_parameter(c, i));
    infer_parameters(c);
    PTO_TRY(check_parameters(c));
    objects_presume(c);
    PTO_TRY(run_setup(c, core));
    PTO_TRY(uniform_parameters(c));
    for (uint32_t i = 0; i < kernel->objects; i++)
        if (objects_shape(c, i) != PTO_OK)
            status = PTO_ECONFIG;
    return status;
}

static bool holds(const void *array, const void *same, size_t bytes)
{
    return array && memcmp(array, same, bytes) == 0;
}

/* The array `fresh`, in memory that lives as long as the machine: that of the earlier launch of the
 * kernel if it holds the same, or that of the rank before.  Frees `fresh`. */
static void *keep(struct pto_vm *vm, void *fresh, void *earlier, void *before, size_t bytes)
{
    void *kept;

    if (holds(earlier, fresh, bytes))
        kept = earlier;
    else if (holds(before, fresh, bytes))
        kept = before;
    else
        kept = memcpy(pto_arena_alloc(&vm->arena, bytes), fresh, bytes);
    free(fresh);
    return kept;
}

static enum pto_status prepare_on_rank(struct pto_vm *vm, unsigned number, int r,
                                       struct pto_diags *diags)
{
    struct launch *launch = &vm->launch[number];
    const struct pto_kernel *kernel = launch->kernel;
    const struct launch *earlier = launch->earlier < 0 ? NULL : &vm->launch[launch->earlier];
    struct core core = {.rank = &vm->rank[r]};
    struct preparation c = {.vm = vm, .launch = launch, .rank = &vm->rank[r], .diags = diags};
    enum pto_status status;

    c.bound = launch->bound[r] = pto_xcalloc(kernel->objects, sizeof *c.bound);
    c.param = launch->param[r] = pto_xcalloc(kernel->params, sizeof *c.param);
    c.given = pto_xcalloc(kernel->params, sizeof *c.given);
    c.rank->launch = number;
    status = prepare_launch(&c, &core);
    c.rank->launch = 0;
    launch->bound[r] = keep(vm, c.bound, earlier ? earlier->bound[r] : NULL,
                            r ? launch->bound[r - 1] : NULL, kernel->objects * sizeof *c.bound);
    launch->param[r] = keep(vm, c.param, earlier ? earlier->param[r] : NULL,
                            r ? launch->param[r - 1] : NULL, kernel->params * sizeof *c.param);
    free(c.given);
    free(core.reg);
    free(core.local);
    return status;
}

static enum pto_status check_unused(const struct pto_vm *vm, struct pto_diags *diags)
{
    enum pto_status status = PTO_OK;

    for (unsigned i = 0; i < vm->parameters; i++)
        if (!vm->parameter[i].used) {
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "no kernel has a parameter '%s'",
                         vm->parameter[i].name);
            status = PTO_ECONFIG;
        }
    for (unsigned i = 0; i < vm->bindings; i++)
        if (!vm->binding[i].used) {
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "no kernel has an input '%s'",
                         vm->binding[i].name);
            status = PTO_ECONFIG;
        }
    return status;
}

/* Parameters, set-ups, shapes: all that can be known without the objects' bytes. */
static enum pto_status prepare_shapes(struct pto_vm *vm, struct pto_diags *diags)
{
    objects_number(vm);
    for (unsigned l = 0; l < vm->launches; l++) {
        struct launch *launch = &vm->launch[l];

        launch->bound = pto_arena_array(&vm->arena, (size_t)vm->ranks, sizeof *launch->bound);
        launch->param = pto_arena_array(&vm->arena, (size_t)vm->ranks, sizeof *launch->param);
        for (int r = 0; r < vm->ranks; r++)
            PTO_TRY(prepare_on_rank(vm, l, r, diags)); /* other ranks have the same trouble */
    }
    PTO_TRY(objects_check_symmetry(vm, diags));
    objects_place(vm);
    return check_unused(vm, diags);
}

enum pto_status pto_vm_measure(struct pto_vm *vm, struct pto_memory *memory,
                               struct pto_diags *diags)
{
    vm->sizes_only = true;
    PTO_TRY(prepare_shapes(vm, diags));
    footprint_measure(vm, memory);
    return PTO_OK;
}

enum pto_status pto_vm_prepare(struct pto_vm *vm, struct pto_diags *diags)
{
    PTO_TRY(prepare_shapes(vm, diags));
    if (vm->options.timing_only)
        payload_derive(vm);
    PTO_TRY(footprint_check(vm, diags));
    PTO_TRY(objects_allocate(vm, diags));
    for (int r = 0; r < vm->ranks; r++)
        vm->rank[r].launch_at = cost_common_launch(vm);
    vm->prepared = true;
    return PTO_OK;
}
