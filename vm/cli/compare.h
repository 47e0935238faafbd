/* --expect: results against files or generators. */
#ifndef PTO_CLI_COMPARE_H
#define PTO_CLI_COMPARE_H

#include "cli/data.h"

enum { CLI_VALUE_BYTES = 40 };

/* Outcome for one object over all ranks. */
struct cli_comparison {
    const char *name;
    uint64_t elements, mismatches;
    double max_abs, max_rel; /* over elements where both values are finite */
    /* the first mismatch, by rank and row-major index */
    int rank;
    unsigned dims;
    uint64_t index[PTO_MAX_DIMS];
    char got[CLI_VALUE_BYTES], want[CLI_VALUE_BYTES];
};

struct cli_expectation {
    struct cli_source source;
    struct cli_array *array; /* one for each rank, or a single one; NULL: generated */
    unsigned arrays;
    struct cli_comparison result;
};

struct cli_expectations {
    struct cli_expectation *item;
    unsigned count;
};

/* Before the run, after pto_vm_prepare: read the files, check names, types and shapes. */
enum pto_status cli_expect_load(const struct cli_options *options, struct cli_launch *launch,
                                struct cli_expectations *expectations, struct pto_diags *diags);
/* After the run; true if everything is as expected.  Two values agree if they are equal, both NaN,
 * or differ by at most atol + rtol * |expected|. */
bool cli_expect_compare(const struct cli_options *options, const struct cli_launch *launch,
                        struct cli_expectations *expectations);
/* One line about one object. */
void cli_comparison_text(const struct cli_comparison *result, struct pto_buf *out);
void cli_expect_free(struct cli_expectations *expectations);

#endif
