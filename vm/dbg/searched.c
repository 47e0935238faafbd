#include "dbg/dbg.h"

#include "search/automatic.h"

enum dbg_exit dbg_search_values(struct cli_options *options, struct pto_diags *diags,
                                struct pto_buf *text, int *stopped_by)
{
    const struct cli_tune_progress silent = {0};
    struct cli_tuned *tuned; /* the options point to it for as long as they are there */
    enum exit_code code;

    *stopped_by = 0;
    if (!cli_tuned_asked(options))
        return DBG_EXIT_DONE;
    tuned = pto_arena_alloc(&options->arena, sizeof *tuned);
    code = cli_tuned_find(options, 0, &silent, tuned, diags, stopped_by);
    if (code != EXIT_DONE)
        return code == EXIT_LIMIT ? DBG_EXIT_LIMIT : DBG_EXIT_USAGE;
    cli_tuned_text(tuned, text);
    return DBG_EXIT_DONE;
}
