/* Options that only say how another one is meant. */
#ifndef PTO_CLI_OPTIONS_NEEDS_H
#define PTO_CLI_OPTIONS_NEEDS_H

#include "tool/options.h"

/* Complain about every given option whose other one is not there; `given`: by id. */
enum pto_status cli_options_needs(const struct tool_table *table, const bool *given,
                                  struct pto_diags *diags);

#endif
