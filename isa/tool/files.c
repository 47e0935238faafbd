#include "files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

/* What the path leads to, or will lead to once it is written; false: to no file. */
static bool identify(const char *path, struct pto_arena *arena, struct tool_file_use *use)
{
    char target[PATH_MAX];
    const char *folder = ".";
    struct stat info;
    char *slash;

    use->name = "";
    if (!strcmp(path, "-")) { /* what the shell opened may be a file that another path names */
        if (use->output || fstat(STDIN_FILENO, &info) != 0 || !S_ISREG(info.st_mode))
            return false;
    } else if (stat(path, &info) != 0) {
        if (!pto_file_target(path, target))
            return false;
        slash = strrchr(target, '/');
        use->name = pto_arena_strdup(arena, slash ? slash + 1 : target);
        if (slash) {
            slash[slash == target] = 0; /* the root is called "/" */
            folder = target;
        }
        if (stat(folder, &info) != 0)
            return false;
    } else if (!S_ISREG(info.st_mode)) {
        return false;
    }
    use->device = info.st_dev;
    use->inode = info.st_ino;
    return true;
}

void tool_files_add(struct tool_files *files, const char *what, const char *path, bool output)
{
    struct tool_file_use use = {.output = output};

    if (path && output && !files->unwritable && pto_file_writable(path, &files->why) != PTO_OK)
        files->unwritable = pto_arena_strdup(&files->arena, path);
    if (!path || !identify(path, &files->arena, &use))
        return;
    use.what = pto_arena_strdup(&files->arena, what);
    PTO_GROW(files->use, files->count, files->capacity);
    files->use[files->count++] = use;
}

/* By file; of one file's uses the outputs first. */
static int compare(const void *left, const void *right)
{
    const struct tool_file_use *a = left, *b = right;

    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->inode != b->inode)
        return a->inode < b->inode ? -1 : 1;
    return strcmp(a->name, b->name) ? strcmp(a->name, b->name) : b->output - a->output;
}

bool tool_files_clash(struct tool_files *files, const struct tool_file_use **output,
                      const struct tool_file_use **other)
{
    if (files->count)
        qsort(files->use, files->count, sizeof *files->use, compare);
    for (unsigned i = 1; i < files->count; i++) {
        struct tool_file_use *a = &files->use[i - 1], *b = &files->use[i];

        if (!a->output || a->device != b->device || a->inode != b->inode ||
            strcmp(a->name, b->name) != 0)
            continue;
        *output = a;
        *other = b;
        return true;
    }
    return false;
}

void tool_files_free(struct tool_files *files)
{
    free(files->use);
    pto_arena_free(&files->arena);
    *files = (struct tool_files){0};
}

void tool_cannot_write(const char *path, const char *why, struct pto_diags *diags)
{
    if (!strcmp(path, "-"))
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot write to standard output: %s", why);
    else
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot write '%s': %s", path, why);
}
