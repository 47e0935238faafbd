/* The critical path of a run as text and as JSON. */
#ifndef PTO_REPORT_CRITICAL_H
#define PTO_REPORT_CRITICAL_H

#include "cli/json.h"
#include "cli/loaded.h"
#include "look/path.h"

/* What the path adds up to in one place, the largest first; lists end with a time of 0. */
struct cli_critical_sum {
    uint64_t ps;
    char *name;  /* "rank 0 aiv3.1 V", "kernels/basic/vadd.pto:12 TADD" */
    const struct pto_critical_step *step; /* the first one there */
};

struct cli_critical {
    const struct pto_critical_result *result;
    struct cli_critical_sum *unit, *line;
    unsigned units, lines;
    uint64_t ideal_ps; /* see struct cli_launch */
};

/* Sum up the result of a run; false: it was cut off, and there is none. */
bool cli_critical_begin(struct cli_critical *critical, const struct cli_launch *launch);
void cli_critical_free(struct cli_critical *critical);
void cli_critical_text(const struct cli_critical *critical, struct pto_buf *out);
/* Add the member "critical_path". */
void cli_critical_json(const struct cli_critical *critical, const struct pto_vm *vm,
                       struct cli_json *json);

#endif
