/* What a parameter is tried with. */
#ifndef PTO_CLI_TUNE_AXIS_H
#define PTO_CLI_TUNE_AXIS_H

#include "cli/options.h"

struct tune_axis {
    const char *name;
    int64_t *value;
    unsigned values;
    bool is_cores; /* --cores, not a parameter */
};

/* Read "1,2,4", "1..8", "1..17:4" (steps) or "16..256*2" (factors), or several of these with commas
 * between, in the arena.  False: `diags` tells. */
bool tune_axis_read(const struct cli_pair *pair, struct pto_arena *arena, struct tune_axis *axis,
                    struct pto_diags *diags);

#endif
