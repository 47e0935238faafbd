/* One of the two runs: its options, its programs, and how it is run. */
#ifndef PTO_TWIN_SIDE_H
#define PTO_TWIN_SIDE_H

#include "cli/core.h"
#include "cli/launch.h"
#include "cli/tuned.h"
#include "twin/record.h"

struct twin_side {
    const char *path;
    bool is_core;
    struct cli_core core;
    struct cli_options options;
    bool owns_options;
    struct cli_tuned tuned; /* of a core file, whose run had values searched for */
    const char *operand[2]; /* of a kernel: the command, and itself */
    struct cli_launch launch;
    struct pto_buf end;     /* how it ended: "ok", "deadlock: nothing can run" */
    uint64_t end_ps;
};

/* Read options and programs.  The caller frees the side in any case. */
enum pto_status twin_side_open(struct twin_side *side, const char *path,
                               const struct cli_options *options, struct pto_diags *diags);
/* Run it from the start, watched by the record.  The machine stays until the next run. */
enum pto_status twin_side_run(struct twin_side *side, struct twin_record *record,
                              struct pto_diags *diags, int *stopped_by);
void twin_side_free(struct twin_side *side);

#endif
