/* What fits into the columns of a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/colour.h"

static void cuts_between_characters(void **state)
{
    const char *text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"; /* of 1, 2, 3, 4 and 1 bytes */
    const size_t bytes[] = {0, 1, 3, 6, 10, 11, 11};

    (void)state;
    for (unsigned most = 0; most < sizeof bytes / sizeof *bytes; most++)
        assert_int_equal(tool_cut(text, strlen(text), most), bytes[most]);
    assert_int_equal(tool_cut(text, 2, 9), 2);
    assert_int_equal(tool_cut("", 0, 3), 0);
}

static void asks_the_environment(void **state)
{
    int nothing = open("/dev/null", O_WRONLY);

    (void)state;
    setenv("COLUMNS", "132", 1);
    assert_int_equal(tool_columns(nothing), 132);
    setenv("COLUMNS", "1", 1);
    assert_int_equal(tool_columns(nothing), 2);
    for (int i = 0; i < 4; i++) {
        setenv("COLUMNS", ((const char *[]){"", "-3", "wide", "99999999999"})[i], 1);
        assert_int_equal(tool_columns(nothing), 80);
    }
    unsetenv("COLUMNS");
    assert_int_equal(tool_columns(nothing), 80);
    close(nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_between_characters),
        cmocka_unit_test(asks_the_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
