/* An observer that records a timeline (timeline.h).
 *
 * Slices are phases, waits, stalls of the scalar unit and regions; arrows lead from set_flag to
 * wait_flag and from send to landing. */
#ifndef PTO_CLI_TRACE_H
#define PTO_CLI_TRACE_H

#include <stdint.h>

#include "diag.h"
#include "profile.h"
#include "status.h"
#include "vm.h"

struct cli_trace;

/* Observe a prepared machine; at most `max_events` events are recorded, the rest is counted. */
enum pto_status cli_trace_start(struct pto_vm *vm, const struct pto_profile *profile,
                                uint64_t max_events, struct cli_trace **trace);
/* Complete the record (also of a run that faulted) and write the file. */
enum pto_status cli_trace_write(struct cli_trace *trace, const char *path,
                                struct pto_diags *diags);
/* Events that did not fit. */
uint64_t cli_trace_dropped(const struct cli_trace *trace);
void cli_trace_free(struct cli_trace *trace);

#endif
