#include "installed.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *tool_installed_includes(struct pto_arena *arena)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    struct stat info;
    const char *path;
    char *slash;

    if (length < 0)
        return NULL;
    program[length] = '\0';
    for (int up = 0; up < 2; up++) { /* the program, then its folder */
        slash = strrchr(program, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    path = pto_arena_printf(arena, "%s/share/pto/kernels/lib", program);
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? path : NULL;
}
