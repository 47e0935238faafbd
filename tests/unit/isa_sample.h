/* A module that uses every part of the format, built by hand, for the tests of the isa library. */
#ifndef ISA_SAMPLE_H
#define ISA_SAMPLE_H

#include <string.h>

#include "object.h"

static inline struct pto_scalar sample_reg(unsigned reg)
{
    return (struct pto_scalar){.kind = PTO_S_REG, .reg = (uint16_t)reg};
}

static inline struct pto_scalar sample_int(int64_t value)
{
    return (struct pto_scalar){.kind = PTO_S_INT, .i = value};
}

static inline struct pto_scalar sample_float(double value)
{
    return (struct pto_scalar){.kind = PTO_S_FLOAT, .f = value};
}

static inline struct pto_scalar sample_sys(enum pto_sys sys)
{
    return (struct pto_scalar){.kind = PTO_S_SYS, .reg = (uint16_t)sys};
}

static inline struct pto_operand sample_scalar(struct pto_scalar scalar)
{
    return (struct pto_operand){.kind = PTO_O_SCALAR, .scalar = scalar};
}

static inline struct pto_operand sample_enum(int value)
{
    return (struct pto_operand){.kind = PTO_O_ENUM, .value = (uint32_t)value};
}

static inline struct pto_operand sample_label(uint32_t insn)
{
    return (struct pto_operand){.kind = PTO_O_LABEL, .value = insn};
}

static inline struct pto_operand sample_text(const char *text)
{
    return (struct pto_operand){.kind = PTO_O_STRING, .text = text};
}

static inline struct pto_operand sample_none(void)
{
    return (struct pto_operand){.kind = PTO_O_NONE};
}

static inline struct pto_operand sample_tile(unsigned tile, struct pto_scalar slot)
{
    return (struct pto_operand){.kind = PTO_O_TILE,
                                .tile = {.tile = (uint16_t)tile, .slot = slot}};
}

static inline struct pto_operand sample_gm(unsigned object, unsigned indices)
{
    struct pto_operand operand = {.kind = PTO_O_GM,
                                  .gm = {.object = (uint16_t)object, .indices = (uint8_t)indices}};

    for (unsigned i = 0; i < indices; i++)
        operand.gm.index[i] = sample_int(0);
    return operand;
}

/* Append an instruction; the code's array has room. */
static inline struct pto_insn *sample_add(struct pto_module *module, struct pto_code *code,
                                          unsigned op, uint32_t pos, unsigned operands,
                                          const struct pto_operand *operand)
{
    struct pto_insn *insn = &code->insn[code->insns++];

    insn->op = (uint16_t)op;
    insn->pos = pos;
    insn->operands = (uint8_t)operands;
    insn->operand = pto_arena_array(&module->arena, operands, sizeof *operand);
    if (operands)
        memcpy(insn->operand, operand, operands * sizeof *operand);
    return insn;
}

#define SAMPLE_ADD(code, op, pos, ...)                                                             \
    sample_add(module, code, PTO_OP_##op, pos,                                                     \
               sizeof((struct pto_operand[]){__VA_ARGS__}) / sizeof(struct pto_operand),           \
               (struct pto_operand[]){__VA_ARGS__})

enum { SAMPLE_ROOM = 64 };

enum sample_object { SAMPLE_A, SAMPLE_C, SAMPLE_ACC, SAMPLE_READY, SAMPLE_V, SAMPLE_T };
enum sample_tile { SAMPLE_TA, SAMPLE_TB, SAMPLE_TW, SAMPLE_RED };

static inline void sample_code(struct pto_module *module, struct pto_code *code,
                               const struct pto_register *reg, uint32_t regs)
{
    code->insn = pto_arena_array(&module->arena, SAMPLE_ROOM, sizeof *code->insn);
    code->reg = pto_arena_array(&module->arena, regs, sizeof *code->reg);
    memcpy(code->reg, reg, regs * sizeof *reg);
    code->regs = regs;
}

static inline void sample_objects(struct pto_module *module, struct pto_kernel *kernel)
{
    static const struct pto_object objects[] = {
        {.name = "a", .kind = PTO_OBJ_IN, .dtype = PTO_F32, .optional = true,
         .uniform = true, .dims = 2, .base = PTO_NONE, .pos = 1},
        {.name = "c", .kind = PTO_OBJ_OUT, .dtype = PTO_F32, .dims = 2, .base = PTO_NONE, .pos = 1},
        {.name = "acc", .kind = PTO_OBJ_SYM, .dtype = PTO_I32, .dims = 1, .base = PTO_NONE},
        {.name = "ready", .kind = PTO_OBJ_SIGNAL, .dtype = PTO_I32, .dims = 2, .base = PTO_NONE},
        {.name = "v", .kind = PTO_OBJ_VIEW, .dtype = PTO_F16, .dims = 2, .base = SAMPLE_ACC},
        {.name = "t", .kind = PTO_OBJ_VIEW, .dtype = PTO_F32, .dims = 2, .base = SAMPLE_A,
         .strided = true},
    };

    kernel->objects = sizeof objects / sizeof *objects;
    kernel->object = pto_arena_alloc(&module->arena, sizeof objects);
    memcpy(kernel->object, objects, sizeof objects);
    for (unsigned i = 0; i < kernel->objects; i++)
        for (unsigned d = 0; d < kernel->object[i].dims; d++)
            kernel->object[i].dim[d] = d ? sample_int(4) : sample_reg(0);
    kernel->object[SAMPLE_READY].dim[1] = sample_sys(PTO_SYS_NRANKS);
    kernel->object[SAMPLE_V].offset = sample_int(0);
    kernel->object[SAMPLE_T].offset = sample_reg(2);
    kernel->object[SAMPLE_T].stride[0] = sample_int(1);
    kernel->object[SAMPLE_T].stride[1] = sample_int(8);
}

static inline void sample_cube(struct pto_module *module, struct pto_core_code *core)
{
    static const struct pto_register regs[] = {{"n", false}, {"s", true}};
    static const struct pto_tile tiles[] = {
        {"l1", PTO_L1, PTO_F16, PTO_NZ, 64, 64, 1, 0, 8192, PTO_NONE, 0, 1},
        {"left", PTO_L0A, PTO_F16, PTO_ZZ, 32, 32, 2, 0, 2048, PTO_NONE, 0, 1},
        {"right", PTO_L0B, PTO_F16, PTO_ZN, 32, 32, 1, 0, 2048, PTO_NONE, 0, 1},
        {"sum", PTO_L0C, PTO_F32, PTO_NZ, 32, 32, 1, 0, 4096, PTO_NONE, 0, 1},
    };
    struct pto_operand window = sample_tile(0, (struct pto_scalar){0});

    core->present = true;
    core->tiles = sizeof tiles / sizeof *tiles;
    core->tile = pto_arena_alloc(&module->arena, sizeof tiles);
    memcpy(core->tile, tiles, sizeof tiles);
    sample_code(module, &core->code, regs, 2);
    window.tile.row = sample_int(16);
    window.tile.col = sample_reg(0);
    SAMPLE_ADD(&core->code, TEXTRACT, 4, sample_tile(1, sample_int(1)), window,
               sample_none(), sample_none());
    SAMPLE_ADD(&core->code, SET_FLAG, 4, sample_enum(PTO_PIPE_MTE1), sample_enum(PTO_PIPE_M),
               sample_scalar(sample_int(0)));
    SAMPLE_ADD(&core->code, TMMAD, 4, sample_tile(3, (struct pto_scalar){0}),
               sample_tile(1, sample_int(1)), sample_tile(2, (struct pto_scalar){0}),
               sample_scalar(sample_int(1)));
    SAMPLE_ADD(&core->code, SET_FLAG_DEV, 4, sample_enum(PTO_PIPE_FIX),
               sample_scalar(sample_int(2)), sample_scalar(sample_int(3)));
    SAMPLE_ADD(&core->code, TSTORE, 4, sample_gm(SAMPLE_C, 2), sample_tile(3, sample_int(0)),
               sample_enum(PTO_ATOMIC_ADD), sample_none());
    sample_add(module, &core->code, PTO_OP_END, 4, 0, NULL);
}

static inline void sample_vector(struct pto_module *module, struct pto_core_code *core)
{
    static const struct pto_register regs[] = {{"n", false}, {"s", true}, {"i", false},
                                               {"x", true},  {"_0", false}};
    static const struct pto_tile tiles[] = {
        {"ta", PTO_UB, PTO_F32, PTO_ND, 8, 64, 2, 0, 2048, PTO_NONE, 0, 1},
        {"tb", PTO_UB, PTO_F32, PTO_ND, 8, 64, 1, 4096, 2048, PTO_NONE, 0, 1},
        {"tw", PTO_UB, PTO_I8, PTO_ND, 1, 1024, 2, 0, 2048, SAMPLE_TA, 0, 1},
        {"red.1", PTO_UB, PTO_F32, PTO_DN, 8, 1, 1, 6144, 32, PTO_NONE, 0, 1},
    };
    static const struct pto_local locals[] = {{"hist", false, 16, 4}, {"w", true, 4, 2}};
    static const struct pto_label labels[] = {{"loop", 1}, {"again", 1}};
    struct pto_code *code = &core->code;
    struct pto_operand ta = sample_tile(SAMPLE_TA, sample_reg(2)), far = sample_gm(SAMPLE_READY, 2);
    struct pto_operand element = sample_tile(SAMPLE_TB, (struct pto_scalar){0}), bytes;
    struct pto_operand one = sample_tile(SAMPLE_RED, (struct pto_scalar){0});

    core->present = true;
    core->tiles = sizeof tiles / sizeof *tiles;
    core->tile = pto_arena_alloc(&module->arena, sizeof tiles);
    memcpy(core->tile, tiles, sizeof tiles);
    core->locals = 2;
    core->local = pto_arena_alloc(&module->arena, sizeof locals);
    memcpy(core->local, locals, sizeof locals);
    core->labels = 2;
    core->label = pto_arena_alloc(&module->arena, sizeof labels);
    memcpy(core->label, labels, sizeof labels);
    sample_code(module, code, regs, 5);
    ta.tile.rows = sample_int(1);
    ta.tile.cols = sample_reg(4);
    far.gm.rank = sample_reg(2);
    far.gm.index[1] = sample_sys(PTO_SYS_RANK);
    element.tile.row = sample_int(7);
    element.tile.col = sample_reg(2);
    bytes = sample_tile(SAMPLE_TW, sample_int(1));
    bytes.tile.byte = sample_int(512);
    SAMPLE_ADD(code, MOV, 2, sample_scalar(sample_reg(2)), sample_scalar(sample_int(0)));
    SAMPLE_ADD(code, TADD, 3, ta, ta, sample_tile(SAMPLE_TB, (struct pto_scalar){0}));
    one.tile.rows = one.tile.cols = sample_int(1);
    SAMPLE_ADD(code, TROWMAX, 3, one, ta, sample_none());
    SAMPLE_ADD(code, TADDS, 3, ta, ta, sample_scalar(sample_float(-0.1)));
    SAMPLE_ADD(code, ST, 3,
               ((struct pto_operand){.kind = PTO_O_LOCAL, .local = {0, sample_int(15)}}),
               sample_scalar(sample_sys(PTO_SYS_VEC_ID)));
    SAMPLE_ADD(code, LD, 3, sample_scalar(sample_reg(3)), element);
    SAMPLE_ADD(code, LD, 3, sample_scalar(sample_reg(4)), bytes);
    SAMPLE_ADD(code, PRINT, 3, sample_text("tab\t \"quote\" \x01"), sample_scalar(sample_reg(3)),
               sample_scalar(sample_int(INT64_MIN)), sample_scalar(sample_float(1e300)));
    SAMPLE_ADD(code, TNOTIFY, 3, far, sample_scalar(sample_int(1)), sample_enum(PTO_NOTIFY_ADD));
    SAMPLE_ADD(code, TWAIT, 3, sample_gm(SAMPLE_READY, 0), sample_enum(PTO_CMP_GE),
               sample_scalar(sample_reg(2)));
    SAMPLE_ADD(code, PIPE_BARRIER, 3, sample_enum(PTO_PIPE_ALL));
    SAMPLE_ADD(code, IADD, 3, sample_scalar(sample_reg(2)), sample_scalar(sample_reg(2)),
               sample_scalar(sample_int(1)));
    SAMPLE_ADD(code, BLT, 3, sample_scalar(sample_reg(2)), sample_scalar(sample_reg(0)),
               sample_label(1));
    SAMPLE_ADD(code, BT, 3, sample_scalar(sample_reg(2)), sample_label(2));
    sample_add(module, code, PTO_OP_END, 3, 0, NULL);
}

/* The caller frees the module (pto_module_free). */
static inline void sample_module(struct pto_module *module)
{
    static const char *const files[] = {"sample.pto", "lib/\xc3\xa4.pto"};
    static const struct pto_pos positions[] = {
        {0, 1, 1, PTO_NONE}, {0, 2, 1, PTO_NONE}, {0, 9, 5, PTO_NONE}, {1, 3, 7, 2},
        {0, 20, 1, PTO_NONE}};
    static const struct pto_register regs[] = {{"n", false}, {"s", true}, {"_0", false}};
    struct pto_kernel *kernel;

    *module = (struct pto_module){.profile = "a2"};
    module->files = 2;
    module->file = pto_arena_alloc(&module->arena, sizeof files);
    memcpy(module->file, files, sizeof files);
    module->positions = sizeof positions / sizeof *positions;
    module->pos = pto_arena_alloc(&module->arena, sizeof positions);
    memcpy(module->pos, positions, sizeof positions);
    module->kernels = 1;
    module->kernel = kernel = pto_arena_alloc(&module->arena, sizeof *kernel);
    kernel->name = "sample";
    kernel->vectors_per_block = 2;
    kernel->params = 2;
    kernel->param = pto_arena_alloc(&module->arena, 2 * sizeof *kernel->param);
    kernel->param[0] = (struct pto_param){"n", .has_default = true, .uniform = true, .pos = 1};
    kernel->param[1] = (struct pto_param){"s", .is_float = true, .pos = 2};
    sample_objects(module, kernel);
    sample_code(module, &kernel->setup, regs, 3);
    SAMPLE_ADD(&kernel->setup, DEFAULT, 1, sample_scalar(sample_reg(0)),
               sample_scalar(sample_int(1024)));
    SAMPLE_ADD(&kernel->setup, PRESENT, 1, sample_scalar(sample_reg(2)), sample_gm(SAMPLE_A, 0));
    SAMPLE_ADD(&kernel->setup, ASSERT, 1, sample_scalar(sample_reg(2)), sample_text("a is needed"));
    sample_cube(module, &kernel->core[PTO_AIC]);
    sample_vector(module, &kernel->core[PTO_AIV]);
}

#endif
