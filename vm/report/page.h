/* A run as one page of HTML that needs nothing else. */
#ifndef PTO_REPORT_PAGE_H
#define PTO_REPORT_PAGE_H

#include "cli/loaded.h"
#include "report/slices.h"

/* Append the page; `report`: the JSON report of the run. */
void cli_page(const struct cli_launch *launch, struct cli_slices *slices,
              const struct pto_buf *report, struct pto_buf *out);

#endif
