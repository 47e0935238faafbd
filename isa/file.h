/* Whole-file input, and output that is never half-written (beside, then rename). */
#ifndef PTO_FILE_H
#define PTO_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "arena.h"
#include "status.h"

/* What a file is read for, which says how large it may be. */
enum pto_file_kind {
    PTO_FILE_SETTINGS, /* profiles, suppressions, scripts: 1 MiB */
    PTO_FILE_TEXT,     /* source text: 16 MiB */
    PTO_FILE_KERNEL,   /* source text or object, not yet known which: 64 MiB */
    PTO_FILE_REPORT,   /* of runs, to be compared: 64 MiB */
    PTO_FILE_DATA,     /* arrays: 64 GiB */
    PTO_FILE_KINDS
};
enum { PTO_SOURCE_BYTES = 16 << 20, PTO_KERNEL_BYTES = 64 << 20 };

/* Append the whole file ("-": standard input) to `out`; a failure sets *why to a static reason.
 * The size of a file is looked at before it is read; a pipe may give 1 GiB, a character device
 * 1 MiB; folders, block devices and FIFOs in a folder are refused.  Standard input that is read
 * again gives the same bytes, unless it had more than 64 MiB. */
enum pto_status pto_file_read(const char *path, enum pto_file_kind kind, struct pto_buf *out,
                              const char **why);
/* The same for a file that a position of an object names, which may be anything: only a regular
 * file of at most PTO_SOURCE_BYTES is read. */
enum pto_status pto_file_read_source(const char *path, struct pto_buf *out);
/* Follow the links at the end of `path`, also to where there is nothing yet; false if they go in
 * circles or get too long. */
bool pto_file_target(const char *path, char target[PATH_MAX]);
/* Could a file be written there, as things are now?  Nothing is opened or made. */
enum pto_status pto_file_writable(const char *path, const char **why);
/* Write the whole file ("-": standard output).  One that there is gets replaced, with its
 * permissions and under this name alone, unless it is read-only.  A signal that would end the
 * program first removes what is written so far of a new file. */
enum pto_status pto_file_write(const char *path, const void *data, size_t size, const char **why);
/* The same for bytes that lie in several places, one behind the other. */
struct pto_file_part {
    const void *data;
    size_t size;
};
enum pto_status pto_file_write_parts(const char *path, const struct pto_file_part *part,
                                     unsigned parts, const char **why);
/* The same for all that is in a file which is open for reading and writing.  One that O_TMPFILE
 * made in the folder of `path`, with mode 0777, is given the name; of any other, or where that
 * cannot be, the bytes are copied. */
enum pto_status pto_file_write_open(const char *path, int fd, const char **why);
/* The working folder, malloc'ed; NULL: it is gone. */
char *pto_file_folder(void);

#endif
