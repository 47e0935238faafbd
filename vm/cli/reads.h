/* The files that a run reads, and what they hold: records, each "KIND BYTES", a newline, the bytes
 * and a newline. */
#ifndef PTO_CLI_READS_H
#define PTO_CLI_READS_H

#include "cli/options.h"

/* "SIZE SUM" of what a file holds now; false: it cannot be read. */
bool cli_file_describe(const char *path, char text[64]);
void cli_put_record(struct pto_buf *out, const char *kind, const char *text);
/* A record of kind "file"; nothing of one that cannot be read, such as standard input. */
void cli_put_file(struct pto_buf *out, const char *path);
/* The files that these options name: inputs and settings. */
void cli_put_reads(const struct cli_options *options, struct pto_buf *out);

#endif
