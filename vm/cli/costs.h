/* --set-cost: what if something cost more or less? */
#ifndef PTO_CLI_COSTS_H
#define PTO_CLI_COSTS_H

#include "cli/options.h"
#include "profile.h"

/* Change the costs of a profile: KEY=2x multiplies what it says, KEY=VALUE replaces it. */
enum pto_status cli_costs_set(const struct cli_pairs *costs, struct pto_profile *profile,
                              struct pto_diags *diags);

#endif
