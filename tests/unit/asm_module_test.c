/* What the assembler puts into a module, where listings and round trips do not pin it down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "assembler.h"
#include "profile_load.h"

static struct pto_profile profile;
static struct pto_diags diags;
static struct pto_module module;

static enum pto_status assemble_with(const char *text, const struct pto_asm_define *define,
                                     unsigned defines)
{
    struct pto_asm_options options = {.profile = &profile, .define = define, .defines = defines};

    return pto_assemble_text("text.pto", text, strlen(text), &options, &module, &diags);
}

static const struct pto_kernel *assemble(const char *text)
{
    if (assemble_with(text, NULL, 0) != PTO_OK) {
        pto_diags_print(&diags, stderr, false);
        fail();
    }
    return &module.kernel[0];
}

static int set_up(void **unused)
{
    (void)unused;
    diags = (struct pto_diags){0};
    return pto_profile_load("a2", &profile, &diags) == PTO_OK ? 0 : -1;
}

static int tear_down(void **unused)
{
    (void)unused;
    pto_module_free(&module);
    pto_diags_free(&diags);
    return 0;
}

/* Shapes of inputs fix parameters only where a dimension is the parameter itself. */
static void dimension_that_is_a_parameter_stays_one(void **unused)
{
    const struct pto_kernel *k = assemble(".kernel k\n.param m : i64\n.param n : i64\n"
                                          ".in a : f32[n, (%m), m + 1, 3, nranks()]\n.core aiv\n");
    const struct pto_object *object = &k->object[0];

    (void)unused;
    assert_int_equal(object->dims, 5);
    assert_int_equal(object->dim[0].kind, PTO_S_REG);
    assert_int_equal(object->dim[0].reg, 1);
    assert_int_equal(object->dim[1].kind, PTO_S_REG);
    assert_int_equal(object->dim[1].reg, 0);
    assert_int_equal(object->dim[2].kind, PTO_S_REG);
    assert_int_equal(object->dim[2].reg, 2);
    assert_int_equal(object->dim[3].kind, PTO_S_INT);
    assert_int_equal(object->dim[3].i, 3);
    assert_int_equal(object->dim[4].kind, PTO_S_SYS);
    assert_int_equal(object->dim[4].reg, PTO_SYS_NRANKS);
    assert_int_equal(k->setup.insns, 1);
    assert_int_equal(k->setup.insn[0].op, PTO_OP_IADD);
}

static void parameters_are_the_first_registers(void **unused)
{
    const struct pto_kernel *k = assemble(".kernel k\n.param m : i64 = 5\n.param s : f64 = m\n"
                                          ".core aic\n%x = s\n.core aiv\n%y = m\n");

    (void)unused;
    assert_true(k->param[0].has_default && k->param[1].has_default);
    assert_false(k->param[0].is_float);
    assert_true(k->param[1].is_float);
    for (int kind = 0; kind < PTO_CORE_KINDS; kind++) {
        const struct pto_code *code = &k->core[kind].code;

        assert_int_equal(code->regs, 3);
        assert_string_equal(code->reg[0].name, "m");
        assert_string_equal(code->reg[1].name, "s");
        assert_true(code->reg[1].is_float);
        assert_int_equal(code->insn[code->insns - 1].op, PTO_OP_END);
    }
    assert_true(k->core[PTO_AIC].code.reg[2].is_float);
    assert_false(k->core[PTO_AIV].code.reg[2].is_float);
}

static void tiles_never_overlap_unless_told(void **unused)
{
    const struct pto_kernel *k = assemble(
        ".kernel k\n.core aiv\n.tile late : ub f32[1, 8] @ 0x40\n.tile a[2] : ub f32[1, 9]\n"
        ".tile b : ub f32[1, 16]\n.tile c : ub f32[1, 8]\n.tile same : ub i8[1, 32] @ 0x40\n"
        ".tile view : i32[1, 4] of a\n");
    const struct pto_tile *tile = k->core[PTO_AIV].tile;

    (void)unused;
    assert_int_equal(tile[0].address, 0x40);
    assert_int_equal(tile[1].slot_stride, 64);
    assert_int_equal(tile[1].address, 0x60); /* 100 bytes do not fit below 0x40 */
    assert_int_equal(tile[2].address, 0);
    assert_int_equal(tile[3].address, 0xe0); /* behind the last slot, aligned */
    assert_int_equal(tile[4].address, 0x40);
    assert_int_equal(tile[5].parent, 1);
    assert_int_equal(tile[5].address, 0x60);
    assert_int_equal(tile[5].slots, 2);
    assert_int_equal(tile[5].slot_stride, 64);
}

/* A position leads from an instruction through every macro use to the text outside. */
static void positions_know_the_macros_around(void **unused)
{
    const struct pto_kernel *k = assemble(
        ".macro inner x\n    print \"i\", x\n.endm\n.macro outer y\n    inner y\n.endm\n"
        ".kernel k\n.core aiv\n    outer 5\n");
    const struct pto_pos *pos = &module.pos[k->core[PTO_AIV].code.insn[0].pos];

    (void)unused;
    assert_int_equal(pos->line, 2);
    assert_int_equal(pos->column, 5);
    pos = &module.pos[pos->parent];
    assert_int_equal(pos->line, 5);
    pos = &module.pos[pos->parent];
    assert_int_equal(pos->line, 9);
    assert_int_equal(pos->parent, PTO_NONE);
    assert_string_equal(module.file[pos->file], "text.pto");
}

static void macro_names_are_local(void **unused)
{
    const struct pto_kernel *k = assemble(
        ".macro twice d\n    %t = d * 2\n    d = %t + 1\nend:    jump end\n.endm\n"
        ".kernel k\n.core aiv\n    %t = 7\n    %v = 1\n    twice %v\n    twice %t\n"
        "end:    jump end\n");
    const struct pto_core_code *core = &k->core[PTO_AIV];

    (void)unused;
    assert_int_equal(core->code.regs, 4);
    assert_string_equal(core->code.reg[2].name, "t.1");
    assert_string_equal(core->code.reg[3].name, "t.2");
    assert_int_equal(core->labels, 3);
    assert_string_equal(core->label[0].name, "end.1");
    assert_string_equal(core->label[2].name, "end");
    assert_int_equal(core->code.insn[4].operand[0].value, 4); /* each jumps to its own */
    assert_int_equal(core->code.insn[7].operand[0].value, 7);
    assert_int_equal(core->code.insn[8].operand[0].value, 8);
}

/* Parameters and objects are bound by name; registers of a macro may be called like a parameter. */
static void interface_names_are_global(void **unused)
{
    const struct pto_kernel *k = assemble(
        ".macro interface\n.param n : i64\n.in x : f32[n]\n.endm\n"
        ".macro count d\n    %n = d + 1\n    d = %n\n.endm\n"
        ".kernel k\n    interface\n.core aiv\n    %v = n\n    count %v\n    present %v, x\n");

    (void)unused;
    assert_string_equal(k->param[0].name, "n");
    assert_string_equal(k->object[0].name, "x");
    assert_string_equal(k->core[PTO_AIV].code.reg[2].name, "n.2");
}

static void defines_replace_defaults(void **unused)
{
    static const char text[] = ".define W = 3\n.kernel k\n.core aiv\n    print \"w\", W\n";
    const struct pto_asm_define define = {"W", "2 * 2 + 1"};
    const struct pto_asm_define unused_define = {"V", "1"}, bad = {"W", "1\n.kernel x"};

    (void)unused;
    assert_int_equal(assemble_with(text, &define, 1), PTO_OK);
    assert_int_equal(module.kernel[0].core[PTO_AIV].code.insn[0].operand[1].scalar.i, 5);
    pto_module_free(&module);
    assert_int_equal(assemble_with(text, &unused_define, 1), PTO_EPROGRAM);
    assert_string_equal(diags.last->message, "'V' was defined from outside, but the text does not "
                                             "use it");
    assert_int_equal(assemble_with(text, &bad, 1), PTO_EPROGRAM);
}

/* A loop costs an addition and a branch a turn, and no temporary outlives what it is for. */
static void loops_are_tight(void **unused)
{
    const struct pto_kernel *k = assemble(
        ".kernel k\n.param n : i64\n.core aiv\n    %s = 0\n    .for %i = 0 to n\n"
        "        %s = %s + (%i * 2 + 1) * (%i + 3)\n    .endfor\n");
    const struct pto_code *code = &k->core[PTO_AIV].code;

    (void)unused;
    assert_int_equal(code->insns, 11);
    assert_int_equal(code->insn[2].op, PTO_OP_BGE);
    assert_int_equal(code->insn[2].operand[2].value, 10);
    assert_int_equal(code->insn[8].op, PTO_OP_IADD);
    assert_int_equal(code->insn[9].op, PTO_OP_BLT);
    assert_int_equal(code->insn[9].operand[2].value, 3);
    assert_int_equal(code->regs, 5); /* n, s, i and two temporaries */
}

static void left_out_operands_are_none(void **unused)
{
    const struct pto_kernel *k = assemble(
        ".kernel k\n.out c : f32[8]\n.core aiv\n.tile t : ub f32[1, 8]\n    TSTORE c, t\n"
        "    TSTORE c, t, norelu\n    TADD t, t, t\n");
    const struct pto_insn *insn = k->core[PTO_AIV].code.insn;

    (void)unused;
    assert_int_equal(insn[0].operands, pto_op_info(PTO_OP_TSTORE)->operands);
    assert_int_equal(insn[0].operand[2].kind, PTO_O_NONE);
    assert_int_equal(insn[0].operand[3].kind, PTO_O_NONE);
    assert_int_equal(insn[1].operand[2].kind, PTO_O_NONE);
    assert_int_equal(insn[1].operand[3].kind, PTO_O_ENUM);
    assert_int_equal(insn[2].operand[0].tile.slot.kind, PTO_S_NONE);
    assert_int_equal(insn[2].operand[0].tile.rows.kind, PTO_S_NONE);
    assert_int_equal(insn[0].operand[0].gm.indices, 0);
}

static void errors_leave_no_module(void **unused)
{
    (void)unused;
    assert_int_equal(assemble_with(".kernel k\n.core aiv\n%x = %y\n", NULL, 0), PTO_EPROGRAM);
    assert_null(module.kernel);
    assert_int_equal(module.kernels, 0);
    assert_int_equal(diags.errors, 1);
    assert_string_equal(diags.first->source_line, "%x = %y");
    assert_int_equal(diags.first->line, 3);
    assert_int_equal(diags.first->column, 6);
    assert_int_equal(diags.first->length, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(dimension_that_is_a_parameter_stays_one),
        TEST(parameters_are_the_first_registers),
        TEST(tiles_never_overlap_unless_told),
        TEST(positions_know_the_macros_around),
        TEST(macro_names_are_local),
        TEST(interface_names_are_global),
        TEST(defines_replace_defaults),
        TEST(loops_are_tight),
        TEST(left_out_operands_are_none),
        TEST(errors_leave_no_module),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
