/* What of a run of several ranks is work: the standard metrics of parallel performance
 * (POP Centre of Excellence, https://pop-coe.eu/node/69).
 *
 *   parallel efficiency = load balance x communication = mean useful time / time
 *   load balance        = mean useful time / largest useful time
 *   communication       = serialisation x transfer = largest useful time / time
 *   serialisation       = largest useful time / time on an instantaneous network
 *   transfer            = time on an instantaneous network / time */
#ifndef PTO_REPORT_EFFICIENCY_H
#define PTO_REPORT_EFFICIENCY_H

#include "cli/json.h"
#include "cli/loaded.h"
#include "look/path.h"

/* Where a run has ended whose critical path and ranks ask for it: run the same for its time alone,
 * ranks in a mesh of links that take no time, into launch->ideal_ps.  False: that run did not come
 * to its end (*stopped_by: see cli_run). */
bool cli_ideal_time(const struct cli_options *options, struct cli_launch *launch,
                    int *stopped_by);
/* Of several ranks of which one works.  `ideal_ps` 0: not known. */
void cli_efficiency_text(const struct pto_critical_result *result, uint64_t ideal_ps,
                         struct pto_buf *out);
/* Add the member "efficiency". */
void cli_efficiency_json(const struct pto_critical_result *result, uint64_t ideal_ps,
                         struct cli_json *json);

#endif
