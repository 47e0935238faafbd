/* ptovm whatif: how long would the run take if something cost more or less? */
#ifndef PTO_SEARCH_WHATIF_H
#define PTO_SEARCH_WHATIF_H

#include "cli/exit.h"
#include "cli/launch.h"

/* Two runs for times alone, as it is and as the options change it.  Appends what the change gives
 * and the critical path that is left, as text and as a report for programs.  *stopped_by: see
 * cli_stop_tell. */
enum exit_code cli_whatif(const struct cli_options *options, struct cli_launch *launch,
                          struct pto_diags *diags, struct pto_buf *text, struct pto_buf *json,
                          int *stopped_by);

#endif
