/* Frames of messages: what is whole, what is the end, and what nobody can go on reading. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame.h"

enum { MOST = 60000 }; /* a pipe takes that much without a reader */

/* Frames of a pipe that was given `size` bytes and closed. */
static struct pto_frames of_bytes(const void *bytes, size_t size)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_true(size <= MOST);
    assert_int_equal(write(ends[1], bytes, size), (ssize_t)size);
    close(ends[1]);
    return (struct pto_frames){.fd = ends[0]};
}

static struct pto_frames of_text(const char *text)
{
    return of_bytes(text, strlen(text));
}

static void done(struct pto_frames *frames)
{
    close(frames->fd);
    pto_frames_free(frames);
}

static void expect_frame(struct pto_frames *frames, const char *expected)
{
    const char *text = NULL, *why = NULL;
    size_t length = 0;

    assert_int_equal(pto_frame_read(frames, &text, &length, &why), PTO_FRAME_WHOLE);
    assert_int_equal(length, strlen(expected));
    assert_string_equal(text, expected);
}

static void expect_end(struct pto_frames *frames)
{
    const char *text = NULL, *why = NULL;
    size_t length = 0;

    assert_true(pto_frame_waits(frames));
    assert_int_equal(pto_frame_read(frames, &text, &length, &why), PTO_FRAME_END);
    done(frames);
}

static void expect_bad(const char *input, const char *reason)
{
    struct pto_frames frames = of_text(input);
    const char *text = NULL, *why = NULL;
    size_t length = 0;

    assert_int_equal(pto_frame_read(&frames, &text, &length, &why), PTO_FRAME_BAD);
    assert_string_equal(why, reason);
    done(&frames);
}

static void test_frames_in_a_row(void **state)
{
    struct pto_frames frames = of_text("Content-Length: 2\r\n\r\n{}"
                                       "content-length:\t3 \r\nContent-Type: x; y=z\r\n\r\nabc"
                                       "Content-Length: 0\r\n\r\n"
                                       "Content-Length: 01\n\n\n");

    (void)state;
    expect_frame(&frames, "{}");
    expect_frame(&frames, "abc");
    expect_frame(&frames, "");
    expect_frame(&frames, "\n");
    expect_end(&frames);
}

static void test_bytes_that_are_no_text(void **state)
{
    struct pto_frames frames = of_bytes("Content-Length: 3\r\n\r\n\0\xff\0", 24);
    const char *text = NULL, *why = NULL;
    size_t length = 0;

    (void)state;
    assert_int_equal(pto_frame_read(&frames, &text, &length, &why), PTO_FRAME_WHOLE);
    assert_int_equal(length, 3);
    assert_memory_equal(text, "\0\xff\0", 4);
    expect_end(&frames);
}

static void test_headers_that_say_nothing(void **state)
{
    (void)state;
    expect_bad("\r\n{}", "the header has no Content-Length");
    expect_bad("Content-Type: x\r\n\r\n{}", "the header has no Content-Length");
    expect_bad("{\"seq\": 1}\n", "a line of the header is not 'Name: value'");
    expect_bad("no colon\r\n\r\n", "a line of the header is not 'Name: value'");
    expect_bad(": 3\r\n\r\n", "a line of the header is not 'Name: value'");
    expect_bad("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
               "the header has two Content-Length");
}

static void test_lengths_that_are_none(void **state)
{
    static const char *const lengths[] = {"", "-1", "0x10", "1 2", "2,", "two", "1e3"};
    char input[100];

    (void)state;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        snprintf(input, sizeof input, "Content-Length: %s\r\n\r\n{}", lengths[i]);
        expect_bad(input, "Content-Length is not a number");
    }
    expect_bad("Content-Length: 67108865\r\n\r\n", "Content-Length is above 64 MiB");
    expect_bad("Content-Length: 18446744073709551618\r\n\r\n{}", "Content-Length is above 64 MiB");
}

static void test_what_breaks_off(void **state)
{
    struct pto_frames nothing = of_text("");

    (void)state;
    expect_end(&nothing);
    expect_bad("Content-Length: 3\r\n\r\n{}", "the input ends within a message");
    expect_bad("Content-Length: 67108864\r\n\r\n", "the input ends within a message");
    expect_bad("Content-Len", "the input ends within a message");
}

static void test_header_without_end(void **state)
{
    char *input = malloc(MOST + 1);

    (void)state;
    memset(input, 'a', MOST);
    input[MOST] = '\0';
    expect_bad(input, "the header has no end");
    for (unsigned i = 0; i + 5 < MOST; i += 5)
        memcpy(input + i, "a: b\n", 5);
    expect_bad(input, "the header has no end");
    free(input);
}

static void test_waits(void **state)
{
    struct pto_frames frames = {0};
    const char *text, *why;
    size_t length;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    frames.fd = ends[0];
    assert_false(pto_frame_waits(&frames));
    assert_true(pto_frame_write(ends[1], "one", 3));
    assert_true(pto_frame_write(ends[1], "", 0));
    assert_true(pto_frame_waits(&frames));
    assert_int_equal(pto_frame_read(&frames, &text, &length, &why), PTO_FRAME_WHOLE);
    assert_string_equal(text, "one");
    assert_true(pto_frame_waits(&frames)); /* it was read with the first */
    expect_frame(&frames, "");
    assert_false(pto_frame_waits(&frames));
    close(ends[1]);
    expect_end(&frames);
}

static void test_reader_that_went_away(void **state)
{
    int ends[2];

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_false(pto_frame_write(ends[1], "{}", 2));
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_in_a_row),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_headers_that_say_nothing),
        cmocka_unit_test(test_lengths_that_are_none),
        cmocka_unit_test(test_what_breaks_off),
        cmocka_unit_test(test_header_without_end),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_reader_that_went_away),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
