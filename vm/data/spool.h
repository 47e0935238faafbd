/* Bytes that are written while a run goes on and become a file when it has ended.
 *
 * Until then they are in a file without a name, so that nothing stays behind if the program ends
 * early; memory holds none of them. */
#ifndef PTO_DATA_SPOOL_H
#define PTO_DATA_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

struct gzip;

struct spool {
    int fd;            /* -1: none */
    const char *why;   /* the first failure; NULL: none so far */
    struct gzip *gzip; /* NULL: bytes are kept as they come */
};

/* For a file at `path` ("-": standard output); `may_compress`: if its name ends in ".gz".  A
 * failure, for instance because there is no such folder, sets *why. */
enum pto_status spool_begin(struct spool *spool, const char *path, bool may_compress,
                            const char **why);
/* Append; what fails is told at the end. */
void spool_put(struct spool *spool, const uint8_t *data, size_t size);
/* What was put is on the disk, or that it is not is known, before the file gets its name. */
enum pto_status spool_sync(struct spool *spool, const char **why);
/* Make what was put the file at `path`, as pto_file_write_open does. */
enum pto_status spool_end(struct spool *spool, const char *path, const char **why);
/* Forget what was put. */
void spool_free(struct spool *spool);

#endif
