/* arithmetic.def against the instruction table: every scalar instruction that computes has its row,
 * with the types that its operands have there.  What the rows compute is tested through the
 * programs (tests/run/scalar_test.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arithmetic.h"
#include "ops.h"

enum { INT, REAL };

#define ARITHMETIC(id, result, operands, ...) {PTO_OP_##id, result, operands},
#define BRANCH(...)
static const struct {
    unsigned op;
    int result, operands;
} rows[] = {
#include "arithmetic.def"
};
#undef ARITHMETIC
#undef BRANCH

static bool needs_a_row(unsigned op)
{
    return pto_op_info(op)->class == PTO_SCALAR && op != PTO_OP_MOV && op != PTO_OP_DEFAULT &&
           op != PTO_OP_PRESENT && op != PTO_OP_SELECT;
}

static void all_that_compute(void **state)
{
    (void)state;
    for (unsigned op = 0; op < PTO_OP_COUNT; op++)
        if (pto_arith_is(op) != needs_a_row(op))
            fail_msg("%s", pto_op_info(op)->mnemonic);
}

static void types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pto_op_info *info = pto_op_info(rows[i].op);

        assert_int_equal(info->operand[0].kind,
                         rows[i].result == REAL ? PTO_K_FLOAT_REG : PTO_K_INT_REG);
        for (unsigned k = 1; k < info->operands; k++)
            assert_int_equal(info->operand[k].kind,
                             rows[i].operands == REAL ? PTO_K_FLOAT : PTO_K_INT);
    }
}

/* Between them, the branches on two numbers hold in all ways: for smaller, equal and larger. */
static void branches(void **state)
{
    static const struct {
        unsigned op;
        bool taken[3]; /* 1 and 2, 2 and 2, 3 and 2 */
    } expected[] = {
        {PTO_OP_BLT, {true, false, false}}, {PTO_OP_BGE, {false, true, true}},
        {PTO_OP_BEQ, {false, true, false}}, {PTO_OP_BNE, {true, false, true}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        for (int a = 0; a < 3; a++)
            assert_int_equal(pto_branch_taken(expected[i].op, a + 1, 2), expected[i].taken[a]);
    assert_true(pto_branch_taken(PTO_OP_BT, -1, 0));
    assert_false(pto_branch_taken(PTO_OP_BT, 0, 0));
    assert_true(pto_branch_taken(PTO_OP_BF, 0, 0));
    assert_false(pto_branch_taken(PTO_OP_BF, -1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_compute),
        cmocka_unit_test(types),
        cmocka_unit_test(branches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
