/* The files that a command reads and writes, by what they are and not by how they are spelt, so
 * that no output replaces an input or another output. */
#ifndef PTO_TOOL_FILES_H
#define PTO_TOOL_FILES_H

#include <stdbool.h>

#include "arena.h"
#include "diag.h"

struct tool_file_use {
    const char *what; /* for messages: "--out c=x.npy" */
    bool output;
    uint64_t device, inode; /* of the file, or of the folder in which `name` will be made */
    const char *name;       /* "": the file exists */
};

struct tool_files {
    struct pto_arena arena;
    struct tool_file_use *use;
    unsigned count, capacity;
    const char *unwritable; /* the first output that cannot be written, as things are, and why */
    const char *why;
};

/* Add a file; "-" is standard input if that is one.  Standard output, devices and paths that lead
 * nowhere are no files. */
void tool_files_add(struct tool_files *files, const char *what, const char *path, bool output);
/* Is an output some other use's file?  Sets both; the first is an output.  Sorts the uses. */
bool tool_files_clash(struct tool_files *files, const struct tool_file_use **output,
                      const struct tool_file_use **other);
void tool_files_free(struct tool_files *files);
/* An output, "-" being standard output, could not be written. */
void tool_cannot_write(const char *path, const char *why, struct pto_diags *diags);

#endif
