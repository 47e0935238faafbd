/* From a command line to a machine that is ready to run: what ptovm and ptodbg share.
 *
 *   cli_load (files -> verified programs) -> cli_launch (machine, parameters, inputs, prepared).
 *
 * Every problem is in `diags`; the status says whose fault it is. */
#ifndef PTO_CLI_LAUNCH_H
#define PTO_CLI_LAUNCH_H

#include "cli/data.h"
#include "cli/load.h"

struct cli_machine_options {
    bool stepwise;
    void (*print)(void *context, int rank, const char *core, uint64_t time_ps, const char *text);
    void *print_context;
    const struct cli_filling *filling; /* NULL: nobody */
    const struct pto_carrier *carrier; /* NULL: this process has all ranks */
    int beside; /* processes on this host that share what it has; 0: none */
};

/* The memory that a run of the loaded kernels would take; inputs may be left out. */
enum pto_status cli_measure(const struct cli_options *options, struct cli_launch *launch,
                            struct pto_memory *memory, struct pto_diags *diags);
/* Build the machine of the loaded kernels, set parameters, bind inputs, prepare. */
enum pto_status cli_launch(const struct cli_options *options,
                           const struct cli_machine_options *machine, struct cli_launch *launch,
                           struct pto_diags *diags);

#endif
