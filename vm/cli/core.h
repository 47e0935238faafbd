/* What `ptovm run --core FILE` leaves where a run goes wrong: all that leads there once more.  The
 * machine is deterministic, so that is the command line, the folder it was given in, what its files
 * held, and where the run ended. */
#ifndef PTO_CLI_CORE_H
#define PTO_CLI_CORE_H

#include "cli/loaded.h"

struct cli_core {
    struct pto_arena arena;
    char **word;   /* the command line, with the program's name first; NULL behind the last */
    int words, capacity;
    char *folder;
    char *end;     /* how the run ended: "finding", "stopped", or what cli_exit_name says */
    uint64_t time_ps; /* when */
};

/* Write the file; false: *why says what is wrong. */
bool cli_core_write(const char *path, int argc, char **argv, const struct cli_options *options,
                    const struct cli_launch *launch, const char *end, const char **why);
/* Does the file begin like one? */
bool cli_core_is(const char *path);
/* Read one and hold its files against what they are now.  The caller frees it in any case. */
enum pto_status cli_core_read(const char *path, struct cli_core *core, struct pto_diags *diags);
void cli_core_free(struct cli_core *core);

#endif
