/* ptovm diff --state: two runs side by side.  Where do they begin to write different bytes? */
#ifndef PTO_TWIN_TWIN_H
#define PTO_TWIN_TWIN_H

#include "cli/exit.h"
#include "diag.h"

/* Run both and compare what their instructions write.  A path is a core file, which has its own
 * options, or FILE[:KERNEL], which runs with these.  What differs is appended as text and for
 * programs.  EXIT_PROGRAM if anything does; EXIT_USAGE and others, with a message in `diags`, if
 * one of them cannot run.  *stopped_by: see cli_run. */
enum exit_code twin_compare(const char *const path[2], const struct cli_options *options,
                            struct pto_diags *diags, struct pto_buf *text, struct pto_buf *json,
                            int *stopped_by);

#endif
