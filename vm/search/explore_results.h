/* How the runs of an exploration ended: the results of the first that ended well, and every other
 * way to end once. */
#ifndef PTO_SEARCH_EXPLORE_RESULTS_H
#define PTO_SEARCH_EXPLORE_RESULTS_H

#include <stdbool.h>

#include "arena.h"
#include "cli/json.h"
#include "vm.h"

struct explore_kept {
    int rank;
    unsigned index; /* of the object */
    uint64_t size;
    uint8_t *data;
    bool differs;   /* it was reported on this rank */
};

struct explore_failure {
    enum pto_status status;
    const struct pto_module *module;
    int32_t pos;
    int rank;
};

struct explore_results {
    struct explore_kept *kept; /* .out and .inout of all ranks */
    unsigned count, capacity;
    bool known;
    struct explore_failure *failure;
    unsigned failures, failure_capacity;
};

/* A run has ended well: does a result differ from the first run's that had not differed before? */
bool explore_results_differ(struct explore_results *results, const struct pto_vm *vm);
/* Tell which: as text, and as `differences` of the JSON object that is open. */
void explore_results_compare(struct explore_results *results, const struct pto_vm *vm,
                             struct pto_buf *out, struct cli_json *json);
/* A run has ended in a fault, a deadlock or a limit.  True if none has ended so before. */
bool explore_results_failed(struct explore_results *results, struct pto_vm *vm);
void explore_results_free(struct explore_results *results);

#endif
