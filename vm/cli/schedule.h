/* A schedule: which acts of which parties come late, so that others win the contests.  It replays
 * exactly, for the machine is deterministic, and fits one program on one machine.  docs/explore.md
 * has the format. */
#ifndef PTO_CLI_SCHEDULE_H
#define PTO_CLI_SCHEDULE_H

#include "cli/loaded.h"

/* A hash of the kernels' code, with its places in files, and of the machine; not of data. */
uint64_t cli_program_hash(const struct cli_options *options, const struct cli_launch *launch);
/* Read options->schedule_path for the loaded kernels; without one the schedule is empty. */
enum pto_status cli_schedule_load(const struct cli_options *options,
                                  const struct cli_launch *launch, struct cli_schedule *schedule,
                                  struct pto_diags *diags);
void cli_schedule_text(const struct cli_options *options, const struct cli_launch *launch,
                       const struct cli_schedule *schedule, struct pto_buf *out);
void cli_schedule_copy(const struct cli_schedule *from, struct cli_schedule *to);
/* An act comes later, or later still. */
void cli_schedule_delay(struct cli_schedule *schedule, const struct pto_delay *delay);
void cli_schedule_slow(struct cli_schedule *schedule, struct pto_slow_rank slow);
void cli_schedule_free(struct cli_schedule *schedule);

#endif
