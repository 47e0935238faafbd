/* ptovm diff: two reports of runs side by side. */
#ifndef PTO_DIFF_DIFF_H
#define PTO_DIFF_DIFF_H

#include "cli/exit.h"
#include "diag.h"

/* Compare two reports that `run --json` has written: times by rank, pipe, region and line, results,
 * findings.  What differs is appended as text and as a report for programs.  EXIT_PROGRAM if
 * anything does; EXIT_USAGE, with a message in `diags`, if a file is no such report. */
enum exit_code diff_reports(const char *const path[2], struct pto_diags *diags,
                            struct pto_buf *text, struct pto_buf *json);

#endif
