/* Advice that is proved: changes of the texts are tried one by one, each by assembling and running
 * the whole once more under the checker, until a run is clean. */
#ifndef PTO_SEARCH_REPAIR_H
#define PTO_SEARCH_REPAIR_H

#include "cli/findings.h"
#include "cli/launch.h"
#include "cli/sheet.h"

struct cli_repair {
    struct pto_arena arena;
    struct cli_sheet *sheet; /* all texts of the run, with the changes */
    unsigned sheets;
    struct pto_advice advice; /* .edits: 0 if none was found */
    unsigned runs;            /* that were made for it */
    const char *refusal;      /* why nothing was tried; NULL: it was */
    bool cut_off;             /* before all was tried that could be */
    bool may_write;           /* a run with it was clean, or none was asked for */
};

/* Look for changes after a run that was not clean, whose machine is launch->vm.  What remains of
 * several findings is looked at again.  They become the advice of the first finding, or without one
 * of the end of the run.  *stopped_by: see cli_run; what was found until then stands. */
void cli_repair_search(const struct cli_options *options, const struct cli_launch *launch,
                       struct cli_findings *findings, struct cli_repair *repair, int *stopped_by);
/* What there is to say about a search without success; nothing about another one. */
void cli_repair_text(const struct cli_repair *repair, bool in_place, struct pto_buf *out);
/* The changes as a unified diff. */
void cli_repair_diff(const struct cli_repair *repair, struct pto_buf *out);
/* Write the changed files, each beside itself first; refused, with nothing written, where a file is
 * no longer what was read. */
enum pto_status cli_repair_write(const struct cli_repair *repair, struct pto_diags *diags);
void cli_repair_free(struct cli_repair *repair);

#endif
