/* --set NAME=auto: the value that a search by timing-only runs finds, or has found before
 * (docs/decisions/0055-values-that-are-searched.md). */
#ifndef PTO_CLI_TUNED_H
#define PTO_CLI_TUNED_H

#include "cli/json.h"
#include "cli/tune.h"

struct cli_tuned {
    struct cli_pair *value; /* of each name, in the order given; in the options' arena */
    unsigned values;
    struct tune_found found; /* time_ps 0: there was nothing to choose from */
};

/* Is there a value to be searched for? */
bool cli_tuned_asked(const struct cli_options *options);
/* Search, in a series (stop.h), and put what is found into the options, `tuned` with it.  Operands
 * from `first` on are kernels.  EXIT_DONE, or why there is nothing: `diags`, *stopped_by. */
enum exit_code cli_tuned_find(struct cli_options *options, unsigned first,
                              const struct cli_tune_progress *progress, struct cli_tuned *tuned,
                              struct pto_diags *diags, int *stopped_by);
/* Complain of a command that needs a number. */
void cli_tuned_refuse(const struct cli_options *options, const char *hint,
                      struct pto_diags *diags);
void cli_tuned_text(const struct cli_tuned *tuned, struct pto_buf *out);
/* Add the member "tuned". */
void cli_tuned_json(const struct cli_tuned *tuned, struct cli_json *json);

#endif
