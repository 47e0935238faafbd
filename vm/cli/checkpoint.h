/* Checkpoints: a run that goes on later, where a file says that it was.
 *
 * The file: a line of a mark; what the run is, as sums with names; what it has printed and what its
 * regions have taken so far; the machine (pto_vm_save); a sum of all that.  It is an image of
 * memory, which only the build of ptovm reads that wrote it. */
#ifndef PTO_CLI_CHECKPOINT_H
#define PTO_CLI_CHECKPOINT_H

#include "cli/loaded.h"

/* What the run is, beside its inputs and parameters. */
enum cli_id { CLI_ID_BUILD, CLI_ID_MACHINE, CLI_ID_PROFILE, CLI_ID_KERNELS, CLI_IDS };

struct cli_checkpoint {
    const struct cli_options *options;
    struct cli_launch *launch;
    uint64_t id[CLI_IDS];
    bool keeps;             /* it will be written */
    struct pto_buf printed; /* lines that `print` gave, as they were shown */
    const char *problem;    /* why the last one could not be written; NULL: it was */
};

/* Refuse what a checkpoint cannot hold. */
enum pto_status cli_checkpoint_check(const struct cli_options *options, struct pto_diags *diags);
/* The machine is prepared: keep in mind what the run is; go on where --resume says.  What had been
 * printed until there is in `printed`. */
enum pto_status cli_checkpoint_begin(struct cli_checkpoint *checkpoint,
                                     const struct cli_options *options, struct cli_launch *launch,
                                     struct pto_diags *diags);
/* A line was shown. */
void cli_checkpoint_line(struct cli_checkpoint *checkpoint, const char *line);
/* The machine rests: write the file; `writes`: this process does.  False: it cannot be written, and
 * the last one is still there. */
bool cli_checkpoint_write(struct cli_checkpoint *checkpoint, bool writes);
void cli_checkpoint_free(struct cli_checkpoint *checkpoint);

#endif
