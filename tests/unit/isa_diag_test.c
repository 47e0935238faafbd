/* Diagnostics as a user sees them, and the search for what was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

static void expect_print(const struct pto_diags *diags, bool colour, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    pto_diags_print(diags, stream, colour);
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);
}

static void caret_under_tabs_and_code_points(void **state)
{
    struct pto_diags diags = {0};
    struct pto_diag *diag;

    (void)state;
    diag = pto_diag_add(&diags, PTO_ERROR, "k.pto", 3, 7, "unknown %s '%s'", "tile", "ax");
    diag->source_line = "\t\"\xc3\xa4\"\t ax, b";
    diag->length = 2;
    pto_diag_hint(&diags, diag, "did you mean %s?", "aX");
    expect_print(&diags, false,
                 "k.pto:3:7: error: unknown tile 'ax'\n"
                 "    \t\"\xc3\xa4\"\t ax, b\n"
                 "    \t   \t ^~\n"
                 "  hint: did you mean aX?\n");
    assert_int_equal(diags.errors, 1);
    pto_diags_free(&diags);
}

static void caret_behind_the_line(void **state)
{
    struct pto_diags diags = {0};

    (void)state;
    pto_diag_add(&diags, PTO_WARNING, "k.pto", 1, 4, "ends early")->source_line = "abc";
    expect_print(&diags, false, "k.pto:1:4: warning: ends early\n    abc\n       ^\n");
    assert_int_equal(diags.warnings, 1);
    pto_diags_free(&diags);
}

static void trail_and_missing_parts(void **state)
{
    struct pto_diags diags = {0};
    struct pto_diag outer = {.severity = PTO_NOTE, .file = "main.pto", .line = 1, .column = 2,
                             .message = "included from here", .included = true};
    struct pto_diag inner = {.severity = PTO_NOTE, .file = "lib.pto", .line = 9, .column = 1,
                             .message = "in macro 'm'", .trail = &outer};

    (void)state;
    pto_diag_add(&diags, PTO_ERROR, "lib.pto", 2, 0, "bad")->trail = &inner;
    pto_diag_add(&diags, PTO_ERROR, NULL, 0, 0, "no file");
    pto_diag_add(&diags, PTO_NOTE, "f", 0, 0, "whole file");
    expect_print(&diags, false,
                 "lib.pto:2: error: bad\n"
                 "lib.pto:9:1: note: in macro 'm'\n"
                 "main.pto:1:2: note: included from here\n"
                 "error: no file\n"
                 "f: note: whole file\n");
    pto_diags_free(&diags);
    assert_null(diags.first);
    assert_int_equal(diags.errors, 0);
}

static void programs_come_before_libraries(void **state)
{
    struct pto_diags diags = {0};
    struct pto_diag outer = {.severity = PTO_NOTE, .file = "main.pto", .line = 9, .column = 1,
                             .message = "in expansion of macro 'mine'", .macro = "mine"};
    struct pto_diag used = {.severity = PTO_NOTE, .file = "main.pto", .line = 3, .column = 5,
                            .length = 2, .source_line = "    go x",
                            .message = "in expansion of macro 'go'", .macro = "go",
                            .trail = &outer};
    struct pto_diag inner = {.severity = PTO_NOTE, .file = "lib.inc", .line = 7, .column = 2,
                             .message = "used from here", .trail = &used};
    struct pto_diag *bad;

    (void)state;
    bad = pto_diag_add(&diags, PTO_ERROR, "lib.inc", 2, 3, "bad");
    bad->source_line = "  ai";
    bad->trail = &inner;
    pto_diag_hint(&diags, bad, "do better");
    expect_print(&diags, false,
                 "main.pto:3:5: error: bad\n        go x\n        ^~\n  hint: do better\n"
                 "lib.inc:7:2: note: here, in macro 'go'\n"
                 "lib.inc:2:3: note: here\n      ai\n      ^\n"
                 "main.pto:9:1: note: in expansion of macro 'mine'\n");
    pto_diags_free(&diags);
}

static void long_hints_are_broken(void **state)
{
    static const char *const word[] = {"1234567890123456789", "\303\2444567890123456789"};
    struct pto_diags diags = {0};
    struct pto_buf hint = {0}, want = {0};

    (void)state;
    for (int i = 0; i < 9; i++)
        pto_buf_printf(&hint, "%s%s", i ? " " : "", word[i % 2]);
    pto_diag_hint(&diags, pto_diag_add(&diags, PTO_ERROR, NULL, 0, 0, "bad"), "%s",
                  pto_buf_text(&hint));
    pto_buf_printf(&want, "error: bad\n  hint: ");
    for (int i = 0; i < 9; i++)
        pto_buf_printf(&want, "%s%s", i == 0 ? "" : i == 8 ? "\n        " : " ", word[i % 2]);
    pto_buf_printf(&want, "\n");
    expect_print(&diags, false, pto_buf_text(&want));
    pto_buf_free(&hint);
    pto_buf_free(&want);
    pto_diags_free(&diags);
}

static void terminal_escapes_are_not_passed_on(void **state)
{
    struct pto_diags diags = {0};

    (void)state;
    pto_diag_add(&diags, PTO_ERROR, "k", 1, 1, "name '\033[2J\x7f'")->source_line = "\033x";
    expect_print(&diags, false, "k:1:1: error: name '\\x1b[2J\\x7f'\n    ?x\n    ^\n");
    expect_print(&diags, true,
                 "k:1:1: \033[1;31merror:\033[0m name '\\x1b[2J\\x7f'\n    ?x\n    ^\n");
    pto_diags_free(&diags);
}

static void later_errors_are_counted_only(void **state)
{
    struct pto_diags diags = {.max_errors = 1};

    (void)state;
    pto_diag_add(&diags, PTO_ERROR, NULL, 0, 0, "one");
    pto_diag_add(&diags, PTO_NOTE, NULL, 0, 0, "about one");
    pto_diag_hint(&diags, pto_diag_add(&diags, PTO_ERROR, NULL, 0, 0, "two"), "unseen");
    pto_diag_add(&diags, PTO_NOTE, NULL, 0, 0, "about two");
    expect_print(&diags, false, "error: one\nnote: about one\n1 more error is not shown\n");
    pto_diag_add(&diags, PTO_ERROR, NULL, 0, 0, "three");
    expect_print(&diags, false, "error: one\nnote: about one\n2 more errors are not shown\n");
    assert_int_equal(diags.errors, 3);
    pto_diags_free(&diags);
}

static void nearest(void **state)
{
    static const char *const words[] = {"TADD", "TADDS", "TSUB", "set_flag", "wait_flag", "dsb",
                                        "pipe_barrier"};
    const unsigned count = sizeof words / sizeof *words;
    char longer[200];

    (void)state;
    assert_string_equal(pto_nearest("TAD", words, count), "TADD");
    assert_string_equal(pto_nearest("tadd", words, count), "TADD");
    assert_string_equal(pto_nearest("TUSB", words, count), "TSUB"); /* swapped */
    assert_string_equal(pto_nearest("setflag", words, count), "set_flag");
    assert_string_equal(pto_nearest("pipe_bariers", words, count), "pipe_barrier");
    assert_string_equal(pto_nearest("dbs", words, count), "dsb");
    assert_string_equal(pto_nearest("TSXX", words, count), "TSUB"); /* two letters of four */
    assert_null(pto_nearest("TXXX", words, count));
    assert_string_equal(pto_nearest("wxyz_barrier", words, count), "pipe_barrier"); /* a third */
    assert_null(pto_nearest("wxyzzbarrier", words, count));
    assert_null(pto_nearest("xyz", words, count));
    assert_null(pto_nearest("ab", words, count));
    assert_null(pto_nearest("", words, count));
    assert_null(pto_nearest("TADD", words, 0));
    memset(longer, 'a', sizeof longer);
    longer[sizeof longer - 1] = 0;
    assert_null(pto_nearest(longer, words, count));
    assert_null(pto_nearest("a", (const char *const[]){longer}, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caret_under_tabs_and_code_points),
        cmocka_unit_test(caret_behind_the_line),
        cmocka_unit_test(trail_and_missing_parts),
        cmocka_unit_test(programs_come_before_libraries),
        cmocka_unit_test(long_hints_are_broken),
        cmocka_unit_test(terminal_escapes_are_not_passed_on),
        cmocka_unit_test(later_errors_are_counted_only),
        cmocka_unit_test(nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
