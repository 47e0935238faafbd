/* Machines that are made again, and runs under a checker that need it: see pto_check_doubtful. */
#ifndef PTO_CLI_AGAIN_H
#define PTO_CLI_AGAIN_H

#include "cli/findings.h"
#include "cli/launch.h"
#include "cli/processes.h"

/* A second machine, beside launch->vm; the caller frees it, whatever the status. */
enum pto_status cli_make_again(const struct cli_options *options, struct cli_launch *launch,
                               struct pto_diags *diags, struct pto_vm **vm);
/* Put a checker on the machine that is ready to run, as the options ask for it. */
enum pto_status cli_findings_attach(const struct cli_options *options,
                                    const struct cli_launch *launch,
                                    struct cli_findings *findings);
/* After a run that has been concluded and stays as it is: as long as there are doubts, run the same
 * once more, by all processes, under a checker that knows of them and takes the place of
 * findings->check.  If the
 * machine cannot be made again (an input that can be read only once), the findings so far stay, and
 * `diags` says so; so they do if the run is stopped (*stopped_by: see cli_run). */
enum pto_status cli_findings_settle(const struct cli_options *options, struct cli_processes *p,
                                    struct cli_launch *launch, struct cli_findings *findings,
                                    struct pto_diags *diags, int *stopped_by);
/* Other runs of what these options launch are not to take much longer than the one of this machine,
 * which has ended: one that waits in a loop for what never comes would. */
void cli_again_limit(struct cli_options *options, const struct pto_vm *vm);

#endif
