/* What every pipe did when, for the timeline of a page. */
#ifndef PTO_REPORT_SLICES_H
#define PTO_REPORT_SLICES_H

#include "cli/json.h"
#include "vm.h"

struct cli_slices;

/* Observe a prepared machine; at most `most` slices are kept, the rest is counted. */
enum pto_status cli_slices_start(struct pto_vm *vm, uint64_t most, struct cli_slices **slices);
/* Add the members "sites", "tracks", "sources", "memory" and "dropped"; where slices are left out
 * also "whole_until_ps", before which none is. */
void cli_slices_json(struct cli_slices *slices, struct cli_json *json);
void cli_slices_free(struct cli_slices *slices);

#endif
