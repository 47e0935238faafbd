#include "data/host.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "vm.h"

enum { MOST_LINE = 4096 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number behind `key` at the start of a line of folder/name; false: there is none. */
static bool number_of(const char *folder, const char *name, const char *key, uint64_t *value)
{
    struct pto_buf path = {0};
    size_t length = strlen(key);
    char line[256];
    bool found = false;
    FILE *file;

    pto_buf_printf(&path, "%s/%s", folder, name);
    file = fopen(pto_buf_text(&path), "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = !strncmp(line, key, length) && sscanf(line + length, "%" SCNu64, value) == 1;
    if (file)
        fclose(file);
    pto_buf_free(&path);
    return found;
}

/* Free memory and swap, UINT64_MAX if nobody says. */
static uint64_t of_host(const char *root)
{
    uint64_t available, swap = 0;

    if (!number_of(root, "proc/meminfo", "MemAvailable:", &available))
        return UINT64_MAX;
    number_of(root, "proc/meminfo", "SwapFree:", &swap);
    return (available + swap) << 10;
}

/* One group of the hierarchy: its limit without what it holds; pages of files can be dropped. */
static uint64_t of_group(const char *folder, const char *limit, const char *used)
{
    uint64_t most, taken, files = 0;

    if (!number_of(folder, limit, "", &most) || !number_of(folder, used, "", &taken))
        return UINT64_MAX; /* "max": no limit */
    number_of(folder, "memory.stat", "inactive_file ", &files);
    taken -= smaller(taken, files);
    return most - smaller(most, taken);
}

/* The least of a group and those above it. */
static uint64_t of_groups(const char *root, const char *mount, char *group, const char *limit,
                          const char *used)
{
    uint64_t least = UINT64_MAX;
    char *slash = group;

    while (slash) {
        struct pto_buf folder = {0};

        pto_buf_printf(&folder, "%s/sys/fs/cgroup%s%s", root, mount, group);
        least = smaller(least, of_group(pto_buf_text(&folder), limit, used));
        pto_buf_free(&folder);
        slash = strrchr(group, '/');
        if (slash)
            *slash = '\0';
    }
    return least;
}

/* A line of /proc/self/cgroup: "0::/group" (version 2), "4:memory:/group" (version 1). */
static uint64_t of_line(const char *root, char *line)
{
    char *controllers = strchr(line, ':'), *group;

    group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return UINT64_MAX;
    line[strcspn(line, "\n")] = '\0';
    *group++ = '\0';
    if (!strcmp(line, "0:"))
        return of_groups(root, "", group, "memory.max", "memory.current");
    if (strcmp(controllers, ":memory") != 0)
        return UINT64_MAX;
    return of_groups(root, "/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes");
}

uint64_t cli_host_memory(const char *root)
{
    uint64_t least = of_host(root);
    struct pto_buf path = {0};
    char line[MOST_LINE];
    FILE *file;

    pto_buf_printf(&path, "%s/proc/self/cgroup", root);
    file = fopen(pto_buf_text(&path), "re");
    while (file && fgets(line, sizeof line, file))
        least = smaller(least, of_line(root, line));
    if (file)
        fclose(file);
    pto_buf_free(&path);
    return least == UINT64_MAX ? 0 : least;
}

uint64_t cli_host_resident(void)
{
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char text[128] = ""; /* pages: all, resident, ... */
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    uint64_t pages = 0;

    if (file >= 0)
        close(file);
    if (size <= 0)
        return 0;
    for (const char *c = strchr(text, ' ') ? strchr(text, ' ') + 1 : ""; isdigit((uint8_t)*c); c++)
        pages = pages * 10 + (uint64_t)(*c - '0');
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

int cli_host_processors(void)
{
    cpu_set_t set;
    int count = 1;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        count = CPU_COUNT(&set);
    return count < PTO_MAX_THREADS ? count : PTO_MAX_THREADS;
}

double cli_host_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t cli_host_time_left(double end)
{
    double left = end - cli_host_seconds();

    return left > 0 ? (uint64_t)(left * 1e12) + 1 : 1;
}
