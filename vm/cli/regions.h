/* What the regions that kernels name with trace_begin and trace_end took, summed up by name. */
#ifndef PTO_CLI_REGIONS_H
#define PTO_CLI_REGIONS_H

#include "cli/json.h"
#include "vm.h"

struct cli_regions;

/* Does the kernel name regions? */
bool cli_regions_named(const struct pto_kernel *kernel);
/* Begin to sum up, before the run. */
enum pto_status cli_regions_start(struct pto_vm *vm, struct cli_regions **regions);
/* Append a line for each region that ended; NULL: nothing. */
void cli_regions_text(const struct cli_regions *regions, struct pto_buf *out);
/* Add the member "regions"; NULL: nothing. */
void cli_regions_json(const struct cli_regions *regions, struct cli_json *json);
/* What they are so far, as bytes; NULL: nothing. */
void cli_regions_put(const struct cli_regions *regions, struct pto_buf *out);
/* Go on from there: bytes that a run of the same kernels has put.  Names go to the arena. */
void cli_regions_take(struct cli_regions *regions, const uint8_t *bytes, struct pto_arena *arena);
void cli_regions_free(struct cli_regions *regions);

#endif
