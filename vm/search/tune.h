/* ptovm tune: the same kernels with other values of parameters, by timing-only runs, and which of
 * them take the least simulated time. */
#ifndef PTO_SEARCH_TUNE_H
#define PTO_SEARCH_TUNE_H

#include "cli/exit.h"
#include "cli/launch.h"
#include "cli/tuned.h"
#include "search/tune_axis.h"

/* One combination. */
struct tune_trial {
    unsigned *choice;    /* of every axis; NULL: as given, nothing tried */
    uint64_t time_ps;    /* 0: it cannot be run */
    const char *refusal; /* why, in one line */
};

struct tune {
    struct cli_options options; /* as given, timing only */
    const char *option;         /* that names what is tried: "try" or "set" */
    unsigned first;             /* operand that is a kernel */
    struct cli_launch *launch;
    struct pto_arena arena;
    struct tune_axis *axis;
    unsigned axes;
    struct tune_trial *trial; /* in the order run; the one as given first */
    unsigned trials, capacity;
    unsigned *rank;           /* of those that ran, from the fastest on */
    unsigned ranked;
    uint64_t combinations;
    bool by_axis;             /* too many: one parameter at a time */
    struct tune_found found;  /* if any can be run */
    bool complete;            /* nothing of this host has cut it short */
    bool remembered;          /* for who says "auto" */
    enum exit_code last_refusal; /* of those that cannot be run, the last one */
    int stopped_by;
    double end; /* of this host's clock, seconds */
};

struct cli_tune_progress {
    void (*tell)(void *context, unsigned runs, unsigned most); /* NULL: nobody looks */
    void *context;
};

/* Begin a search over what options->try names on the loaded kernels, or over what kernels have in
 * common; false: `diags` tells.  To be freed by cli_tune_free in any case. */
bool cli_tune_begin(const struct cli_options *options, const char *option, unsigned first,
                    struct cli_launch *launch, struct pto_diags *diags, struct tune *tune);
/* Run it, in a series (stop.h).  EXIT_DONE if a combination can be run, else the code of the last
 * one. */
enum exit_code cli_tune(struct tune *tune, const struct cli_tune_progress *progress,
                        struct pto_diags *diags);
void cli_tune_text(const struct tune *tune, struct pto_buf *out);
/* Schema docs/schema/tune.schema.json. */
void cli_tune_json(const struct tune *tune, enum exit_code code, struct pto_buf *out);
/* The best values as options, for @FILE. */
void cli_tune_best(const struct tune *tune, struct pto_buf *out);
void cli_tune_free(struct tune *tune);

#endif
