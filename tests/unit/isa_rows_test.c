/* Every row of the instruction table: one instruction of it, with and without its optional
 * operands, passes the verifier and survives object, plain form and assembler unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "assembler.h"
#include "isa_sample.h"
#include "places.h"
#include "profile_load.h"

enum { ROWS = 32, COLS = 64, INT_REG = 0, FLOAT_REG = 1 };

static struct pto_profile profiles[2]; /* a2, a5 */

/* A module with one kernel and one program for one instruction. */
struct single {
    struct pto_module module;
    struct pto_kernel *kernel;
    struct pto_core_code *core;
    struct pto_operand operand[PTO_MAX_OPERANDS];
    unsigned operands;
    uint32_t used[PTO_SPACE_COUNT]; /* bytes */
    unsigned typed;                 /* operands with an element type so far */
};

/* Rows without types of their own for a2 are tried on a5. */
static bool joins_a_block(const struct pto_op_info *info)
{
    return info == pto_op_info(PTO_OP_SET_INTRA_BLOCK) ||
           info == pto_op_info(PTO_OP_WAIT_INTRA_BLOCK);
}

static const struct pto_profile *profile_for(const struct pto_op_info *info)
{
    return &profiles[joins_a_block(info) || (!*info->types && *info->types_a5)];
}

static const char *types_of(const struct pto_op_info *info)
{
    return *info->types ? info->types : info->types_a5;
}

/* Type of the n-th typed operand in the row's first alternative. */
static uint8_t first_type(const struct pto_op_info *info, unsigned n)
{
    char text[64] = "", *rest = text, *word;

    memcpy(text, types_of(info), strcspn(types_of(info), " "));
    word = strtok_r(text, ",", &rest);
    for (char *next = word; n > 0 && (next = strtok_r(NULL, ",", &rest)); n--)
        word = next;
    return word && *word != '*' ? (uint8_t)pto_dtype_find(word) : PTO_F32;
}

static bool is_floaty(const struct pto_op_info *info)
{
    return *types_of(info) && pto_dtype_is_float(first_type(info, 0));
}

static int first_value(enum pto_enum set)
{
    int value = 0;

    while (!pto_enum_keyword(set, value))
        value++;
    return value;
}

/* With an extent that only the run knows, unless a whole tile is meant: the operands of some rows
 * need of each other what tiles of one shape do not have. */
static struct pto_operand new_tile(struct single *s, enum pto_space space, uint8_t dtype,
                                   bool entire)
{
    static const char *const names[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"};
    const struct pto_profile *profile = !strcmp(s->module.profile, "a5") ? &profiles[1]
                                                                         : &profiles[0];
    struct pto_tile *tile = &s->core->tile[s->core->tiles];
    struct pto_operand operand;
    uint32_t rows = space == PTO_BT || space == PTO_FB ? 1 : ROWS; /* these are small */

    *tile = (struct pto_tile){names[s->core->tiles], (uint8_t)space, dtype,
                              (uint8_t)pto_profile_layout(profile, space), rows, COLS, 1,
                              s->used[space], 0, PTO_NONE, 0, 0};
    tile->slot_stride = (uint32_t)pto_tile_bytes(tile);
    s->used[space] += tile->slot_stride;
    operand = sample_tile(s->core->tiles++, (struct pto_scalar){0});
    if (!entire)
        operand.tile.rows = operand.tile.cols = sample_reg(INT_REG);
    return operand;
}

static struct pto_operand new_object(struct single *s, uint8_t dtype)
{
    static const char *const names[] = {"g0", "g1", "g2"};

    s->kernel->object[s->kernel->objects] = (struct pto_object){
        .name = names[s->kernel->objects], .kind = PTO_OBJ_SYM, .dtype = dtype, .dims = 2,
        .dim = {sample_int(ROWS), sample_int(COLS)}, .base = PTO_NONE};
    return sample_gm(s->kernel->objects++, 2);
}

static struct pto_operand make_operand(struct single *s, const struct pto_op_info *info, unsigned i,
                                       const uint8_t *spaces)
{
    const struct pto_operand_spec *spec = &info->operand[i];
    bool scratch = spec->access & PTO_SCRATCH;

    switch (spec->kind) {
    case PTO_K_INT:
        return sample_scalar(spec->rule ? sample_reg(INT_REG) : sample_int(1));
    case PTO_K_FLOAT:
        return sample_scalar(sample_float(0.5));
    case PTO_K_NUM:
    case PTO_K_REST:
        return sample_scalar(is_floaty(info) ? sample_reg(FLOAT_REG) : sample_reg(INT_REG));
    case PTO_K_INT_REG:
        return sample_scalar(sample_reg(INT_REG));
    case PTO_K_FLOAT_REG:
        return sample_scalar(sample_reg(FLOAT_REG));
    case PTO_K_ANY_REG:
        return sample_scalar(sample_reg(is_floaty(info) ? FLOAT_REG : INT_REG));
    case PTO_K_TILE:
        return new_tile(s, spaces[i], scratch ? PTO_F32 : first_type(info, s->typed++),
                        spec->rule == PTO_SHAPE_OF_ENTIRE);
    case PTO_K_GM:
    case PTO_K_MEM:
        return new_object(s, first_type(info, s->typed++));
    case PTO_K_ENUM:
        return sample_enum(spec->set != PTO_ENUM_PIPE ? first_value(spec->set)
                           : i                        ? PTO_PIPE_V
                                                      : PTO_PIPE_MTE2);
    case PTO_K_LABEL:
        return sample_label(0);
    default:
        return sample_text("a text");
    }
}

/* Spaces for the tiles of a row: the first ones allowed, and for transfers the first two (global
 * memory included) that the profile joins. */
static void choose_spaces(const struct pto_op_info *info, uint8_t *spaces)
{
    unsigned ends[2] = {PTO_PATH_GM, PTO_PATH_GM}; /* of operands 0 and 1 */

    for (unsigned i = 0; i < info->operands; i++)
        spaces[i] = (uint8_t)(info->operand[i].spaces ? __builtin_ctz(info->operand[i].spaces) : 0);
    if (info->route != PTO_ON_PATH)
        return;
    for (unsigned pair = 0; pair < PTO_PATH_ENDS * PTO_PATH_ENDS; pair++) {
        bool good = true;

        ends[0] = pair / PTO_PATH_ENDS;
        ends[1] = pair % PTO_PATH_ENDS;
        for (unsigned i = 0; i < 2; i++)
            good &= info->operand[i].kind == PTO_K_GM ? ends[i] == PTO_PATH_GM
                                                      : info->operand[i].spaces >> ends[i] & 1;
        if (good && profiles[0].path[ends[1]][ends[0]].exists)
            break;
    }
    spaces[0] = (uint8_t)ends[0];
    spaces[1] = (uint8_t)ends[1];
}

static void make_single(struct single *s, unsigned op, bool optional)
{
    static const struct pto_register regs[] = {{"i", false}, {"x", true}};
    const struct pto_op_info *info = pto_op_info(op);
    uint8_t spaces[PTO_MAX_OPERANDS];
    bool cube = false;

    *s = (struct single){.module.profile = profile_for(info)->name};
    s->kernel = s->module.kernel = pto_arena_alloc(&s->module.arena, sizeof *s->kernel);
    s->module.kernels = 1;
    s->kernel->name = "k";
    s->kernel->vectors_per_block = 2;
    s->kernel->object = pto_arena_array(&s->module.arena, 3, sizeof *s->kernel->object);
    choose_spaces(info, spaces);
    for (unsigned i = 0; i < info->operands; i++)
        cube |= info->operand[i].kind == PTO_K_TILE && spaces[i] != PTO_UB;
    s->core = &s->kernel->core[cube ? PTO_AIC : PTO_AIV];
    s->core->present = true;
    s->core->tile = pto_arena_array(&s->module.arena, PTO_MAX_OPERANDS, sizeof *s->core->tile);
    sample_code(&s->module, &s->core->code, regs, 2);
    for (unsigned i = 0; i < info->operands; i++) {
        if (optional || !(info->operand[i].access & PTO_OPTIONAL))
            s->operand[s->operands++] = make_operand(s, info, i, spaces);
        else if (info->operand[i].kind != PTO_K_REST)
            s->operand[s->operands++] = sample_none();
    }
    sample_add(&s->module, &s->core->code, op, 0, s->operands, s->operand);
    sample_add(&s->module, &s->core->code, PTO_OP_END, 0, 0, NULL);
    if (joins_a_block(info)) {
        s->kernel->core[PTO_AIC].present = true;
        sample_code(&s->module, &s->kernel->core[PTO_AIC].code, regs, 0);
        sample_add(&s->module, &s->kernel->core[PTO_AIC].code, PTO_OP_END, 0, 0, NULL);
    }
}

/* An object from before the last optional operands of the row were added says the same. */
static void survives_without_the_last_operands(struct single *s, const struct pto_buf *bytes)
{
    struct pto_insn *insn = s->core->code.insn;
    struct pto_buf shorter = {0}, again = {0};
    struct pto_diags diags = {0};
    struct pto_module module;
    uint8_t operands = insn->operands;

    while (insn->operands && insn->operand[insn->operands - 1].kind == PTO_O_NONE)
        insn->operands--;
    pto_object_write(&s->module, &shorter);
    insn->operands = operands;
    assert_int_equal(pto_object_read(shorter.data, shorter.size, "x", &module, &diags), PTO_OK);
    pto_object_write(&module, &again);
    assert_int_equal(again.size, bytes->size);
    assert_memory_equal(again.data, bytes->data, bytes->size);
    pto_module_free(&module);
    pto_buf_free(&shorter);
    pto_buf_free(&again);
}

static void survives(unsigned op, bool optional)
{
    const struct pto_asm_options options = {.profile = profile_for(pto_op_info(op))};
    struct pto_buf bytes = {0}, again = {0}, text = {0};
    struct pto_diags diags = {0};
    struct pto_program program;
    struct pto_module module;
    struct single s;

    make_single(&s, op, optional);
    pto_object_write(&s.module, &bytes);
    survives_without_the_last_operands(&s, &bytes);
    pto_disassemble(&s.module, &text);
    if (pto_verify(&s.module, options.profile, &program, &diags) != PTO_OK ||
        pto_assemble_text("plain", (const char *)text.data, text.size, &options, &module, &diags) !=
            PTO_OK) {
        print_message("%s", pto_buf_text(&text));
        pto_diags_print(&diags, stdout, false);
        fail_msg("%s", pto_op_info(op)->mnemonic);
    }
    /* The text has no positions; the assembler's own are not compared. */
    module.files = module.positions = 0;
    forget_places(module.kernel);
    pto_object_write(&module, &again);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.data, bytes.data, bytes.size);
    pto_program_free(&program);
    pto_module_free(&module);
    pto_buf_free(&bytes);
    pto_buf_free(&again);
    pto_buf_free(&text);
    pto_diags_free(&diags);
}

static void every_row(void **state)
{
    (void)state;
    for (unsigned op = 0; op < PTO_OP_COUNT; op++)
        if (op != PTO_OP_DEFAULT) { /* set-up code only: isa_disasm_test */
            survives(op, false);
            survives(op, true);
        }
}

static void numbers_lead_back(void **state)
{
    (void)state;
    for (unsigned op = 0; op < PTO_OP_COUNT; op++)
        assert_int_equal(pto_op_numbered(pto_op_info(op)->number), op);
    for (unsigned op = PTO_OP_COUNT; op < PTO_ROW_COUNT; op++)
        assert_int_equal(pto_op_info(op)->number, PTO_NO_NUMBER);
    assert_int_equal(pto_op_numbered(PTO_NO_NUMBER), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row),
                                       cmocka_unit_test(numbers_lead_back)};
    struct pto_diags diags = {0};

    if (pto_profile_load("a2", &profiles[0], &diags) != PTO_OK ||
        pto_profile_load("a5", &profiles[1], &diags) != PTO_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
