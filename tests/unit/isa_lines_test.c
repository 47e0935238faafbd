/* Lines of source files for messages: which line, and which files are left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "lines.h"

static char folder[] = "/tmp/isa_lines_test_XXXXXX";
static char path[sizeof folder + 32];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    const char *why;

    assert_int_equal(pto_file_write(in_folder(name), text, strlen(text), &why), PTO_OK);
}

static void expect_line(struct pto_lines *lines, const char *name, uint32_t number,
                        const char *expected)
{
    size_t length = 0;
    const char *line = pto_lines_get(lines, in_folder(name), number, &length);

    if (!expected) {
        assert_null(line);
        return;
    }
    assert_non_null(line);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(line, expected, length);
}

static void lines_of_files(void **state)
{
    struct pto_lines lines = {0};

    (void)state;
    write_text("a", "one\r\n\nthree\nlast");
    write_text("b", "other\n");
    write_text("empty", "");
    expect_line(&lines, "a", 3, "three");
    expect_line(&lines, "a", 1, "one");
    expect_line(&lines, "a", 2, "");
    expect_line(&lines, "a", 4, "last");
    expect_line(&lines, "a", 0, NULL);
    expect_line(&lines, "a", 5, NULL);
    expect_line(&lines, "b", 1, "other");
    expect_line(&lines, "b", 2, NULL);
    expect_line(&lines, "empty", 1, NULL);
    expect_line(&lines, "missing", 1, NULL);
    expect_line(&lines, "a", 4, "last");
    pto_lines_free(&lines);
}

static const char *shown(const char *name, uint32_t line)
{
    static char copy[PTO_MOST_SHOWN + 1];
    struct pto_diags diags = {0};
    const char *text;

    pto_diag_add(&diags, PTO_ERROR, name ? in_folder(name) : NULL, line, 1, "here");
    pto_diags_add_lines(&diags);
    text = diags.first->source_line ? strcpy(copy, diags.first->source_line) : NULL;
    pto_diags_free(&diags);
    return text;
}

static void diagnostics_get_their_lines(void **state)
{
    char text[2 * PTO_MOST_SHOWN + 4];

    (void)state;
    memset(text, 'x', sizeof text);
    text[PTO_MOST_SHOWN] = text[2 * PTO_MOST_SHOWN + 2] = '\n';
    text[sizeof text - 1] = '\0';
    write_text("b", text);
    assert_int_equal(strlen(shown("b", 1)), PTO_MOST_SHOWN);
    assert_null(shown("b", 2)); /* longer by one */
    write_text("a", "one\r\n\nthree\nlast");
    assert_string_equal(shown("a", 3), "three");
    assert_null(shown("a", 2));
    assert_null(shown("a", 5));
    assert_null(shown("a", 0));
    assert_null(shown("missing", 1));
    assert_null(shown(NULL, 0));
}

/* Opening a pipe that nobody writes to would wait for ever, a device may give bytes for ever. */
static void only_regular_files_are_read(void **state)
{
    struct pto_buf out = {0};

    (void)state;
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_int_equal(pto_file_read_source(in_folder("pipe"), &out), PTO_ESYSTEM);
    assert_int_equal(pto_file_read_source("/dev/zero", &out), PTO_ESYSTEM);
    assert_int_equal(pto_file_read_source("-", &out), PTO_ESYSTEM);
    assert_int_equal(pto_file_read_source(folder, &out), PTO_ESYSTEM);
    write_text("a", "x");
    assert_int_equal(truncate(in_folder("a"), PTO_SOURCE_BYTES + 1), 0);
    assert_int_equal(pto_file_read_source(in_folder("a"), &out), PTO_ESYSTEM);
    assert_int_equal(out.size, 0);
    assert_int_equal(truncate(in_folder("a"), PTO_SOURCE_BYTES), 0);
    assert_int_equal(pto_file_read_source(in_folder("a"), &out), PTO_OK);
    assert_int_equal(out.size, PTO_SOURCE_BYTES);
    pto_buf_free(&out);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"a", "b", "empty", "pipe"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_files),
        cmocka_unit_test(diagnostics_get_their_lines),
        cmocka_unit_test(only_regular_files_are_read),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
