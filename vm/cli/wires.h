/* What differs about links and ranks. */
#ifndef PTO_CLI_WIRES_H
#define PTO_CLI_WIRES_H

#include "cli/options.h"

/* Append what is down, slow or dead, and when, for sums that tell machines apart. */
void cli_put_wires(const struct cli_options *options, struct pto_buf *text);

#endif
