/* ptovm explore: the same kernels under many schedules, each of which lets somebody else win a
 * contest that the checker has seen in a run before. */
#ifndef PTO_SEARCH_EXPLORE_H
#define PTO_SEARCH_EXPLORE_H

#include "cli/exit.h"
#include "cli/launch.h"

struct cli_explore_progress {
    /* NULL: nobody looks */
    void (*tell)(void *context, unsigned runs, unsigned most, unsigned bad);
    void *context;
};

/* Explore the loaded kernels; schedules of runs that end in another way go to files.  What was
 * found is appended to `text`, and as a report for programs to `json`.  The exit code is that of
 * the worst run; EXIT_MISMATCH if results differ.  *stopped_by: the signal that ended it, or what
 * cut off the first run, for cli_series_tell; else 0.  *runs: how many came to their end. */
enum exit_code cli_explore(const struct cli_options *options, struct cli_launch *launch,
                           const struct cli_explore_progress *progress, struct pto_diags *diags,
                           struct pto_buf *text, struct pto_buf *json, int *stopped_by,
                           unsigned *runs);

#endif
