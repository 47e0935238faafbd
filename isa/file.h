/* Whole-file input, and output that is never half-written (beside, then rename). */
#ifndef PTO_FILE_H
#define PTO_FILE_H

#include "arena.h"
#include "status.h"

/* Append the whole file ("-": standard input) to `out`; a failure sets *why to a static reason. */
enum pto_status pto_file_read(const char *path, struct pto_buf *out, const char **why);
/* The same for a file that a position of an object names, which may be anything: only a regular
 * file of at most PTO_SOURCE_BYTES is read. */
enum { PTO_SOURCE_BYTES = 16 << 20 };
enum pto_status pto_file_read_source(const char *path, struct pto_buf *out);
/* Write the whole file ("-": standard output). */
enum pto_status pto_file_write(const char *path, const void *data, size_t size, const char **why);

#endif
