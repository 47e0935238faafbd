/* What a search for values has found, as a run knows it: --set NAME=auto
 * (docs/decisions/0055-values-that-are-searched.md).  The search itself is search/automatic.h. */
#ifndef PTO_CLI_TUNED_H
#define PTO_CLI_TUNED_H

#include "cli/json.h"
#include "cli/options.h"
#include "look/path.h"

/* What a search comes to. */
struct tune_found {
    uint64_t time_ps, given_ps; /* of the best, and as given; 0: that cannot be run */
    uint64_t runs, combinations;
    uint64_t best_cause_ps[PTO_CAUSES], given_cause_ps[PTO_CAUSES]; /* on the critical path */
};

struct cli_tuned {
    struct cli_pair *value; /* of each name, in the order given; in the options' arena */
    unsigned values;
    struct tune_found found; /* time_ps 0: there was nothing to choose from */
};

/* The values to choose from, as they were written after "auto:", of one that is to be searched
 * for; "": what kernels have in common.  NULL: it is given. */
const char *cli_tuned_values(const struct cli_pair *pair);
/* Is there a value to be searched for? */
bool cli_tuned_asked(const struct cli_options *options);
/* Complain of a command that needs a number. */
void cli_tuned_refuse(const struct cli_options *options, const char *hint,
                      struct pto_diags *diags);
/* What the time of the best goes into, and of the run as given. */
void cli_tuned_why(const struct tune_found *found, struct pto_buf *out);
void cli_tuned_text(const struct cli_tuned *tuned, struct pto_buf *out);
/* Add the member "tuned". */
void cli_tuned_json(const struct cli_tuned *tuned, struct cli_json *json);

#endif
