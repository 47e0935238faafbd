/* The search that --set NAME=auto asks for, before anything else is run. */
#ifndef PTO_SEARCH_AUTOMATIC_H
#define PTO_SEARCH_AUTOMATIC_H

#include "search/tune.h"

/* Search, in a series (cli/stop.h), and put what is found into the options, `tuned` with it.
 * Operands from `first` on are kernels.  EXIT_DONE, or why there is nothing: `diags`,
 * *stopped_by. */
enum exit_code cli_tuned_find(struct cli_options *options, unsigned first,
                              const struct cli_tune_progress *progress, struct cli_tuned *tuned,
                              struct pto_diags *diags, int *stopped_by);

#endif
