/* What a run reports at its end: a summary for people, a report for programs (schema
 * docs/schema/report.schema.json).  Both depend on the run alone, so that two runs of the same
 * input give the same bytes. */
#ifndef PTO_REPORT_SUMMARY_H
#define PTO_REPORT_SUMMARY_H

#include "cli/compare.h"
#include "cli/findings.h"

/* Append the summary; `per_rank` adds a table with a line for every rank. */
void cli_summary_text(const struct cli_options *options, const struct cli_launch *launch,
                      const struct cli_expectations *expectations, bool per_rank,
                      struct pto_buf *out);

struct cli_outcome {
    /* "ok", "fault", "deadlock", "limit", "mismatch", "findings", "interrupted", "error" */
    const char *status;
    int exit_code;
    bool partial; /* the run was stopped from outside before its end */
};
/* Append the report.  Works for every outcome: what was never reached is left out. */
void cli_report_json(const struct cli_options *options, const struct cli_launch *launch,
                     const struct cli_expectations *expectations,
                     const struct cli_findings *findings, const struct pto_diags *diags,
                     const struct cli_outcome *outcome, struct pto_buf *out);

#endif
