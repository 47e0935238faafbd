/* Expressions of the debugger: names, errors, conditions of programs that do not run yet. */
#include "dbg_sample.h"

#include <math.h>

#include "dbg/expr.h"

static struct sample sample;

static bool evaluate(const char *text, struct asm_value *value)
{
    struct expr_scope scope = {sample.dbg, 0, sample.dbg->core, NULL};
    struct pto_diags diags = {0};
    struct formula_standalone *s = formula_read(text, &diags);
    bool good = s && expr_value(&scope, s, s->expr, value, &diags);

    assert_int_equal(good, diags.errors == 0);
    formula_free(s);
    pto_diags_free(&diags);
    return good;
}

static void assert_integer(const char *text, int64_t wanted)
{
    struct asm_value value;

    if (!evaluate(text, &value))
        fail_msg("'%s' has no value", text);
    assert_false(value.is_float);
    assert_int_equal(value.scalar.i, wanted);
}

static void assert_float(const char *text, double wanted)
{
    struct asm_value value;

    if (!evaluate(text, &value))
        fail_msg("'%s' has no value", text);
    assert_true(value.is_float);
    assert_true(value.scalar.f == wanted);
}

/* What numbers and operators mean is tested for all who share it: tests/run/scalar_test.py. */
static void numbers(void **state)
{
    (void)state;
    assert_integer("1 + 2 * 3", 7);
    assert_integer("0xffffffffffffffff", -1);
    assert_integer("-9223372036854775808", INT64_MIN);
    assert_integer("0b101 + 1_000 + 2K", 3053);
    assert_integer("sizeof(bf16)", 2);
    assert_float("0.5 + 1", 1.5);
    assert_float("-inf", (double)-INFINITY);
    assert_integer("0 ? 1 / 0 : 1 ? 2 : nope", 2); /* only the chosen arm is looked at */
}

static void names(void **state)
{
    (void)state;
    assert_integer("%n", 200);
    assert_integer("n", 200);
    assert_integer("%n / 2 + rank()", 100);
    assert_integer("max(n, s) << 1", 400);
    assert_integer("vec_count()", 2);
    assert_integer("nranks() * 10 + block_num() + launch()", 11);
    assert_integer("clock() > 0", 1);
    assert_integer("seen[1] + seen[s]", 0);
    assert_float("%half", 0.5);
    assert_float("half + n", 200.5);
}

static void errors(void **state)
{
    static const char *const bad[] = {
        "", "1 +", "+ 1", "(1", "1)", "1 1", "%", "%nope", "nope", "rank", "rank(", "rank(1)",
        "what()", "1 / 0", "-9223372036854775808 / -1", "1e999", "0x", "9223372036854775808", ".5",
        "1..2", "@", "1 @ 2", "1 < 2 < 3", "half & 1", "ta", "ta[0]", "c", "c[0]", "seen",
        "seen[4]", "seen[-1]", "seen[0.5]", "seen[0, 1]", "seen(0)", "min(1)", "\"text\"",
        "1\n+ 1", "sizeof(n)"};
    struct asm_value value;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (evaluate(bad[i], &value))
            fail_msg("'%s' has a value", bad[i]);
}

static void deep_nesting(void **state)
{
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 1);
    struct asm_value value;

    (void)state;
    memset(text, '(', DEPTH);
    text[DEPTH] = '\0';
    assert_false(evaluate(text, &value));
    memset(text, '-', DEPTH);
    assert_false(evaluate(text, &value));
    for (int i = 0; i < DEPTH; i++)
        text[i] = i % 2 ? '+' : '1';
    assert_false(evaluate(text, &value));
    free(text);
}

static bool check(const char *text)
{
    struct formula_standalone *s = expr_read(sample.dbg, text, NULL);
    bool good = s && expr_check(sample.dbg, s, NULL);

    formula_free(s);
    return good;
}

static void checks_without_values(void **state)
{
    (void)state;
    assert_true(check("%off > 64 && %s == 1"));
    assert_true(check("n > 3 && seen[off] == clock()"));
    assert_true(check("1 / (%off - %off) == 0"));
    assert_true(check("int(half) & 1"));
    assert_false(check("%of > 64"));
    assert_false(check("half & 1"));
    assert_false(check("1 / 0"));
    assert_false(check("seen[half]"));
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
        cmocka_unit_test(numbers),      cmocka_unit_test(names),
        cmocka_unit_test(errors),       cmocka_unit_test(deep_nesting),
        cmocka_unit_test(checks_without_values),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
