/* Whole files: what is read, how output replaces what was there, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

static char folder[] = "/tmp/isa_file_test_XXXXXX";
static char path[sizeof folder + 32];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void expect_content(const char *name, const void *data, size_t size)
{
    struct pto_buf out = {0};
    const char *why = NULL;

    assert_int_equal(pto_file_read(in_folder(name), PTO_FILE_TEXT, &out, &why), PTO_OK);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, data, size);
    pto_buf_free(&out);
}

static unsigned files_in_folder(void)
{
    DIR *dir = opendir(folder);
    unsigned count = 0;

    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void read_only_stays(void **state)
{
    const char *why = NULL;
    struct stat before, after;

    (void)state;
    assert_int_equal(pto_file_write(in_folder("kept"), "xy", 2, &why), PTO_OK);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(pto_file_writable(path, &why), PTO_ESYSTEM);
    assert_int_equal(pto_file_write(path, "z", 1, &why), PTO_ESYSTEM);
    assert_string_equal(why, "it is read-only");
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(unlink(path), 0);
}

static void write_then_replace(void **state)
{
    static uint8_t big[200000];
    const char *why = NULL;
    struct stat info;

    (void)state;
    memset(big, 7, sizeof big);
    assert_int_equal(pto_file_write(in_folder("a"), big, sizeof big, &why), PTO_OK);
    expect_content("a", big, sizeof big);
    assert_int_equal(chmod(in_folder("a"), 0640), 0);
    assert_int_equal(pto_file_write(in_folder("a"), "xy", 2, &why), PTO_OK);
    expect_content("a", "xy", 2);
    assert_int_equal(stat(in_folder("a"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(files_in_folder(), 1); /* nothing was left beside it */
}

static void a_link_stays_a_link(void **state)
{
    char link_path[sizeof path];
    const char *why = NULL;
    struct stat info;

    (void)state;
    strcpy(link_path, in_folder("link"));
    assert_int_equal(pto_file_write(in_folder("b"), "1", 1, &why), PTO_OK);
    assert_int_equal(symlink("b", link_path), 0);
    assert_int_equal(pto_file_write(link_path, "22", 2, &why), PTO_OK);
    expect_content("b", "22", 2);
    assert_int_equal(lstat(link_path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

static void devices_are_written_not_replaced(void **state)
{
    const char *why = NULL;
    struct stat info;

    (void)state;
    assert_int_equal(pto_file_write("/dev/null", "x", 1, &why), PTO_OK);
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(pto_file_write("/dev/full", "x", 1, &why), PTO_ESYSTEM);
        assert_string_equal(why, "No space left on device");
    }
}

static void is_caught(int number)
{
    (void)number;
}

/* Write while SIGHUP waits, which then would do what it is told here. */
static enum pto_status write_during_a_signal(void (*does)(int), const char **why)
{
    struct sigaction action = {.sa_handler = does}, usual;
    enum pto_status status;
    sigset_t hangup, before;

    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    sigprocmask(SIG_BLOCK, &hangup, &before);
    sigaction(SIGHUP, &action, &usual);
    raise(SIGHUP);
    status = pto_file_write(in_folder("s"), "x", 1, why);
    signal(SIGHUP, SIG_IGN); /* forget it */
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGHUP, &usual, NULL);
    return status;
}

static void only_a_signal_that_ends_the_program_ends_the_writing(void **state)
{
    unsigned files = files_in_folder();
    const char *why = NULL;

    (void)state;
    assert_int_equal(write_during_a_signal(SIG_DFL, &why), PTO_ESYSTEM);
    assert_string_equal(why, "interrupted");
    assert_int_equal(files_in_folder(), files);
    assert_int_equal(write_during_a_signal(is_caught, &why), PTO_OK);
    expect_content("s", "x", 1);
    assert_int_equal(unlink(in_folder("s")), 0);
    assert_int_equal(write_during_a_signal(SIG_IGN, &why), PTO_OK);
    expect_content("s", "x", 1);
    assert_int_equal(unlink(in_folder("s")), 0);
}

static void refusals(void **state)
{
    struct pto_buf out = {0};
    const char *why = NULL;

    (void)state;
    assert_int_equal(pto_file_read(in_folder("missing"), PTO_FILE_TEXT, &out, &why), PTO_ESYSTEM);
    assert_string_equal(why, "No such file or directory");
    assert_int_equal(pto_file_read(folder, PTO_FILE_TEXT, &out, &why), PTO_ESYSTEM);
    assert_string_equal(why, "Is a directory");
    assert_int_equal(pto_file_write(folder, "x", 1, &why), PTO_ESYSTEM);
    assert_string_equal(why, "Is a directory");
    assert_int_equal(pto_file_write(in_folder("no/such"), "x", 1, &why), PTO_ESYSTEM);
    assert_string_equal(why, "No such file or directory");
    assert_int_equal(out.size, 0);
    pto_buf_free(&out);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"a", "b", "link", "s"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_only_stays),
        cmocka_unit_test(write_then_replace),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(devices_are_written_not_replaced),
        cmocka_unit_test(only_a_signal_that_ends_the_program_ends_the_writing),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
