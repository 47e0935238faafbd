/* The verifier: a sound module passes, and each way to break it has its own message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "isa_sample.h"

static struct pto_profile profile;

struct parts {
    struct pto_module *module;
    struct pto_kernel *kernel;
    struct pto_core_code *aic, *aiv;
    struct pto_insn *cube, *vector, *setup; /* instructions */
};

/* Where things are in the sample. */
enum { CUBE_TEXTRACT, CUBE_SET_FLAG, CUBE_TMMAD, CUBE_FLAG_DEV, CUBE_TSTORE, CUBE_END };
enum { VEC_MOV, VEC_TADD, VEC_TROWMAX, VEC_TADDS, VEC_ST, VEC_LD, VEC_LD_BYTE, VEC_PRINT,
       VEC_TNOTIFY, VEC_TWAIT, VEC_BARRIER, VEC_IADD, VEC_BLT, VEC_BT, VEC_END };

/* Put another instruction in the place of one. */
#define REPLACE(list, code, index, op, ...)                                                        \
    do {                                                                                           \
        struct pto_module *module = p->module;                                                     \
        struct pto_code scratch = {.insn = &p->list[index]};                                       \
        uint32_t pos = p->list[index].pos;                                                         \
        SAMPLE_ADD(&scratch, op, pos, __VA_ARGS__);                                                \
    } while (0)
#define VECTOR(index, op, ...) REPLACE(vector, aiv, index, op, __VA_ARGS__)
#define CUBE(index, op, ...) REPLACE(cube, aic, index, op, __VA_ARGS__)
#define SETUP(index, op, ...) REPLACE(setup, setup, index, op, __VA_ARGS__)
#define S(value) sample_scalar(value)
#define I(value) sample_scalar(sample_int(value))
#define R(value) sample_scalar(sample_reg(value))
#define E(value) sample_enum(value)
#define T(tile) sample_tile(tile, (struct pto_scalar){0})

/* BREAK(name of the case, message, hint or NULL, what is done to the parts `p`) */
#define CASES                                                                                      \
    /* module, names, registers */                                                                 \
    BREAK(no_kernel, "the module has no kernel", NULL, p->module->kernels = 0)                     \
    BREAK(pos_file, "position 3 is in source file 7 of 2", NULL, p->module->pos[3].file = 7)       \
    BREAK(pos_parent, "position 3 has the parent 3, which is not an earlier one", NULL,            \
          p->module->pos[3].parent = 3)                                                            \
    BREAK(pos_negative, "position 3 has the parent -2, which is not an earlier one", NULL,         \
          p->module->pos[3].parent = -2)                                                           \
    BREAK(kernel_pos, "kernel 'sample' has no valid position", NULL, p->kernel->pos = 99)          \
    BREAK(kernel_name, "'1st' is no name for a kernel",                                            \
          "a name has letters, digits and '_' and does not begin with a digit",                    \
          p->kernel->name = "1st")                                                                 \
    BREAK(mix, "a block has 3 vector sub-cores, but profile a2 has 2 in an AI core", NULL,         \
          p->kernel->vectors_per_block = 3)                                                        \
    BREAK(mix_none, "a block has 0 vector sub-cores, but profile a2 has 2 in an AI core", NULL,    \
          p->kernel->vectors_per_block = 0)                                                        \
    BREAK(no_program, "kernel 'sample' has no program",                                            \
          "write one under .core aic or .core aiv",                                                \
          p->aic->present = p->aiv->present = false)                                               \
    BREAK(param_name, "'a b' is no name for a parameter", "",                                      \
          p->kernel->param[0].name = p->kernel->setup.reg[0].name = p->aic->code.reg[0].name =     \
              p->aiv->code.reg[0].name = "a b")                                                    \
    BREAK(object_name, "'' is no name for a global object", "", p->kernel->object[2].name = "")    \
    BREAK(same_names, "two parameters or global objects have the name 'a'", NULL,                  \
          p->kernel->object[2].name = "a")                                                         \
    BREAK(param_register, "register 1 of .setup is not the parameter 's'", NULL,                   \
          p->kernel->setup.reg[1].is_float = false)                                                \
    BREAK(param_register_core, "register 0 of .core aiv is not the parameter 'n'", NULL,           \
          p->aiv->code.reg[0].name = "m")                                                          \
    BREAK(register_name, "'x.' is no name for a register", "", p->aiv->code.reg[3].name = "x.")    \
    BREAK(register_twice, "two registers have the name 'i'", NULL, p->aiv->code.reg[3].name = "i") \
    BREAK(default_missing, "parameter 's' says it has a default, .setup has none", NULL,          \
          p->kernel->param[1].has_default = true)                                                  \
    BREAK(default_unsaid, "parameter 'n' says it has no default, .setup has one", NULL,           \
          p->kernel->param[0].has_default = false)                                                 \
    BREAK(default_twice, "parameter 'n' says it has a default, .setup has several", NULL,         \
          p->setup[1] = p->setup[0])                                                               \
    /* global objects */                                                                           \
    BREAK(object_pos, "'a' has no valid position", NULL, p->kernel->object[SAMPLE_A].pos = 50)     \
    BREAK(no_dims, "'c' has 0 dimensions, allowed are 1 to 6", NULL,                               \
          p->kernel->object[SAMPLE_C].dims = p->cube[CUBE_TSTORE].operand[0].gm.indices = 0)       \
    BREAK(dim_negative, "dimension 1 of 'c' is negative", NULL,                                    \
          p->kernel->object[SAMPLE_C].dim[1].i = -1)                                               \
    BREAK(dim_missing, "dimension is missing", NULL,                                               \
          p->kernel->object[SAMPLE_C].dim[1].kind = PTO_S_NONE)                                    \
    BREAK(dim_float, "dimension is a float register, an integer is needed", NULL,                  \
          p->kernel->object[SAMPLE_C].dim[0].reg = 1)                                              \
    BREAK(dim_register, "dimension is a register that does not exist", NULL,                       \
          p->kernel->object[SAMPLE_C].dim[0].reg = 3)                                              \
    BREAK(dim_per_core, "dimension differs from core to core, but is needed once per rank", NULL,  \
          p->kernel->object[SAMPLE_C].dim[0] = sample_sys(PTO_SYS_BLOCK_ID))                       \
    BREAK(signal_type, "signals are i32, 'ready' is f32", NULL,                                    \
          p->kernel->object[SAMPLE_READY].dtype = PTO_F32; p->aiv->code.insns = 9;                 \
          p->vector[8] = p->vector[VEC_END])                                                       \
    BREAK(optional_output, "'c' is optional, but no input (.in)", NULL,                            \
          p->kernel->object[SAMPLE_C].optional = true)                                             \
    BREAK(optional_inout, "'c' is optional, but no input (.in)", NULL,                             \
          p->kernel->object[SAMPLE_C].kind = PTO_OBJ_INOUT;                                        \
          p->kernel->object[SAMPLE_C].optional = true)                                             \
    BREAK(uniform_output, "'c' is uniform, but no input (.in)", NULL,                              \
          p->kernel->object[SAMPLE_C].uniform = true)                                              \
    BREAK(view_later, "view 'v' does not name an earlier object as its base", NULL,                \
          p->kernel->object[SAMPLE_V].base = SAMPLE_T)                                             \
    BREAK(view_itself, "view 't' does not name an earlier object as its base", NULL,               \
          p->kernel->object[SAMPLE_T].base = SAMPLE_T)                                             \
    BREAK(view_none, "view 't' does not name an earlier object as its base", NULL,                 \
          p->kernel->object[SAMPLE_T].base = PTO_NONE)                                             \
    BREAK(view_offset_negative, "offset of the view 'v' is negative", NULL,                        \
          p->kernel->object[SAMPLE_V].offset = sample_int(-1))                                     \
    BREAK(view_offset, "offset of the view is missing", NULL,                                      \
          p->kernel->object[SAMPLE_V].offset.kind = PTO_S_NONE)                                    \
    BREAK(view_stride, "stride of the view is missing", NULL,                                      \
          p->kernel->object[SAMPLE_T].stride[1].kind = PTO_S_NONE)                                 \
    BREAK(no_view, "'c' has base, offset or strides, but is no view", NULL,                        \
          p->kernel->object[SAMPLE_C].base = SAMPLE_A)                                             \
    /* tiles, local arrays, labels */                                                              \
    BREAK(tile_space, "tile 'left': .core aic has no ub", NULL,                                    \
          p->aic->tile[1].space = PTO_UB; p->aic->code.insn = &p->cube[CUBE_END];                  \
          p->aic->code.insns = 1)                                                                  \
    BREAK(tile_empty, "tile 'tb' has no rows, columns or slots", NULL, p->aiv->tile[1].rows = 0)   \
    BREAK(tile_no_slots, "tile 'tb' has no rows, columns or slots", NULL,                          \
          p->aiv->tile[1].slots = 0)                                                               \
    BREAK(tile_layout, "tile 'tb': ub cannot hold the layout nz", "on profile a2 it holds nd dn",  \
          p->aiv->tile[1].layout = PTO_NZ)                                                         \
    BREAK(tile_left, "tile 'left': l0a cannot hold the layout nz", "on profile a2 it holds zz",    \
          p->aic->tile[1].layout = PTO_NZ)                                                         \
    BREAK(tile_fractal, "tile 'l1' is no multiple of its 16 x 16 fractal", "make it 64 x 48",      \
          p->aic->tile[0].cols = 33)                                                               \
    BREAK(tile_place, "tile 'tb' is at 0x1010, which is no multiple of 32 bytes", NULL,            \
          p->aiv->tile[1].address = 4112)                                                          \
    BREAK(tile_stride, "tile 'ta': slots of 2048 bytes every 2016 bytes; the distance must hold a "\
          "slot and be a multiple of 32", NULL, p->aiv->tile[0].slot_stride = 2016;                \
          p->aiv->tile[2].slots = 1; p->vector[VEC_LD_BYTE].operand[1].tile.slot.i = 0)            \
    BREAK(tile_stride_odd, "tile 'tb': slots of 2048 bytes every 2056 bytes; the distance must "   \
          "hold a slot and be a multiple of 32", NULL, p->aiv->tile[1].slot_stride = 2056)         \
    BREAK(tile_capacity, "tile 'tb' does not fit: 1 slots of 2048 bytes from 0x2f820, but ub has " \
          "196608 bytes on profile a2", NULL, p->aiv->tile[1].address = 194592)                    \
    BREAK(tile_far, "tile 'tb': slots every 4278194176 bytes in ub with 196608 bytes", NULL,       \
          p->aiv->tile[1].slot_stride = 4278194176u)                                               \
    BREAK(tile_huge, "tile 'tb' of 4294967295 x 4294967295 elements: a side has at most 65535",   \
          NULL,                                                                                    \
          p->aiv->tile[1].rows = p->aiv->tile[1].cols = UINT32_MAX)                                \
    BREAK(tile_parent, "tile 'tw' does not view an earlier tile", NULL,                            \
          p->aiv->tile[SAMPLE_TW].parent = SAMPLE_TW)                                              \
    BREAK(tile_parent_negative, "tile 'tw' does not view an earlier tile", NULL,                   \
          p->aiv->tile[SAMPLE_TW].parent = -5)                                                     \
    BREAK(tile_outside, "tile 'tw' does not lie inside the slots of 'ta'", NULL,                   \
          p->aiv->tile[SAMPLE_TW].address = 1056)                                                  \
    BREAK(tile_name, "two parameters, objects, tiles or local arrays have the name 'acc'", NULL,   \
          p->aiv->tile[1].name = "acc")                                                            \
    BREAK(tile_bad_name, "'t-b' is no name for a tile", "", p->aiv->tile[1].name = "t-b")          \
    BREAK(local_name, "'.1' is no name for a local array", "", p->aiv->local[1].name = ".1")       \
    BREAK(local_empty, "local array 'w' is empty", NULL, p->aiv->local[1].count = 0)               \
    BREAK(local_big, "the local arrays of .core aiv have 1048580 elements, at most 1048576 " \
          "fit", NULL, p->aiv->local[0].count = 1048576)                                           \
    BREAK(label_name, "'' is no name for a label", "", p->aiv->label[1].name = "")                 \
    BREAK(label_twice, "two labels have the name 'loop'", NULL, p->aiv->label[1].name = "loop")    \
    BREAK(label_end, "label 'again' is behind the end of .core aiv or before an earlier label",    \
          NULL, p->aiv->label[1].insn = 16)                                                        \
    BREAK(label_order, "label 'again' is behind the end of .core aiv or before an earlier label",  \
          NULL, p->aiv->label[1].insn = 0)                                                         \
    /* code as a whole */                                                                          \
    BREAK(no_end, ".core aiv does not end with the instruction end", NULL, p->aiv->code.insns--)   \
    BREAK(no_code, ".core aic does not end with the instruction end", NULL,                        \
          p->aic->code.insns = 0)                                                                  \
    BREAK(insn_pos, "TADD: it has no valid position", NULL, p->vector[VEC_TADD].pos = 5)           \
    BREAK(setup_class, "clock: set-up code has only scalar instructions and assert", NULL,         \
          SETUP(1, CLOCK, R(2)))                                                                   \
    BREAK(setup_flow, "jump: set-up code has only scalar instructions and assert", NULL,           \
          SETUP(1, JUMP, sample_label(0)))                                                         \
    BREAK(setup_core_value, "mov: a differs from core to core, but is needed once per rank", NULL, \
          SETUP(1, MOV, R(2), S(sample_sys(PTO_SYS_VEC_ID))))                                      \
    BREAK(default_in_core, "default: parameters get their defaults in set-up code", NULL,          \
          VECTOR(VEC_MOV, DEFAULT, R(0), I(1)))                                                    \
    BREAK(default_no_param, "default: d: '_0' is no parameter", NULL,                              \
          SETUP(1, DEFAULT, R(2), I(1)))                                                           \
    /* scalar operands */                                                                          \
    BREAK(operand_count, "iadd: it has 2 operands", NULL, p->vector[VEC_IADD].operands = 2)        \
    BREAK(list_count, "print: it has 0 operands", NULL, p->vector[VEC_PRINT].operands = 0)         \
    BREAK(operand_left_out, "iadd: the operand b is missing", NULL,                                \
          p->vector[VEC_IADD].operand[2].kind = PTO_O_NONE)                                        \
    BREAK(list_left_out, "print: the operand values is missing", NULL,                             \
          p->vector[VEC_PRINT].operand[2].kind = PTO_O_NONE)                                       \
    BREAK(operand_kind, "iadd: b: this kind of operand does not fit", NULL,                        \
          p->vector[VEC_IADD].operand[2] = E(1))                                                   \
    BREAK(scalar_none, "iadd: b is missing", NULL,                                                 \
          p->vector[VEC_IADD].operand[2].scalar.kind = PTO_S_NONE)                                 \
    BREAK(scalar_float, "iadd: b is a float, an integer is needed", NULL,                          \
          p->vector[VEC_IADD].operand[2].scalar = sample_float(1))                                 \
    BREAK(scalar_float_reg, "iadd: b is a float register, an integer is needed", NULL,             \
          p->vector[VEC_IADD].operand[2].scalar = sample_reg(3))                                   \
    BREAK(scalar_int, "fadd: a is an integer, a float is needed", NULL,                            \
          VECTOR(VEC_MOV, FADD, R(3), I(1), R(3)))                                                 \
    BREAK(scalar_int_reg, "fadd: a is an integer register, a float is needed", NULL,               \
          VECTOR(VEC_MOV, FADD, R(3), R(2), R(3)))                                                 \
    BREAK(scalar_sys_float, "fadd: a is no fitting builtin value", NULL,                           \
          VECTOR(VEC_MOV, FADD, R(3), S(sample_sys(PTO_SYS_RANK)), R(3)))                          \
    BREAK(scalar_sys, "iadd: b is no fitting builtin value", NULL,                                 \
          p->vector[VEC_IADD].operand[2].scalar = sample_sys(PTO_SYS_COUNT))                       \
    BREAK(scalar_reg, "iadd: b is a register that does not exist", NULL,                           \
          p->vector[VEC_IADD].operand[2].scalar = sample_reg(5))                                   \
    BREAK(destination_literal, "iadd: d: a register is needed", NULL,                              \
          p->vector[VEC_IADD].operand[0].scalar = sample_int(1))                                   \
    BREAK(destination_param, "iadd: d: parameter 'n' cannot be changed", NULL,                     \
          p->vector[VEC_IADD].operand[0].scalar = sample_reg(0))                                   \
    BREAK(destination_type, "iadd: d is a float register, an integer is needed", NULL,             \
          p->vector[VEC_IADD].operand[0].scalar = sample_reg(3))                                   \
    BREAK(mov_mixed, "mov: one side is a float, the other an integer", "convert with itof or ftoi",\
          p->vector[VEC_MOV].operand[1].scalar = sample_float(0))                                  \
    BREAK(ld_mixed, "ld: one side is a float, the other an integer", "convert with itof or ftoi",  \
          p->vector[VEC_LD].operand[0].scalar = sample_reg(4))                                     \
    BREAK(keyword, "set_flag: src: 8 is no pipe", NULL,                                            \
          p->cube[CUBE_SET_FLAG].operand[0].value = 8)                                             \
    BREAK(keyword_huge, "set_flag: src: 4294967295 is no pipe", NULL,                              \
          p->cube[CUBE_SET_FLAG].operand[0].value = UINT32_MAX)                                    \
    BREAK(target, "blt: the target is behind the end of the program", NULL,                        \
          p->vector[VEC_BLT].operand[2].value = 15)                                                \
    BREAK(text, "print: the text is missing", NULL, p->vector[VEC_PRINT].operand[0].text = NULL)   \
    /* tile operands */                                                                            \
    BREAK(tile_index, "TADD: dst: there is no tile 4", NULL,                                       \
          p->vector[VEC_TADD].operand[0].tile.tile = 4)                                            \
    BREAK(tile_spaces, "TMMAD: a: tile 'right' is in l0b, which is not possible here", NULL,       \
          p->cube[CUBE_TMMAD].operand[1].tile.tile = 2)                                            \
    BREAK(slot, "TADD: dst: slot 2 is out of range, at most 1 is allowed", NULL,                   \
          p->vector[VEC_TADD].operand[0].tile.slot = sample_int(2))                                \
    BREAK(slot_negative, "TADD: dst: slot -1 is negative", NULL,                                   \
          p->vector[VEC_TADD].operand[0].tile.slot = sample_int(-1))                               \
    BREAK(slot_float, "TADD: dst: slot is a float register, an integer is needed", NULL,           \
          p->vector[VEC_TADD].operand[0].tile.slot = sample_reg(3))                                \
    BREAK(extent, "TADD: dst: extent in rows 9 is out of range, at most 8 is allowed", NULL,       \
          p->vector[VEC_TADD].operand[0].tile.rows = sample_int(9))                                \
    BREAK(extent_half, "TADD: dst: one half of the extent is missing", NULL,                       \
          p->vector[VEC_TADD].operand[0].tile.rows.kind = PTO_S_NONE)                              \
    BREAK(byte_offset, "TADD: dst: a byte offset needs a tile that views another", NULL,           \
          p->vector[VEC_TADD].operand[0].tile.byte = sample_int(0))                                \
    BREAK(offset, "TADD: dst: no offset (row, col) may stand here", NULL,                          \
          p->vector[VEC_TADD].operand[0].tile.row = sample_int(0);                                 \
          p->vector[VEC_TADD].operand[0].tile.col = sample_int(0))                                 \
    BREAK(offset_half, "TEXTRACT: src: no offset (row, col) may stand here", NULL,                 \
          p->cube[CUBE_TEXTRACT].operand[1].tile.col.kind = PTO_S_NONE)                            \
    BREAK(offset_dst, "TEXTRACT: dst: no offset (row, col) may stand here", NULL,                  \
          p->cube[CUBE_TEXTRACT].operand[0].tile.row = sample_int(0);                              \
          p->cube[CUBE_TEXTRACT].operand[0].tile.col = sample_int(0))                              \
    BREAK(offset_row, "TEXTRACT: src: row 64 is out of range, at most 63 is allowed", NULL,        \
          p->cube[CUBE_TEXTRACT].operand[1].tile.row.i = 64)                                       \
    BREAK(element, "ld: element: the element's (row, col) is missing", NULL,                       \
          p->vector[VEC_LD].operand[1].tile.row.kind = PTO_S_NONE;                                 \
          p->vector[VEC_LD].operand[1].tile.col.kind = PTO_S_NONE)                                 \
    BREAK(types, "TADD: the element types i8,f32,f32 do not fit", "on profile a2: i32 i16 f16 f32",\
          p->vector[VEC_TADD].operand[0] = sample_tile(SAMPLE_TW, sample_int(0)))                  \
    /* what operands need of each other */                                                         \
    BREAK(fit_rows, "TADD: src0 has 1 valid row, dst needs 2", "extend src0 or shrink dst",        \
          p->vector[VEC_TADD].operand[0].tile.rows = sample_int(2))                                \
    BREAK(fit_number, "TROWMAX: dst has 2 valid columns, at most 1 can be used",                   \
          "give dst the extent {1, 1}",                                                            \
          p->vector[VEC_TROWMAX].operand[0] = T(SAMPLE_TB);                                        \
          p->vector[VEC_TROWMAX].operand[0].tile.rows = sample_int(1);                             \
          p->vector[VEC_TROWMAX].operand[0].tile.cols = sample_int(2))                             \
    BREAK(fit_product, "TMMAD: b has 16 valid rows, a needs exactly 32", NULL,                     \
          p->cube[CUBE_TMMAD].operand[2].tile.rows = sample_int(16);                               \
          p->cube[CUBE_TMMAD].operand[2].tile.cols = sample_int(32))                               \
    BREAK(fit_window, "TEXTRACT: a window of 32 rows from row 40 on ends outside src, which has "  \
          "64", NULL, p->cube[CUBE_TEXTRACT].operand[1].tile.row.i = 40)                           \
    BREAK(fit_lent, "TSTORE: the window has 33 rows, 'sum' has only 32", NULL,                     \
          p->cube[CUBE_TSTORE].operand[0].gm.rows = sample_int(33);                                \
          p->cube[CUBE_TSTORE].operand[0].gm.cols = sample_int(32))                                \
    BREAK(fit_scalar, "TEXPANDS: scalar 128 is out of the range of i8, the type of the tile",      \
          NULL, VECTOR(VEC_MOV, TEXPANDS, T(SAMPLE_TW), I(128)))                                   \
    BREAK(fit_relu, "TSTORE: relu applies only to what leaves l0c, src lies in ub",                \
          "use TMAXS with 0",                                                                      \
          VECTOR(VEC_MOV, TSTORE, sample_gm(SAMPLE_C, 0), T(SAMPLE_TB), sample_none(),             \
                 E(PTO_RELU_RELU)))                                                                \
    /* global memory and local arrays */                                                           \
    BREAK(gm_index, "TNOTIFY: signal: there is no global object 6", NULL,                          \
          p->vector[VEC_TNOTIFY].operand[0].gm.object = 6)                                         \
    BREAK(gm_rank, "TSTORE: dst: 'c' does not exist on other ranks",                               \
          "only .sym and .signal objects take @rank",                                              \
          p->cube[CUBE_TSTORE].operand[0].gm.rank = sample_int(1))                                 \
    BREAK(gm_rank_negative, "TNOTIFY: signal: rank -1 is negative", NULL,                          \
          p->vector[VEC_TNOTIFY].operand[0].gm.rank = sample_int(-1))                              \
    BREAK(gm_signal, "TNOTIFY: signal: 'c' is neither .signal nor .sym", NULL,                     \
          p->vector[VEC_TNOTIFY].operand[0] = sample_gm(SAMPLE_C, 2))                              \
    BREAK(gm_input, "TSTORE: dst: the input 'a' cannot be written",                                \
          "declare it .inout, or write to another object",                                         \
          p->cube[CUBE_TSTORE].operand[0].gm.object = SAMPLE_T)                                    \
    BREAK(gm_dims, "TSTORE: dst: 'c' has 2 dimensions, but 1 indices stand here", NULL,            \
          p->cube[CUBE_TSTORE].operand[0].gm.indices = 1)                                          \
    BREAK(gm_index_missing, "TSTORE: dst: an index is missing", NULL,                              \
          p->cube[CUBE_TSTORE].operand[0].gm.index[1].kind = PTO_S_NONE)                           \
    BREAK(gm_index_negative, "TSTORE: dst: index -4 is negative", NULL,                            \
          p->cube[CUBE_TSTORE].operand[0].gm.index[1].i = -4)                                      \
    BREAK(gm_extent_half, "TSTORE: dst: one half of the extent is missing", NULL,                  \
          p->cube[CUBE_TSTORE].operand[0].gm.rows = sample_int(1))                                 \
    BREAK(local_index, "st: element: there is no local array 2", NULL,                             \
          p->vector[VEC_ST].operand[0].local.local = 2)                                            \
    BREAK(local_range, "st: element: index 16 is out of range, at most 15 is allowed", NULL,       \
          p->vector[VEC_ST].operand[0].local.index.i = 16)                                         \
    BREAK(local_no_index, "st: element: the index is missing", NULL,                               \
          p->vector[VEC_ST].operand[0].local.index.kind = PTO_S_NONE)                              \
    BREAK(memory, "st: element: an element in memory is needed", NULL,                             \
          p->vector[VEC_ST].operand[0] = I(0))                                                     \
    BREAK(fetch_add, "fetch_add: element: only an element of global memory is possible", NULL,     \
          VECTOR(VEC_MOV, FETCH_ADD, R(2), p->vector[VEC_ST].operand[0], I(1)))                    \
    /* pipes */                                                                                    \
    BREAK(route_v, "TADD: .core aiv has no pipe V on profile a2", NULL,                            \
          profile.pipes[PTO_AIV] &= (uint8_t)~(1 << PTO_PIPE_V); p->vector[VEC_TADDS] =            \
              p->vector[VEC_TROWMAX] = p->vector[VEC_MOV])                                         \
    BREAK(route_path, "TMOV: profile a2 has no way from l0c to l1", NULL,                          \
          profile.path[PTO_L0C][PTO_L1].exists = false;                                            \
          CUBE(CUBE_SET_FLAG, TMOV, T(0), T(3), sample_none()))                                    \
    BREAK(route_path_pipe, "TSTORE: .core aic has no pipe V on profile a2", NULL,                  \
          profile.path[PTO_L0C][PTO_PATH_GM].pipe = PTO_PIPE_V)                                    \
    BREAK(macro_pipe, "TPUT: .core aiv has no pipe MTE3 on profile a2", NULL,                      \
          profile.pipes[PTO_AIV] &= (uint8_t)~(1 << PTO_PIPE_MTE3);                                \
          VECTOR(VEC_MOV, TPUT, sample_gm(SAMPLE_C, 0), sample_gm(SAMPLE_A, 0), T(1),              \
                 sample_none(), sample_none()))                                                    \
    BREAK(flag_all, "set_flag: a flag goes from one pipe to one other, not ALL", NULL,             \
          p->cube[CUBE_SET_FLAG].operand[1].value = PTO_PIPE_ALL)                                  \
    BREAK(flag_pipe, "set_flag: .core aic has no pipe V on profile a2", NULL,                      \
          p->cube[CUBE_SET_FLAG].operand[1].value = PTO_PIPE_V)                                    \
    BREAK(flag_same, "set_flag: source and destination are the same pipe",                         \
          "a pipe is ordered with itself by pipe_barrier MTE1",                                    \
          p->cube[CUBE_SET_FLAG].operand[1].value = PTO_PIPE_MTE1)                                 \
    BREAK(flag_event, "set_flag: event 8 is out of range", "allowed are 0 to 7",                   \
          p->cube[CUBE_SET_FLAG].operand[2].scalar.i = 8)                                          \
    BREAK(barrier_s, "pipe_barrier: the scalar unit is always in order",                           \
          "leave it out, or name the pipe to wait for",                                            \
          p->vector[VEC_BARRIER].operand[0].value = PTO_PIPE_S)                                    \
    BREAK(barrier_pipe, "pipe_barrier: .core aiv has no pipe M on profile a2", NULL,               \
          p->vector[VEC_BARRIER].operand[0].value = PTO_PIPE_M)                                    \
    BREAK(cross_all, "set_flag_dev: the flag leaves from one pipe, not ALL", NULL,                 \
          p->cube[CUBE_FLAG_DEV].operand[0].value = PTO_PIPE_ALL)                                  \
    BREAK(cross_mode, "set_flag_dev: mode 3 is out of range", "allowed are 0 to 2",                \
          p->cube[CUBE_FLAG_DEV].operand[1].scalar.i = 3)                                          \
    BREAK(cross_id, "set_flag_dev: id 11 is out of range", "allowed are 0 to 10",                  \
          p->cube[CUBE_FLAG_DEV].operand[2].scalar.i = 11)                                         \
    BREAK(cross_alone, "set_flag_dev: mode 2 joins cube and vector sub-cores, but the kernel has " \
          "only one kind", "use mode 0 or 1, or add the other program", p->aiv->present = false)   \
    BREAK(cross_mode_1, "set_flag_dev: mode 1 joins the vector sub-cores of a block", NULL,        \
          p->cube[CUBE_FLAG_DEV].operand[1].scalar.i = 1)                                          \
    BREAK(cross_wait, "wait_flag_dev: id -1 is out of range", "allowed are 0 to 10",               \
          VECTOR(VEC_MOV, WAIT_FLAG_DEV, I(-1)))                                                   \
    BREAK(sync_scope, "sync_all: .core aiv does not take part in this barrier",                    \
          "name its own kind, or all", VECTOR(VEC_MOV, SYNC_ALL, E(PTO_SYNC_AIC)))

#define BREAK(id, message, hint, ...)                                                              \
    static void break_##id(struct parts *p)                                                        \
    {                                                                                              \
        (void)p;                                                                                   \
        __VA_ARGS__;                                                                               \
    }
CASES
#undef BREAK

#define BREAK(id, message, hint, ...) {#id, break_##id, message, hint},
static const struct {
    const char *id;
    void (*change)(struct parts *p);
    const char *message, *hint; /* hint: NULL none, "" any */
} cases[] = {CASES};
#undef BREAK

static void load_profile(const char *name)
{
    struct pto_diags diags = {0};

    assert_int_equal(pto_profile_load(name, &profile, &diags), PTO_OK);
    pto_diags_free(&diags);
}

static struct parts make_parts(struct pto_module *module)
{
    struct parts p = {.module = module};

    sample_module(module);
    p.kernel = module->kernel;
    p.aic = &p.kernel->core[PTO_AIC];
    p.aiv = &p.kernel->core[PTO_AIV];
    p.cube = p.aic->code.insn;
    p.vector = p.aiv->code.insn;
    p.setup = p.kernel->setup.insn;
    return p;
}

static void a_sound_module_passes(void **state)
{
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};

    (void)state;
    load_profile("a2");
    make_parts(&module);
    if (pto_verify(&module, &profile, &program, &diags) != PTO_OK)
        pto_diags_print(&diags, stderr, false);
    assert_int_equal(diags.errors, 0);
    assert_int_equal(module.kernels, 0); /* taken over */
    assert_string_equal(program.module.kernel[0].name, "sample");
    assert_string_equal(program.profile.name, "a2");
    pto_program_free(&program);
}

/* A view of a symmetric object is symmetric: it can be written on another rank. */
static void views_follow_their_base(void **state)
{
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};
    struct parts p;

    (void)state;
    load_profile("a2");
    p = make_parts(&module);
    p.cube[CUBE_TSTORE].operand[0] = sample_gm(SAMPLE_V, 2);
    p.cube[CUBE_TSTORE].operand[0].gm.rank = sample_int(1);
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_OK);
    pto_program_free(&program);
}

/* Every use of a view walks down to its object, so chains have an end. */
static void chains_of_views_have_an_end(void **state)
{
    enum { VIEWS = PTO_MAX_VIEW_DEPTH + 1 };
    static char names[VIEWS][8];
    struct pto_object objects[16 + VIEWS];
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};
    struct parts p;
    uint32_t first;

    (void)state;
    load_profile("a2");
    p = make_parts(&module);
    first = p.kernel->objects;
    assert_true(first <= 16);
    memcpy(objects, p.kernel->object, first * sizeof *objects);
    for (uint32_t i = 0; i < VIEWS; i++) {
        snprintf(names[i], sizeof names[i], "w%u", (unsigned)i);
        objects[first + i] = objects[SAMPLE_V];
        objects[first + i].name = names[i];
        objects[first + i].base = (int32_t)(i ? first + i - 1 : SAMPLE_V);
    }
    p.kernel->object = objects;
    p.kernel->objects = first + VIEWS;
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_EPROGRAM);
    assert_string_equal(diags.first->message, "view 'w63' is nested more than 64 deep");
    pto_diags_free(&diags);
    pto_module_free(&module);
}

/* Is this exactly what the verifier says to one break? */
static bool says(size_t index, const struct pto_diags *diags)
{
    const struct pto_diag *diag = diags->first;
    const char *hint = cases[index].hint;

    if (diags->errors != 1 || strcmp(diag->message, cases[index].message) != 0)
        return false;
    if (!hint || !*hint)
        return hint || !diag->hint;
    return diag->hint && !strcmp(diag->hint, hint);
}

static void each_break_has_its_message(void **state)
{
    unsigned wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pto_module module;
        struct pto_program program;
        struct pto_diags diags = {0};
        struct parts p;

        load_profile("a2");
        p = make_parts(&module);
        cases[i].change(&p);
        if (pto_verify(&module, &profile, &program, &diags) != PTO_EPROGRAM)
            fail_msg("%s passed", cases[i].id);
        if (!says(i, &diags)) {
            print_message("%s: expected '%s', got:\n", cases[i].id, cases[i].message);
            pto_diags_print(&diags, stdout, false);
            wrong++;
        }
        assert_non_null(module.arena.chunk); /* the module is still the caller's */
        pto_module_free(&module);
        pto_diags_free(&diags);
    }
    assert_int_equal(wrong, 0);
}

static void places_and_trails(void **state)
{
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};
    struct parts p;

    (void)state;
    load_profile("a2");
    p = make_parts(&module);
    p.vector[VEC_TADD].operand[0].tile.slot = sample_int(2);
    p.cube[CUBE_SET_FLAG].operand[2].scalar.i = -1;
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_EPROGRAM);
    assert_int_equal(diags.errors, 2);
    assert_string_equal(diags.first->file, "sample.pto");
    assert_int_equal(diags.first->line, 20);
    assert_null(diags.first->trail);
    assert_string_equal(diags.last->file, "lib/\xc3\xa4.pto");
    assert_int_equal(diags.last->line, 3);
    assert_int_equal(diags.last->column, 7);
    assert_string_equal(diags.last->trail->file, "sample.pto");
    assert_int_equal(diags.last->trail->line, 9);
    assert_null(diags.last->trail->trail);
    pto_module_free(&module);
    pto_diags_free(&diags);
}

static void the_profile_decides(void **state)
{
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};
    struct parts p;

    (void)state;
    load_profile("a5"); /* L0A wants nz there, and bf16 can be added */
    p = make_parts(&module);
    p.aic->tile[1].layout = PTO_NZ;
    for (int i = 0; i < 2; i++)
        p.aiv->tile[i].dtype = PTO_BF16;
    p.vector[VEC_TROWMAX] = p.vector[VEC_MOV];
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_OK);
    pto_program_free(&program);

    load_profile("toy"); /* L0A has 4 KiB */
    p = make_parts(&module);
    p.aic->tile[1].slots = 3;
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_EPROGRAM);
    assert_string_equal(diags.first->message, "tile 'left' does not fit: 3 slots of 2048 bytes "
                                              "from 0x0, but l0a has 4096 bytes on profile toy");
    pto_module_free(&module);
    pto_diags_free(&diags);
}

static void errors_are_limited(void **state)
{
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};
    struct parts p;
    struct pto_insn end;

    (void)state;
    load_profile("a2");
    p = make_parts(&module);
    end = p.vector[VEC_END];
    p.aiv->code.insn = pto_arena_array(&module.arena, 5001, sizeof end);
    for (int i = 0; i < 5000; i++)
        p.aiv->code.insn[i] = (struct pto_insn){.op = PTO_OP_IADD, .pos = 1};
    p.aiv->code.insn[5000] = end;
    p.aiv->code.insns = 5001;
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_EPROGRAM);
    assert_int_equal(diags.errors, 100);
    pto_module_free(&module);
    pto_diags_free(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_module_passes), cmocka_unit_test(each_break_has_its_message),
        cmocka_unit_test(places_and_trails),     cmocka_unit_test(the_profile_decides),
        cmocka_unit_test(errors_are_limited),    cmocka_unit_test(views_follow_their_base),
        cmocka_unit_test(chains_of_views_have_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
