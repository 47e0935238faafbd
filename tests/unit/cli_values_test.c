/* Values of the command line: numbers, times, generators, JSON text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "cli/faults.h"
#include "cli/json.h"
#include "data/generate.h"
#include "tool/number.h"

static void parses_integers(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0}, {"-1", -1}, {"+7", 7}, {"1K", 1024}, {"4M", 4 << 20},
                {"2G", INT64_C(2) << 30}, {"0x10", 16}, {"0XfF", 255}, {"-0x8K", -8192},
                {"9223372036854775807", INT64_MAX}, {"-9223372036854775808", INT64_MIN}};
    static const char *const bad[] = {"", "-", "K", "0x", "1k", "1.5", "1e3", " 1", "1 ", "0x1p3",
                                      "9223372036854775808", "-9223372036854775809",
                                      "18446744073709551616", "9007199254740992K", "nan", "12a"};
    int64_t value;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(tool_parse_int(good[i].text, strlen(good[i].text), &value));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (tool_parse_int(bad[i], strlen(bad[i]), &value))
            fail_msg("'%s' was taken for an integer", bad[i]);
}

static void parses_floats(void **state)
{
    static const char *const bad[] = {"", "inf", "nan", "-inf", "1e999", "0x1p3", "1,5", " 1",
                                      "1.5.2", "e5", "1f", "-"};
    double value;
    (void)state;
    assert_true(tool_parse_float("-2.5e-3", 7, &value));
    assert_true(value == -2.5e-3);
    assert_true(tool_parse_float(".5xyz", 2, &value)); /* only the given length counts */
    assert_true(value == 0.5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (tool_parse_float(bad[i], strlen(bad[i]), &value))
            fail_msg("'%s' was taken for a number", bad[i]);
}

static void parses_times(void **state)
{
    static const struct {
        const char *text;
        uint64_t ps;
    } good[] = {{"1ps", 1}, {"1.5ns", 1500}, {"500us", 500000000}, {"2ms", UINT64_C(2000000000)},
                {"1s", UINT64_C(1000000000000)}};
    static const char *const bad[] = {"", "s", "1", "0s", "-1us", "1m", "nans", "infs",
                                      "1e30s", "1 s"};
    uint64_t ps;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(tool_parse_time(good[i].text, &ps));
        assert_true(ps == good[i].ps);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (tool_parse_time(bad[i], &ps))
            fail_msg("'%s' was taken for a time", bad[i]);
}

static void writes_times(void **state)
{
    char text[CLI_TIME_BYTES];
    (void)state;
    assert_string_equal(cli_time_text(0, text), "0 ps");
    assert_string_equal(cli_time_text(999, text), "999 ps");
    assert_string_equal(cli_time_text(1000, text), "1.000 ns");
    assert_string_equal(cli_time_text(12345678, text), "12.345 us");
    assert_string_equal(cli_time_text(UINT64_C(2500000000000), text), "2.500 s");
}

static double element(const char *source, enum pto_dtype dtype, int rank, uint64_t count,
                      uint64_t index)
{
    struct cli_generator generator;
    const char *why;
    uint8_t bytes[8] = {0};
    assert_int_equal(cli_generator_parse(source, &generator, &why), 1);
    cli_generate(&generator, dtype, rank, count, index, 1, bytes);
    return pto_load_f64(bytes, dtype);
}

static void recognises_generators(void **state)
{
    static const char *const bad[] = {"const:", "const:x", "const:nan", "const:inf", "random:",
                                      "random:-1", "random:1.5", "const:9223372036854775807"};
    struct cli_generator generator;
    const char *why = NULL;
    (void)state;
    assert_int_equal(cli_generator_parse("a.npy", &generator, &why), 0);
    assert_int_equal(cli_generator_parse("iota.npy", &generator, &why), 0);
    assert_int_equal(cli_generator_parse("./zeros", &generator, &why), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        why = NULL;
        assert_int_equal(cli_generator_parse(bad[i], &generator, &why), -1);
        assert_non_null(why);
    }
}

static void generates_iota(void **state)
{
    (void)state;
    assert_true(element("iota", PTO_F32, 0, 100, 7) == 7);
    assert_true(element("iota", PTO_F32, 3, 100, 7) == 307);
    assert_true(element("iota", PTO_I8, 0, 300, 255) == -1);
    /* Floats stay exact and finite: they wrap at two to the number of significant bits. */
    assert_true(element("iota", PTO_F16, 0, 5000, 2047) == 2047);
    assert_true(element("iota", PTO_F16, 0, 5000, 2049) == 1);
    assert_true(element("iota", PTO_BF16, 1, 256, 3) == 3);
    assert_true(element("iota", PTO_F8E4M3, 0, 99, 17) == 1);
}

static void generates_constants(void **state)
{
    struct cli_generator generator;
    const char *why;
    (void)state;
    assert_true(element("zeros", PTO_F16, 1, 9, 8) == 0);
    assert_true(element("ones", PTO_U64, 1, 9, 8) == 1);
    assert_true(element("const:-2.5", PTO_BF16, 0, 9, 8) == -2.5);
    assert_true(element("const:1K", PTO_I32, 0, 9, 8) == 1024);
    cli_generator_parse("const:2.5", &generator, &why);
    assert_false(cli_generator_fits(&generator, PTO_I32));
    assert_true(cli_generator_fits(&generator, PTO_F8E5M2));
    cli_generator_parse("const:300", &generator, &why);
    assert_false(cli_generator_fits(&generator, PTO_U8));
    assert_true(cli_generator_fits(&generator, PTO_I16));
    cli_generator_parse("const:70000", &generator, &why);
    assert_false(cli_generator_fits(&generator, PTO_F16));
    cli_generator_parse("const:-1", &generator, &why);
    assert_false(cli_generator_fits(&generator, PTO_U32));
    cli_generator_parse("const:9223372036854775808", &generator, &why); /* 2^63 */
    assert_false(cli_generator_fits(&generator, PTO_I64));
    assert_true(cli_generator_fits(&generator, PTO_U64));
    assert_true(element("const:9223372036854775808", PTO_U64, 0, 9, 8) == 0x1p63);
    cli_generator_parse("const:18446744073709551616", &generator, &why);
    assert_false(cli_generator_fits(&generator, PTO_U64));
}

static void generates_random_numbers(void **state)
{
    double sum = 0;
    (void)state;
    for (uint64_t i = 0; i < 4096; i++) {
        double f = element("random:3", PTO_F32, 1, 4096, i);
        double n = element("random:3", PTO_I32, 1, 4096, i);
        double u = element("random:3", PTO_U8, 1, 4096, i);
        assert_true(f >= -1 && f < 1);
        assert_true(n >= -8 && n < 8);
        assert_true(u >= 0 && u < 16);
        sum += f;
    }
    assert_true(sum / 4096 > -0.05 && sum / 4096 < 0.05);
    /* reproducible; another rank, index or seed gives another number */
    assert_true(element("random:3", PTO_F32, 1, 9, 5) == element("random:3", PTO_F32, 1, 99, 5));
    assert_true(element("random:3", PTO_F32, 1, 9, 5) != element("random:3", PTO_F32, 2, 9, 5));
    assert_true(element("random:3", PTO_F32, 1, 9, 5) != element("random:3", PTO_F32, 1, 9, 6));
    assert_true(element("random:3", PTO_F32, 1, 9, 5) != element("random:4", PTO_F32, 1, 9, 5));
    assert_true(element("random", PTO_F32, 1, 9, 5) == element("random:0", PTO_F32, 1, 9, 5));
}

/* Random floats are those of f32, which are exact, rounded to the type. */
static void rounds_random_numbers(void **state)
{
    static const enum pto_dtype narrow[] = {PTO_F16, PTO_BF16, PTO_F8E4M3, PTO_F8E5M2};
    enum { NUMBER = 20000 };
    static float exact[NUMBER];
    static uint8_t got[2 * NUMBER];
    struct cli_generator generator;
    const char *why;
    (void)state;
    assert_int_equal(cli_generator_parse("random:9", &generator, &why), 1);
    cli_generate(&generator, PTO_F32, 0, NUMBER, 0, NUMBER, exact);
    for (size_t t = 0; t < sizeof narrow / sizeof *narrow; t++) {
        unsigned size = pto_dtype_size(narrow[t]);

        cli_generate(&generator, narrow[t], 0, NUMBER, 0, NUMBER, got);
        for (unsigned i = 0; i < NUMBER; i++) {
            uint8_t want[2];

            pto_store_f64(want, narrow[t], exact[i]);
            assert_memory_equal(got + i * size, want, size);
        }
    }
}

/* An element is the same alone and as part of any piece. */
static void generates_pieces(void **state)
{
    static const char *const sources[] = {"iota", "random:2", "const:3"};
    enum { NUMBER = 1500, FIRST = 77 };
    static const enum pto_dtype types[] = {PTO_F32, PTO_F16, PTO_I8, PTO_U16, PTO_I64};
    static uint64_t piece[NUMBER];
    struct cli_generator generator;
    const char *why;
    (void)state;
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            unsigned size = pto_dtype_size(types[t]);

            assert_int_equal(cli_generator_parse(sources[s], &generator, &why), 1);
            cli_generate(&generator, types[t], 2, 9999, FIRST, NUMBER, piece);
            for (unsigned i = 0; i < NUMBER; i++)
                assert_true(pto_load_f64((uint8_t *)piece + i * size, types[t]) ==
                            element(sources[s], types[t], 2, 9999, FIRST + i));
        }
}

static void writes_json(void **state)
{
    struct pto_buf out = {0};
    struct cli_json json = {.out = &out};
    (void)state;
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "a", "q\"\\\n\x01\xff\xc3\xa9");
    /* The first and last of three and four bytes, beside surrogates; what is next to them. */
    cli_json_text(&json, "ends", "\xe0\xa0\x80 \xed\x9f\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf");
    cli_json_text(&json, "none",
                  "\xe0\x9f\xbf!\xed\xa0\x80!\xf0\x8f\xbf\xbf!\xf4\x90\x80\x80");
    cli_json_open(&json, "b", '[');
    cli_json_close(&json, ']');
    cli_json_open(&json, "c", '[');
    cli_json_uint(&json, NULL, UINT64_MAX);
    cli_json_int(&json, NULL, INT64_MIN);
    cli_json_number(&json, NULL, 0.5);
    cli_json_number(&json, NULL, 1.0 / 0.0);
    cli_json_bool(&json, NULL, true);
    cli_json_text(&json, NULL, NULL);
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    assert_string_equal(pto_buf_text(&out),
                        "{\n  \"a\": \"q\\\"\\\\\\u000a\\u0001\\ufffd\xc3\xa9\",\n"
                        "  \"ends\": \"\xe0\xa0\x80 \xed\x9f\xbf \xf0\x90\x80\x80 "
                        "\xf4\x8f\xbf\xbf\",\n"
                        "  \"none\": \"\\ufffd\\ufffd\\ufffd!\\ufffd\\ufffd\\ufffd!\\ufffd\\ufffd"
                        "\\ufffd\\ufffd!\\ufffd\\ufffd\\ufffd\\ufffd\",\n  \"b\": [],\n"
                        "  \"c\": [\n    18446744073709551615,\n    -9223372036854775808,\n"
                        "    0.5,\n    null,\n    true,\n    null\n  ]\n}\n");
    pto_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_integers),      cmocka_unit_test(parses_floats),
        cmocka_unit_test(parses_times),         cmocka_unit_test(writes_times),
        cmocka_unit_test(recognises_generators), cmocka_unit_test(generates_iota),
        cmocka_unit_test(generates_constants),  cmocka_unit_test(generates_random_numbers),
        cmocka_unit_test(rounds_random_numbers), cmocka_unit_test(generates_pieces),
        cmocka_unit_test(writes_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
