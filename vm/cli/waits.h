/* Deadlocks and limits, party by party: what nearly ended a wait, and what was done last. */
#ifndef PTO_CLI_WAITS_H
#define PTO_CLI_WAITS_H

#include "cli/json.h"
#include "vm.h"

/* Append a line for every wait that something nearly ended, and for what pipes did last; parties
 * of which the same is true share a line. */
void cli_waits_text(const struct pto_vm *vm, struct pto_buf *out);
/* All parties, under the key "waits". */
void cli_waits_json(const struct pto_vm *vm, struct cli_json *json);

#endif
