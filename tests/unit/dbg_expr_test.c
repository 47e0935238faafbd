/* Expressions of the debugger: values as the program computes them, precedence, errors. */
#include "dbg_sample.h"

#include <math.h>

#include "dbg/expr.h"

static struct sample sample;

static bool evaluate(const char *text, struct expr_value *value)
{
    struct expr_scope scope = {sample.dbg, 0, sample.dbg->core};
    struct pto_buf error = {0};
    bool good = expr_evaluate(&scope, text, value, &error);

    assert_int_equal(good, error.size == 0);
    pto_buf_free(&error);
    return good;
}

static void assert_integer(const char *text, int64_t wanted)
{
    struct expr_value value;

    assert_true(evaluate(text, &value));
    assert_false(value.is_float);
    assert_int_equal(value.i, wanted);
}

static void assert_float(const char *text, double wanted)
{
    struct expr_value value;

    assert_true(evaluate(text, &value));
    assert_true(value.is_float);
    assert_true(value.f == wanted);
}

static void integers(void **state)
{
    (void)state;
    assert_integer("1 + 2 * 3", 7);
    assert_integer("(1 + 2) * 3", 9);
    assert_integer("10 - 4 - 3", 3);
    assert_integer("7 / 2", 3);
    assert_integer("-7 / 2", -3);
    assert_integer("0x10", 16);
    assert_integer("2K", 2048);
    assert_integer("- -5", 5);
    assert_integer("!3", 0);
    assert_integer("!0", 1);
    assert_integer("9223372036854775807 + 1", INT64_MIN);
    assert_integer("9223372036854775807 * 2", -2);
    assert_integer("-(-9223372036854775807 - 1)", INT64_MIN);
}

static void comparisons(void **state)
{
    (void)state;
    assert_integer("1 < 2", 1);
    assert_integer("2 <= 1", 0);
    assert_integer("1 + 1 == 2 && 3 > 2", 1);
    assert_integer("0 || 1 && 0", 0);
    assert_integer("(0 || 1) && 1", 1);
    assert_integer("1 != 1.5", 1);
    assert_integer("2 >= 2.0", 1);
}

static void floats(void **state)
{
    (void)state;
    assert_float("0.5 + 1", 1.5);
    assert_float("1e-3", 1e-3);
    assert_float("1 / 4.0", 0.25);
    assert_float("-.5", -0.5);
    assert_float("1.0 / 0", (double)INFINITY);
}

static void names(void **state)
{
    (void)state;
    assert_integer("%n", 200);
    assert_integer("%n / 2 + rank()", 100);
    assert_integer("vec_count()", 2);
    assert_integer("nranks() * 10 + block_num()", 11);
    assert_float("%half", 0.5);
}

static void errors(void **state)
{
    static const char *const bad[] = {
        "", "1 +", "+ 1", "(1", "1)", "1 1", "%", "%nope", "rank", "rank(", "rank(1)", "what()",
        "1 / 0", "(-9223372036854775807 - 1) / -1", "1e999", "0x", "99999999999999999999z", "1..2",
        "@", "1 @ 2", "launch()"};
    struct expr_value value;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (evaluate(bad[i], &value))
            fail_msg("'%s' has a value", bad[i]);
}

static void deep_nesting(void **state)
{
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 1);
    struct expr_value value;

    (void)state;
    memset(text, '(', DEPTH);
    text[DEPTH] = '\0';
    assert_false(evaluate(text, &value));
    memset(text, '-', DEPTH);
    assert_false(evaluate(text, &value));
    free(text);
}

static void checks_without_values(void **state)
{
    struct pto_buf error = {0};

    (void)state;
    assert_true(expr_check(sample.dbg, "%off > 64 && %s == 1", &error));
    assert_true(expr_check(sample.dbg, "1 / (%off - %off) == 0", &error));
    assert_int_equal(error.size, 0);
    assert_false(expr_check(sample.dbg, "%of > 64", &error));
    assert_true(error.size > 0);
    pto_buf_free(&error);
}

static int set_up(void **state)
{
    (void)state;
    sample_open(&sample, false);
    assert_true(sample_do(&sample, "start"));
    assert_true(sample_do(&sample, "step 2"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sample_close(&sample);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),     cmocka_unit_test(comparisons),
        cmocka_unit_test(floats),       cmocka_unit_test(names),
        cmocka_unit_test(errors),       cmocka_unit_test(deep_nesting),
        cmocka_unit_test(checks_without_values),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
