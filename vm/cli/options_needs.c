#include "cli/options_needs.h"

#include <string.h>

/* All whose names begin so need the other one, which takes something. */
static const struct need {
    const char *begins, *other, *argument;
} NEED[] = {
    {"trace-", "trace", " FILE"},
    {"fix-runs", "fix", ""},
    {"every", "checkpoint", " FILE"},
};

static const struct need *need_of(const struct tool_option *option)
{
    for (unsigned i = 0; i < sizeof NEED / sizeof *NEED; i++)
        if (!strncmp(option->name, NEED[i].begins, strlen(NEED[i].begins)))
            return &NEED[i];
    return NULL;
}

static bool is_given(const struct tool_table *table, const bool *given, const char *name)
{
    for (unsigned i = 0; i < table->rows; i++)
        if (!table->row[i].section && given[table->row[i].id] && !strcmp(table->row[i].name, name))
            return true;
    return false;
}

enum pto_status cli_options_needs(const struct tool_table *table, const bool *given,
                                  struct pto_diags *diags)
{
    for (unsigned i = 0; i < table->rows; i++) {
        const struct tool_option *row = &table->row[i];
        const struct need *need = row->section || !given[row->id] ? NULL : need_of(row);
        struct pto_diag *diag;

        if (!need || is_given(table, given, need->other))
            continue;
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                            "option '--%s' says nothing without '--%s'", row->name, need->other);
        pto_diag_hint(diags, diag, "add --%s%s", need->other, need->argument);
    }
    return diags->errors == 0 ? PTO_OK : PTO_ECONFIG;
}
