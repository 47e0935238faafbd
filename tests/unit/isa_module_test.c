/* Tables and layouts: names lead back to their values, every layout gives each element a place of
 * its own, and the places are those of the published formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "isa_sample.h"
#include "module.h"

static void names_and_back(void **state)
{
    (void)state;
    for (int i = 0; i < PTO_SYS_COUNT; i++)
        assert_int_equal(pto_sys_find(pto_sys_name((enum pto_sys)i)), i);
    for (int i = 0; i < PTO_DTYPE_COUNT; i++)
        assert_int_equal(pto_dtype_find(pto_dtype_name((enum pto_dtype)i)), i);
    for (int i = 0; i < PTO_SPACE_COUNT; i++)
        assert_int_equal(pto_space_find(pto_space_name((enum pto_space)i)), i);
    for (int i = 0; i < PTO_LAYOUT_COUNT; i++)
        assert_int_equal(pto_layout_find(pto_layout_name((enum pto_layout)i)), i);
    assert_int_equal(pto_sys_find("ranks"), -1);
    assert_int_equal(pto_dtype_find("f64"), -1);
    assert_int_equal(pto_dtype_find(""), -1);
}

static void every_row_of_the_table_is_whole(void **state)
{
    (void)state;
    for (unsigned op = 0; op < PTO_OP_COUNT; op++) {
        const struct pto_op_info *info = pto_op_info(op);
        bool found = false;

        assert_true(info->operands <= PTO_MAX_OPERANDS);
        assert_true(*info->mnemonic && *info->meaning);
        for (int row = pto_op_find(info->mnemonic); row >= 0; row = pto_op_next((unsigned)row))
            found |= (unsigned)row == op;
        assert_true(found);
        assert_true((info->class == PTO_TILE) == (info->route != PTO_ON_NONE));
        for (unsigned i = 0; i < info->operands; i++) {
            assert_non_null(info->operand[i].name);
            if (info->operand[i].kind == PTO_K_REST)
                assert_int_equal(i, info->operands - 1);
            if (info->operand[i].kind == PTO_K_ENUM && (info->operand[i].access & PTO_OPTIONAL))
                assert_non_null(pto_enum_keyword(info->operand[i].set, info->operand[i].preset));
        }
    }
}

static void pseudo_instructions_are_apart(void **state)
{
    (void)state;
    assert_true((unsigned)PTO_ROW_COUNT > (unsigned)PTO_OP_COUNT);
    for (unsigned op = PTO_OP_COUNT; op < PTO_ROW_COUNT; op++) {
        const struct pto_op_info *info = pto_op_info(op);
        bool found = false;

        assert_int_equal(info->class, PTO_PSEUDO);
        assert_int_equal(pto_op_find(info->mnemonic), -1);
        for (int row = pto_pseudo_op_find(info->mnemonic); row >= 0;
             row = pto_op_next((unsigned)row))
            found |= (unsigned)row == op;
        assert_true(found);
    }
    assert_int_equal(pto_pseudo_op_find("TADD"), -1);
}

/* The index finds what walking along the table finds. */
static void the_index_finds_rows(void **state)
{
    struct pto_op_index index;

    (void)state;
    pto_op_index_make(&index);
    for (unsigned op = 0; op < PTO_ROW_COUNT; op++) {
        const char *mnemonic = pto_op_info(op)->mnemonic;
        int first = pto_op_find(mnemonic);

        assert_int_equal(pto_op_index_find(&index, mnemonic),
                         first < 0 ? pto_pseudo_op_find(mnemonic) : first);
        assert_int_equal(pto_op_index_next(&index, op), pto_op_next(op));
    }
    assert_int_equal(pto_op_index_find(&index, "TAD"), -1);
    assert_int_equal(pto_op_index_find(&index, ""), -1);
}

static void fractals(void **state)
{
    static const struct {
        enum pto_layout layout;
        enum pto_space space;
        unsigned bytes, rows, cols;
    } cases[] = {
        {PTO_ND, PTO_UB, 4, 1, 1},   {PTO_DN, PTO_L1, 2, 1, 1},    {PTO_NZ, PTO_L1, 2, 16, 16},
        {PTO_NZ, PTO_L1, 4, 16, 8},  {PTO_NZ, PTO_L1, 1, 16, 32},  {PTO_ZZ, PTO_L0A, 4, 16, 8},
        {PTO_ZN, PTO_L0B, 4, 8, 16}, {PTO_ZN, PTO_L0B, 1, 32, 16}, {PTO_NZ, PTO_L0C, 4, 16, 16},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned rows, cols;

        pto_fractal(cases[i].layout, cases[i].space, cases[i].bytes, &rows, &cols);
        assert_int_equal(rows, cases[i].rows);
        assert_int_equal(cols, cases[i].cols);
    }
}

/* Walk the elements in the order in which they lie: the offset must count up from 0.  The loops
 * are the definition of the layout, outermost dimension first. */
static void expect_order(enum pto_layout layout, enum pto_space space, uint8_t dtype, uint32_t rows,
                         uint32_t cols, uint32_t box_rows, uint32_t box_cols)
{
    struct pto_tile tile = {.name = "t", .space = (uint8_t)space, .dtype = dtype,
                            .layout = (uint8_t)layout, .rows = rows, .cols = cols, .slots = 1};
    uint32_t outer = layout == PTO_NZ ? cols / box_cols : rows / box_rows;
    uint32_t inner = layout == PTO_NZ ? rows / box_rows : cols / box_cols;
    uint64_t at = 0;

    for (uint32_t o = 0; o < outer; o++)
        for (uint32_t i = 0; i < inner; i++)
            for (uint32_t k = 0; k < box_rows * box_cols; k++) {
                bool down = layout == PTO_ZN;
                uint32_t block_row = layout == PTO_NZ ? i : o, block_col = layout == PTO_NZ ? o : i;
                uint32_t row = block_row * box_rows + (down ? k % box_rows : k / box_cols);
                uint32_t col = block_col * box_cols + (down ? k / box_rows : k % box_cols);

                assert_int_equal(pto_tile_offset(&tile, row, col), at++);
            }
    assert_int_equal(at * pto_dtype_size(dtype), pto_tile_bytes(&tile));
}

static void layouts(void **state)
{
    struct pto_tile tile = {.name = "t", .space = PTO_UB, .dtype = PTO_F16, .rows = 3, .cols = 5};

    (void)state;
    expect_order(PTO_NZ, PTO_L1, PTO_F16, 48, 64, 16, 16);
    expect_order(PTO_NZ, PTO_L1, PTO_F32, 32, 24, 16, 8);
    expect_order(PTO_NZ, PTO_L0C, PTO_F32, 32, 48, 16, 16);
    expect_order(PTO_ZZ, PTO_L0A, PTO_F32, 32, 24, 16, 8);
    expect_order(PTO_ZZ, PTO_L0A, PTO_I8, 48, 64, 16, 32);
    expect_order(PTO_ZN, PTO_L0B, PTO_F16, 48, 32, 16, 16);
    expect_order(PTO_ZN, PTO_L0B, PTO_F32, 24, 32, 8, 16);
    tile.layout = PTO_ND;
    assert_int_equal(pto_tile_offset(&tile, 2, 4), 14);
    tile.layout = PTO_DN;
    assert_int_equal(pto_tile_offset(&tile, 2, 4), 14);
    assert_int_equal(pto_tile_offset(&tile, 2, 1), 5);
    assert_int_equal(pto_tile_bytes(&tile), 30);
    tile.rows = tile.cols = UINT32_MAX;
    tile.dtype = PTO_I64;
    assert_true(pto_tile_bytes(&tile) == UINT64_MAX);
}

static void types_of_instructions(void **state)
{
    struct pto_module module;
    const struct pto_kernel *kernel;
    const struct pto_core_code *aiv;
    uint8_t dtypes[PTO_MAX_OPERANDS];
    const uint8_t f32_f16_f16[] = {PTO_F32, PTO_F16, PTO_F16}, f32s[] = {PTO_F32, PTO_F32};
    const uint8_t f16_f32[] = {PTO_F16, PTO_F32}, bf16s[] = {PTO_BF16, PTO_BF16, PTO_BF16};

    (void)state;
    sample_module(&module);
    kernel = &module.kernel[0];
    aiv = &kernel->core[PTO_AIV];
    assert_int_equal(pto_insn_types(kernel, &kernel->core[PTO_AIC],
                                    &kernel->core[PTO_AIC].code.insn[2], dtypes), 3);
    assert_memory_equal(dtypes, f32_f16_f16, 3);
    assert_int_equal(pto_insn_types(kernel, aiv, &aiv->code.insn[2], dtypes), 2);
    assert_int_equal(pto_insn_types(kernel, aiv, &aiv->code.insn[4], dtypes), 0); /* st local */
    assert_int_equal(pto_insn_types(kernel, aiv, &aiv->code.insn[8], dtypes), 1);
    assert_int_equal(dtypes[0], PTO_I32);
    pto_module_free(&module);
    assert_true(pto_types_match(pto_op_info(PTO_OP_TMMAD), false, f32_f16_f16, 3));
    assert_false(pto_types_match(pto_op_info(PTO_OP_TMMAD), false, bf16s, 3));
    assert_true(pto_types_match(pto_op_info(PTO_OP_TCVT), false, f16_f32, 2));
    assert_true(pto_types_match(pto_op_info(PTO_OP_TCVT), false, f32s, 2)); /* round in place */
    assert_false(pto_types_match(pto_op_info(PTO_OP_TADD), false, bf16s, 3));
    assert_true(pto_types_match(pto_op_info(PTO_OP_TADD), true, bf16s, 3));
    assert_false(pto_types_match(pto_op_info(PTO_OP_TADD), true, f32_f16_f16, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_back), cmocka_unit_test(every_row_of_the_table_is_whole),
        cmocka_unit_test(pseudo_instructions_are_apart),
        cmocka_unit_test(the_index_finds_rows),
        cmocka_unit_test(fractals),       cmocka_unit_test(layouts),
        cmocka_unit_test(types_of_instructions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
