/* An observer that writes a timeline (timeline.h) while the machine runs.
 *
 * Slices are phases, waits, stalls of the scalar unit, what takes it time, and regions; arrows
 * lead from sets of flags to the waits that take them, from messages to their landings, and from
 * there to the TWAITs that they end; counters say how full queues are and what memory, cache and
 * links carry.  What is kept is bounded by what the machine has under way. */
#ifndef PTO_TRACE_TRACE_H
#define PTO_TRACE_TRACE_H

#include <stdint.h>

#include "cli/findings.h"
#include "cli/trace_choice.h"
#include "diag.h"
#include "profile.h"
#include "status.h"
#include "vm.h"

struct cli_trace;

/* Observe a prepared machine for a file at `path`.  `choice` is read until the end. */
enum pto_status cli_trace_start(struct pto_vm *vm, const struct pto_profile *profile,
                                const struct trace_choice *choice, const char *path,
                                struct pto_diags *diags, struct cli_trace **trace);
/* Complete the record, also of a run that faulted, and write the file. */
enum pto_status cli_trace_write(struct cli_trace *trace, const struct cli_findings *findings,
                                const char *path, struct pto_diags *diags);
/* Events that it holds. */
uint64_t cli_trace_events(const struct cli_trace *trace);
/* Events that did not fit. */
uint64_t cli_trace_dropped(const struct cli_trace *trace);
void cli_trace_free(struct cli_trace *trace);

#endif
