/* What the checker found, as the options ask for it: filtered, as text and as JSON. */
#ifndef PTO_CLI_FINDINGS_H
#define PTO_CLI_FINDINGS_H

#include "check/check.h"
#include "cli/json.h"
#include "cli/options.h"

struct cli_suppression {
    const char *kind; /* "*": any */
    const char *file; /* end of a path; "*": any */
    uint32_t line;    /* 0: any */
};

/* A finding that the filters leave and nothing suppresses. */
struct cli_finding {
    const struct pto_finding *finding;
    unsigned follows; /* index of the one that leads to it; its own: it leads */
    const struct pto_advice *advice; /* its own, or one that was proved */
};

struct cli_findings {
    struct pto_arena arena;
    struct pto_check *check; /* NULL: not checked */
    struct pto_vm *again;    /* the machine that it watched, if that was not the first one */
    bool kind[PTO_FINDING_KINDS]; /* which to report */
    struct cli_suppression *suppression;
    unsigned suppressions, suppression_capacity;
    struct cli_finding *item; /* those that lead come first */
    unsigned count, leading, suppressed;
    const struct pto_check_note *note;
    unsigned notes;
    const struct pto_coverage *coverage; /* asked for: every synchronisation */
    unsigned coverages;
    const struct pto_advice *remedy; /* for the end of a run without findings; NULL: none */
    bool verbose; /* the text tells notes and what follows, too */
};

/* Understand the filters and read the suppressions.  A line of that file is a kind (or *) and a
 * place FILE[:LINE] (or *); '#' begins a comment. */
enum pto_status cli_findings_load(const struct cli_options *options,
                                  struct cli_findings *findings, struct pto_diags *diags);
/* Filter what the checker has concluded. */
void cli_findings_collect(const struct cli_options *options, struct cli_findings *findings);
void cli_findings_free(struct cli_findings *findings);

/* Where a party is in the text; NULL: nowhere. */
const struct pto_pos *cli_access_pos(const struct pto_finding_access *access);
const char *cli_access_file(const struct pto_finding_access *access);
/* "reads", "writes" or "combines". */
const char *cli_access_verb(const struct pto_finding_access *access);
/* "rank 0, aiv0.1, pipe V, at 12.345 us"; no time of a party that never ran. */
void cli_party_text(const struct pto_finding_access *access, struct pto_buf *out);
/* Where a note belongs, in the form of an access. */
struct pto_finding_access cli_note_place(const struct pto_check_note *note);

/* Messages like a compiler's. */
void cli_findings_text(const struct cli_findings *findings, bool colour, struct pto_buf *out);
/* A line for every place of the text that synchronises. */
void cli_coverage_text(const struct cli_findings *findings, struct pto_buf *out);
void cli_findings_json(const struct cli_findings *findings, struct cli_json *json);

#endif
