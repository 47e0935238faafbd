/* The plain form: what each part of a module is printed as, and that the assembler makes the same
 * bytes of it again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assembler.h"
#include "isa_sample.h"
#include "profile_load.h"

static const char expected[] =
    ".assembled_for \"a2\"\n"
    ".file 0 \"sample.pto\"\n"
    ".file 1 \"lib/\\xc3\\xa4.pto\"\n"
    ".pos 0 0 1 1 -1\n"
    ".pos 1 0 2 1 -1\n"
    ".pos 2 0 9 5 -1\n"
    ".pos 3 1 3 7 2\n"
    ".pos 4 0 20 1 -1\n"
    "\n"
    ".at 0\n"
    ".kernel sample\n"
    ".mix 1:2\n"
    ".at 1\n"
    ".param n : i64 uniform\n"
    ".at 2\n"
    ".param s : f64\n"
    ".reg %_0 : i64\n"
    ".at 1\n"
    ".in a : f32[%n, 4] optional uniform\n"
    ".out c : f32[%n, 4]\n"
    ".at 0\n"
    ".sym acc : i32[%n]\n"
    ".signal ready[%n, nranks()]\n"
    ".view v : f16[%n, 4] of acc offset 0\n"
    ".view t : f32[%n, 4] of a offset %_0 strides 1, 8\n"
    ".setup\n"
    "    .at 1\n"
    "    default %n, 1024\n"
    "    present %_0, a\n"
    "    assert %_0, \"a is needed\"\n"
    ".endsetup\n"
    "\n"
    ".core aic\n"
    "    .tile l1[1] : l1 f16[64, 64] nz @ 0x0 stride 8192\n"
    "    .tile left[2] : l0a f16[32, 32] zz @ 0x0 stride 2048\n"
    "    .tile right[1] : l0b f16[32, 32] zn @ 0x0 stride 2048\n"
    "    .tile sum[1] : l0c f32[32, 32] nz @ 0x0 stride 4096\n"
    "    .at 4\n"
    "    TEXTRACT left[1], l1(16, %n)\n"
    "    set_flag MTE1, M, 0\n"
    "    TMMAD sum, left[1], right, 1\n"
    "    set_flag_dev FIX, 2, 3\n"
    "    TSTORE c[0, 0], sum[0], atomic_add\n"
    "    end\n"
    "\n"
    ".core aiv\n"
    "    .reg %i : i64\n"
    "    .reg %x : f64\n"
    "    .reg %_0 : i64\n"
    "    .local hist : i64[16]\n"
    "    .at 2\n"
    "    .local w : f64[4]\n"
    "    .at 1\n"
    "    .tile ta[2] : ub f32[8, 64] nd @ 0x0 stride 2048\n"
    "    .tile tb[1] : ub f32[8, 64] nd @ 0x1000 stride 2048\n"
    "    .tile tw[2] : ub i8[1, 1024] nd @ 0x0 stride 2048 of ta\n"
    "    .tile red.1[1] : ub f32[8, 1] dn @ 0x1800 stride 32\n"
    "    .at 2\n"
    "    mov %i, 0\n"
    "loop:\n"
    "again:\n"
    "    .at 3\n"
    "    TADD ta[%i]{1, %_0}, ta[%i]{1, %_0}, tb\n"
    ".L2:\n"
    "    TROWMAX red.1{1, 1}, ta[%i]{1, %_0}\n"
    "    TADDS ta[%i]{1, %_0}, ta[%i]{1, %_0}, -0.1\n"
    "    st hist[15], vec_id()\n"
    "    ld %x, tb(7, %i)\n"
    "    ld %_0, tw[1](512)\n"
    "    print \"tab\\t \\\"quote\\\" \\x01\", %x, -9223372036854775808, 1e+300\n"
    "    TNOTIFY ready@%i[0, rank()], 1, add\n"
    "    TWAIT ready, ge, %i\n"
    "    pipe_barrier ALL\n"
    "    iadd %i, %i, 1\n"
    "    blt %i, %n, loop\n"
    "    bt %i, .L2\n"
    "    end\n";

static void whole_module(void **state)
{
    struct pto_module module;
    struct pto_buf text = {0};

    (void)state;
    sample_module(&module);
    pto_disassemble(&module, &text);
    assert_string_equal(pto_buf_text(&text), expected);
    pto_buf_free(&text);
    pto_module_free(&module);
}

/* The text of one instruction of the sample's vector program. */
static void expect_insn(const struct pto_module *module, unsigned index, const char *want)
{
    const struct pto_kernel *kernel = &module->kernel[0];
    const struct pto_core_code *core = &kernel->core[PTO_AIV];
    struct pto_buf text = {0};

    pto_disassemble_insn(module, kernel, core, &core->code, &core->code.insn[index], &text);
    assert_string_equal(pto_buf_text(&text), want);
    pto_buf_free(&text);
}

static void single_instructions(void **state)
{
    struct pto_module module;
    struct pto_insn *insn;

    (void)state;
    sample_module(&module);
    insn = module.kernel[0].core[PTO_AIV].code.insn;
    expect_insn(&module, 12, "blt %i, %n, loop");
    insn[8].operand[0].gm.rank = sample_int(-1);
    insn[8].operand[0].gm.rows = sample_int(1);
    insn[8].operand[0].gm.cols = sample_reg(4);
    expect_insn(&module, 8, "TNOTIFY ready@(-1)[0, rank()]{1, %_0}, 1, add");
    pto_module_free(&module);
}

static void floats(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {3, "3.0"},           {-0.0, "-0.0"},      {0.1, "0.1"},      {1e-5, "1e-05"},
        {1e22, "1e+22"},      {123456789, "123456789.0"},
        {0.1 + 0.2, "0.30000000000000004"},        {5e-324, "5e-324"},
        {INFINITY, "inf"},    {-INFINITY, "-inf"}, {NAN, "nan"},      {-NAN, "nan"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
    };
    struct pto_module module;

    (void)state;
    sample_module(&module);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pto_insn *insn = &module.kernel[0].core[PTO_AIV].code.insn[3];
        char want[80];

        insn->operand[2].scalar = sample_float(cases[i].value);
        snprintf(want, sizeof want, "TADDS ta[%%i]{1, %%_0}, ta[%%i]{1, %%_0}, %s", cases[i].text);
        expect_insn(&module, 3, want);
    }
    pto_module_free(&module);
}

static void what_does_not_exist_is_a_question_mark(void **state)
{
    struct pto_module module;
    struct pto_insn *insn;

    (void)state;
    sample_module(&module);
    insn = module.kernel[0].core[PTO_AIV].code.insn;
    insn[1].operand[0].tile.tile = 77;
    insn[1].operand[1].tile.slot = sample_reg(99);
    expect_insn(&module, 1, "TADD ?[%i]{1, %_0}, ta[%?]{1, %_0}, tb");
    insn[4].operand[0].local.local = 9;
    expect_insn(&module, 4, "st ?[15], vec_id()");
    insn[9].operand[0].gm.object = 9;
    insn[9].operand[1].value = 99;
    expect_insn(&module, 9, "TWAIT ?, ?, %i");
    insn[12].operand[2].value = 1000;
    expect_insn(&module, 12, "blt %i, %n, .L1000");
    module.kernel[0].core[PTO_AIV].label[0].name = "";
    insn[12].operand[2].value = 1;
    expect_insn(&module, 12, "blt %i, %n, ?");
    pto_module_free(&module);
}

static void assembles_to_the_same_bytes(void **state)
{
    struct pto_module module, again;
    struct pto_buf bytes = {0}, bytes_again = {0}, text = {0};
    struct pto_diags diags = {0};
    struct pto_profile profile;
    const struct pto_asm_options options = {.profile = &profile};

    (void)state;
    assert_int_equal(pto_profile_load("a2", &profile, &diags), PTO_OK);
    sample_module(&module);
    pto_object_write(&module, &bytes);
    pto_disassemble(&module, &text);
    if (pto_assemble_text("plain", (const char *)text.data, text.size, &options, &again, &diags) !=
        PTO_OK) {
        pto_diags_print(&diags, stdout, false);
        fail();
    }
    pto_object_write(&again, &bytes_again);
    assert_int_equal(bytes_again.size, bytes.size);
    assert_memory_equal(bytes_again.data, bytes.data, bytes.size);
    pto_module_free(&module);
    pto_module_free(&again);
    pto_buf_free(&bytes);
    pto_buf_free(&bytes_again);
    pto_buf_free(&text);
    pto_diags_free(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_module), cmocka_unit_test(single_instructions),
        cmocka_unit_test(floats),       cmocka_unit_test(what_does_not_exist_is_a_question_mark),
        cmocka_unit_test(assembles_to_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
