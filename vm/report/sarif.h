/* A run as SARIF 2.1.0: how it ended, what the checker found, its notes. */
#ifndef PTO_REPORT_SARIF_H
#define PTO_REPORT_SARIF_H

#include "diag.h"
#include "report/summary.h"

/* Works for every outcome: `vm` is NULL if the run never began, `diags` then say why.  Paths are
 * given from the top of the repository that `input`, FILE or FILE:KERNEL, lies in, if it does. */
void cli_sarif(const struct cli_findings *findings, struct pto_vm *vm,
               const struct pto_diags *diags, const struct cli_outcome *outcome,
               const char *input, struct pto_buf *out);

#endif
