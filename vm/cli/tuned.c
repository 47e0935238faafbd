#include "cli/tuned.h"

#include <stdlib.h>
#include <string.h>

#include "cli/faults.h"
#include "cli/share.h"

/* ---- what is asked for ---- */

const char *cli_tuned_values(const struct cli_pair *pair)
{
    if (strncmp(pair->value, "auto", 4) != 0 || (pair->value[4] && pair->value[4] != ':'))
        return NULL;
    return pair->value[4] ? pair->value + 5 : "";
}

bool cli_tuned_asked(const struct cli_options *options)
{
    for (unsigned i = 0; i < options->set.count; i++)
        if (cli_tuned_values(&options->set.item[i]))
            return true;
    return false;
}

void cli_tuned_refuse(const struct cli_options *options, const char *hint,
                      struct pto_diags *diags)
{
    for (unsigned i = 0; i < options->set.count; i++) {
        const struct cli_pair *pair = &options->set.item[i];

        if (cli_tuned_values(pair))
            pto_diag_hint(diags,
                          pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                       "--set %s=%s: no value is searched for here", pair->name,
                                       pair->value),
                          "%s", hint);
    }
}

/* ---- what is told ---- */

enum { SHARE_WIDTH = 10 };

static void put_causes(const char *title, const uint64_t *cause_ps, uint64_t time_ps,
                       struct pto_buf *out)
{
    pto_buf_printf(out, "%s", title);
    for (unsigned cause = 0; cause < PTO_CAUSES; cause++)
        cli_share_text(cause_ps[cause], time_ps, SHARE_WIDTH, out);
    pto_buf_printf(out, "\n");
}

void cli_tuned_why(const struct tune_found *found, struct pto_buf *out)
{
    pto_buf_printf(out, "critical path ");
    for (unsigned cause = 0; cause < PTO_CAUSES; cause++)
        pto_buf_printf(out, "%*s", SHARE_WIDTH, pto_cause_name(cause));
    pto_buf_printf(out, "\n");
    put_causes("  best        ", found->best_cause_ps, found->time_ps, out);
    if (found->given_ps)
        put_causes("  as given    ", found->given_cause_ps, found->given_ps, out);
}

void cli_tuned_text(const struct cli_tuned *tuned, struct pto_buf *out)
{
    const struct tune_found *found = &tuned->found;
    char time[CLI_TIME_BYTES];

    pto_buf_printf(out, "%-14s", "tuned");
    for (unsigned i = 0; i < tuned->values; i++)
        pto_buf_printf(out, "%s%s=%s", i ? ", " : "", tuned->value[i].name,
                       tuned->value[i].value);
    if (!found->time_ps) {
        pto_buf_printf(out, "\n");
        return;
    }
    pto_buf_printf(out, ": the best of %llu runs", (unsigned long long)found->runs);
    if (found->given_ps)
        pto_buf_printf(out, "; as given %s", cli_time_text(found->given_ps, time));
    pto_buf_printf(out, "\n");
    cli_tuned_why(found, out);
}

void cli_tuned_json(const struct cli_tuned *tuned, struct cli_json *json)
{
    const struct tune_found *found = &tuned->found;

    cli_json_open(json, "tuned", '{');
    cli_json_open(json, "values", '[');
    for (unsigned i = 0; i < tuned->values; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", tuned->value[i].name);
        cli_json_int(json, "value", strtoll(tuned->value[i].value, NULL, 10));
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    if (found->time_ps) {
        cli_json_uint(json, "time_ps", found->time_ps);
        if (found->given_ps)
            cli_json_uint(json, "as_given_ps", found->given_ps);
        cli_json_uint(json, "runs", found->runs);
        cli_json_uint(json, "combinations", found->combinations);
    }
    cli_json_close(json, '}');
}
