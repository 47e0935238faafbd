/* Objects: any bytes end in a module or in one message.  What the verifier accepts runs under the
 * checker, on two ranks, within limits.  Half of the changes take the module and swap what it says:
 * types, layouts, spaces, instructions, operands. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "fuzz.h"
#include "object.h"
#include "profile_load.h"
#include "vm.h"
#include "../unit/object_seal.h"

enum { MOST_LAUNCHES = 3 };

/* ---- changes ------------------------------------------------------------------------------ */

static void change_scalar(struct pto_scalar *scalar, uint64_t *state)
{
    static const int64_t numbers[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 64, 100, 255, -1, 4096,
                                      65535, INT32_MAX, INT64_MAX, INT64_MIN};

    switch (fuzz_below(state, 3)) {
    case 0:
        scalar->kind = PTO_S_INT;
        scalar->i = numbers[fuzz_below(state, sizeof numbers / sizeof *numbers)];
        break;
    case 1:
        scalar->kind = PTO_S_REG;
        scalar->reg = (uint16_t)fuzz_below(state, 8);
        break;
    default:
        scalar->kind = PTO_S_NONE;
    }
}

static void change_operand(struct pto_operand *operand, uint32_t tiles, uint32_t objects,
                           uint64_t *state)
{
    struct pto_scalar *const of_tile[] = {&operand->tile.slot, &operand->tile.row,
                                          &operand->tile.col, &operand->tile.rows,
                                          &operand->tile.cols};
    struct pto_scalar *const of_gm[] = {&operand->gm.rank, &operand->gm.index[0],
                                        &operand->gm.rows, &operand->gm.cols};

    if (operand->kind == PTO_O_SCALAR)
        change_scalar(&operand->scalar, state);
    else if (operand->kind == PTO_O_TILE && fuzz_below(state, 2))
        operand->tile.tile = (uint16_t)fuzz_below(state, tiles);
    else if (operand->kind == PTO_O_TILE)
        change_scalar(of_tile[fuzz_below(state, 5)], state);
    else if (operand->kind == PTO_O_GM && fuzz_below(state, 2))
        operand->gm.object = (uint16_t)fuzz_below(state, objects);
    else if (operand->kind == PTO_O_GM)
        change_scalar(of_gm[fuzz_below(state, 4)], state);
    else if (operand->kind == PTO_O_ENUM || operand->kind == PTO_O_LABEL)
        operand->value = (uint32_t)fuzz_below(state, 20);
}

static void change_tile(struct pto_tile *tile, uint64_t *state)
{
    static const uint32_t sides[] = {1, 8, 16, 32, 48, 64, 100, 128, 256, 1024};

    switch (fuzz_below(state, 6)) {
    case 0:
        tile->space = (uint8_t)fuzz_below(state, PTO_SPACE_COUNT);
        break;
    case 1:
        tile->layout = (uint8_t)fuzz_below(state, PTO_LAYOUT_COUNT);
        break;
    case 2:
        tile->rows = sides[fuzz_below(state, 10)];
        break;
    case 3:
        tile->cols = sides[fuzz_below(state, 10)];
        break;
    default:
        tile->dtype = (uint8_t)fuzz_below(state, PTO_DTYPE_COUNT);
    }
}

/* Another instruction with as many operands, so that it has a chance. */
static void change_op(struct pto_insn *insn, uint64_t *state)
{
    for (int tries = 0; tries < 200; tries++) {
        unsigned op = (unsigned)fuzz_below(state, PTO_ROW_COUNT);

        if (pto_op_info(op)->operands == insn->operands &&
            pto_op_info(op)->class == pto_op_info(insn->op)->class &&
            pto_op_info(op)->number != PTO_NO_NUMBER) {
            insn->op = (uint16_t)op;
            return;
        }
    }
}

/* All tiles and objects of one element type get another one. */
static void change_type(struct pto_kernel *kernel, struct pto_core_code *core, uint64_t *state)
{
    uint8_t from = (uint8_t)fuzz_below(state, PTO_DTYPE_COUNT);
    uint8_t to = (uint8_t)fuzz_below(state, PTO_DTYPE_COUNT);

    for (uint32_t i = 0; i < core->tiles; i++)
        if (core->tile[i].dtype == from)
            core->tile[i].dtype = to;
    for (uint32_t i = 0; i < kernel->objects; i++)
        if (kernel->object[i].dtype == from)
            kernel->object[i].dtype = to;
}

static void change_core(struct pto_kernel *kernel, struct pto_core_code *core, uint64_t *state)
{
    struct pto_insn *insn;

    if (!core->present || !core->code.insns)
        return;
    insn = &core->code.insn[fuzz_below(state, core->code.insns)];
    switch (fuzz_below(state, 6)) {
    case 0:
        change_type(kernel, core, state);
        break;
    case 1:
        change_op(insn, state);
        break;
    case 2:
        *insn = core->code.insn[fuzz_below(state, core->code.insns)];
        break;
    case 3:
        if (core->tiles)
            change_tile(&core->tile[fuzz_below(state, core->tiles)], state);
        break;
    default:
        if (insn->operands)
            change_operand(&insn->operand[fuzz_below(state, insn->operands)], core->tiles,
                           kernel->objects, state);
    }
}

static void change_object(struct pto_object *object, uint64_t *state)
{
    if (fuzz_below(state, 2))
        object->dtype = (uint8_t)fuzz_below(state, PTO_DTYPE_COUNT);
    else if (fuzz_below(state, 2))
        object->kind = (uint8_t)fuzz_below(state, PTO_OBJECT_KINDS);
    else if (object->dims)
        change_scalar(&object->dim[fuzz_below(state, object->dims)], state);
}

static void change_module(struct pto_module *module, uint64_t *state)
{
    struct pto_kernel *kernel = &module->kernel[fuzz_below(state, module->kernels)];

    if (!module->kernels)
        return;
    if (fuzz_below(state, 6) || !kernel->objects)
        change_core(kernel, &kernel->core[fuzz_below(state, PTO_CORE_KINDS)], state);
    else
        change_object(&kernel->object[fuzz_below(state, kernel->objects)], state);
}

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    static const char *const words[] = {"MODL", "KRNL", "CORE", "a5", NULL};
    struct pto_diags diags = {0};
    struct pto_module module;
    struct pto_buf out = {0};

    if (fuzz_below(state, 4) == 0 ||
        pto_object_read(data, size, "x", &module, &diags) != PTO_OK) {
        size = fuzz_change_text(data, size, most, words, state);
        if (size >= HEADER)
            memcpy(data, "PTOB", 4);
        repair(data, size);
    } else {
        change_module(&module, state);
        pto_object_write(&module, &out);
        pto_module_free(&module);
        if (out.size <= most)
            memcpy(data, out.data, size = out.size);
        pto_buf_free(&out);
    }
    pto_diags_free(&diags);
    return size;
}

/* ---- running ------------------------------------------------------------------------------ */

static enum pto_status set_up(struct pto_vm *vm, const struct pto_program *program,
                              struct pto_diags *diags)
{
    uint32_t kernels = program->module.kernels;

    for (uint32_t k = 0; k < kernels && k < MOST_LAUNCHES; k++) {
        const struct pto_kernel *kernel = &program->module.kernel[k];

        PTO_TRY(pto_vm_launch(vm, program, k, diags));
        for (uint32_t i = 0; i < kernel->params; i++)
            if (!kernel->param[i].has_default)
                PTO_TRY(kernel->param[i].is_float
                            ? pto_vm_set_float(vm, PTO_ALL_RANKS, kernel->param[i].name, 1.5, diags)
                            : pto_vm_set_int(vm, PTO_ALL_RANKS, kernel->param[i].name, 40, diags));
        for (uint32_t i = 0; i < kernel->objects; i++)
            if (kernel->object[i].kind == PTO_OBJ_IN || kernel->object[i].kind == PTO_OBJ_INOUT)
                PTO_TRY(pto_vm_bind(vm, PTO_ALL_RANKS, kernel->object[i].name, PTO_F32, NULL, 0,
                                    NULL, NULL, diags));
    }
    return pto_vm_prepare(vm, diags);
}

/* Whatever ends it: a fault, a deadlock and a limit are fine. */
static void run(const struct pto_program *program, struct pto_diags *diags)
{
    const struct pto_vm_options options = {.ranks = 2, .cores = 1, .max_insns = 3000,
                                           .max_time_ps = 1000000000, .max_memory = 32 << 20};
    struct pto_check *check = NULL;
    struct pto_vm *vm;

    if (pto_vm_create(&options, &program->profile, diags, &vm) != PTO_OK)
        return;
    if (set_up(vm, program, diags) == PTO_OK && pto_check_attach(vm, &check) == PTO_OK) {
        enum pto_status status = pto_vm_run(vm);

        assert(status != PTO_EINTERNAL);
        assert((status == PTO_OK) == (pto_vm_fault(vm) == NULL));
        pto_check_finish(check);
        pto_check_free(check);
    }
    pto_vm_free(vm);
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    struct pto_diags diags = {.max_errors = 20};
    struct pto_profile profile;
    struct pto_module module;
    struct pto_program program;
    struct pto_buf text = {0};

    if (pto_object_read(data, size, name, &module, &diags) != PTO_OK) {
        assert(diags.errors == 1);
        pto_diags_free(&diags);
        return;
    }
    pto_disassemble(&module, &text);
    pto_buf_free(&text);
    if (pto_profile_load_of(name, module.profile, NULL, &profile, &diags) == PTO_OK &&
        pto_verify(&module, &profile, &program, &diags) == PTO_OK) {
        run(&program, &diags);
        pto_program_free(&program);
    } else {
        assert(diags.errors > 0);
        pto_module_free(&module);
    }
    pto_diags_free(&diags);
}
