/* What a run was given beside its kernels, for reports that are compared: every value of the
 * profile, parameters, inputs, options that change what is simulated. */
#ifndef PTO_CLI_SETUP_H
#define PTO_CLI_SETUP_H

#include "cli/json.h"
#include "cli/launch.h"

/* Members "profile_values" and "setup" of a report. */
void cli_setup_json(const struct cli_options *options, const struct cli_launch *launch,
                    struct cli_json *json);

#endif
