/* The files that a command line names, so that no output replaces an input or another output. */
#ifndef PTO_CLI_FILES_H
#define PTO_CLI_FILES_H

#include "cli/loaded.h"

/* Compare what the options and the files of `launch` (with the includes known so far) lead to.
 * PTO_ECONFIG, with one error, if an output is another output's or an input's file;
 * launch->outputs_clash then says that nothing may be written, not even a report.  The same if an
 * output cannot be written, which launch->unwritable then names. */
enum pto_status cli_files_check(const struct cli_options *options, struct cli_launch *launch,
                                struct pto_diags *diags);
/* For a path that is chosen during the run: what of the command line is that file, as "--in
 * a=x.npy", malloc'ed; NULL: nothing is. */
char *cli_files_taken(const struct cli_options *options, const struct cli_launch *launch,
                      const char *path);

#endif
