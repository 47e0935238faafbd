#include "installed.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder above that of the program, in `folder`; false: nobody knows it. */
static bool find_top(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);

    if (length < 0)
        return false;
    folder[length] = '\0';
    for (int up = 0; up < 2; up++) { /* the program, then its folder */
        char *slash = strrchr(folder, '/');

        if (!slash)
            return false;
        *slash = '\0';
    }
    return true;
}

/* A folder below that one, if it is there. */
static const char *find_below(const char *name, struct pto_arena *arena)
{
    char top[PATH_MAX];
    struct stat info;
    const char *path;

    if (!find_top(top))
        return NULL;
    path = pto_arena_printf(arena, "%s/%s", top, name);
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? path : NULL;
}

const char *tool_installed_includes(struct pto_arena *arena)
{
    return find_below("share/pto/kernels/lib", arena);
}

const char *tool_installed_docs(struct pto_arena *arena)
{
    const char *path = find_below("share/doc/pto/html", arena);

    return path ? path : find_below("site", arena);
}
