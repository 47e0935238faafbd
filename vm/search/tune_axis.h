/* What a parameter is tried with. */
#ifndef PTO_SEARCH_TUNE_AXIS_H
#define PTO_SEARCH_TUNE_AXIS_H

#include "cli/options.h"

enum tune_kind {
    TUNE_PARAM,    /* --set NAME=VALUE */
    TUNE_CORES,    /* --cores VALUE */
    TUNE_CONSTANT, /* -D NAME=VALUE: the text is assembled again */
};

struct tune_axis {
    const char *name;
    const char *named; /* the values as they were named; "": those that are known */
    int64_t *value;
    unsigned values;
    enum tune_kind kind;
};

/* Read "1,2,4", "1..8", "1..17:4" (steps) or "16..256*2" (factors), or several of these with commas
 * between, in the arena.  False: `diags` tells, of --option. */
bool tune_axis_read(const struct cli_pair *pair, const char *option, struct pto_arena *arena,
                    struct tune_axis *axis, struct pto_diags *diags);

/* What kernels of this project have in common, for who says no --try: NAME=VALUES by index, NULL
 * behind the last. */
const struct cli_pair *tune_known(unsigned index);

#endif
