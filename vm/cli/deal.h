/* Which process of a run has which ranks: --deal. */
#ifndef PTO_CLI_DEAL_H
#define PTO_CLI_DEAL_H

#include "cli/options.h"

/* The process of every rank, in the arena; *owner NULL: in blocks, as without the option.  A file
 * has a line for each process, "PROCESS: RANK, FIRST-LAST ...", and comments behind '#'. */
enum pto_status cli_deal(const struct cli_options *options, int processes,
                         struct pto_arena *arena, const int **owner, struct pto_diags *diags);

#endif
