/* What this host has: memory by /proc and by control groups of both versions, from a tree of files
 * made up for the test. */
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

#include "data/host.h"

enum { PATH = 256, KIB = 1024 };

static char root[PATH];

/* Write a file below the root, and the folders on its way. */
static void put(const char *name, const char *text)
{
    char path[2 * PATH];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/pto-host-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
    char command[2 * PATH];

    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static void nobody_says(void **state)
{
    (void)state;
    assert_true(cli_host_memory(root) == 0);
}

static void free_memory_and_swap(void **state)
{
    (void)state;
    put("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:  500 kB\nSwapFree:  20 kB\n");
    assert_true(cli_host_memory(root) == 520 * KIB);
}

/* Of a group and those above it the one with the least left counts; pages of files can go. */
static void groups_of_version_2(void **state)
{
    (void)state;
    put("proc/meminfo", "MemAvailable: 500 kB\nSwapFree: 0 kB\n");
    put("proc/self/cgroup", "0::/jobs/mine\n");
    put("sys/fs/cgroup/jobs/mine/memory.max", "max\n");
    put("sys/fs/cgroup/jobs/mine/memory.current", "70000\n");
    assert_true(cli_host_memory(root) == 500 * KIB);
    put("sys/fs/cgroup/jobs/memory.max", "100000\n");
    put("sys/fs/cgroup/jobs/memory.current", "70000\n");
    assert_true(cli_host_memory(root) == 30000);
    put("sys/fs/cgroup/jobs/memory.stat", "anon 5\ninactive_file 6000\nfile 9000\n");
    assert_true(cli_host_memory(root) == 36000);
    put("sys/fs/cgroup/jobs/mine/memory.max", "80000\n");
    assert_true(cli_host_memory(root) == 10000);
    put("sys/fs/cgroup/memory.max", "5000\n");
    put("sys/fs/cgroup/memory.current", "6000\n");
    assert_true(cli_host_memory(root) == 0);
}

static void groups_of_version_1(void **state)
{
    (void)state;
    put("proc/self/cgroup", "7:cpu:/a\n4:memory:/a/b\n0::/\n");
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "90000\n");
    put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "50000\n");
    assert_true(cli_host_memory(root) == 40000);
    put("proc/self/cgroup", "7:cpu:/a\nno line of this kind\n");
    assert_true(cli_host_memory(root) == 0);
}

/* As the kernel says it, but for what reading takes. */
static void memory_that_is_used(void **state)
{
    unsigned long all, resident;
    uint64_t bytes;
    FILE *file = fopen("/proc/self/statm", "r");

    (void)state;
    assert_non_null(file);
    assert_true(cli_host_resident() > 0);
    assert_int_equal(fscanf(file, "%lu %lu", &all, &resident), 2);
    fclose(file);
    bytes = (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
    assert_in_range(cli_host_resident(), bytes - bytes / 16, bytes + bytes / 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nobody_says, begin, end),
        cmocka_unit_test_setup_teardown(free_memory_and_swap, begin, end),
        cmocka_unit_test_setup_teardown(groups_of_version_2, begin, end),
        cmocka_unit_test_setup_teardown(groups_of_version_1, begin, end),
        cmocka_unit_test(memory_that_is_used),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
