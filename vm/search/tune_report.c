/* What came of a search: as text, for programs, and as options for the next run. */
#include <string.h>

#include "cli/json.h"
#include "search/tune.h"
#include "version.h"

enum { TRIALS_SHOWN = 10, REFUSALS_SHOWN = 5, NUMBER_WIDTH = 10 };

static unsigned width(const struct tune_axis *axis)
{
    size_t length = strlen(axis->name);

    return length > NUMBER_WIDTH ? (unsigned)length : NUMBER_WIDTH;
}

/* All in one unit, to be compared; what is less than a nanosecond is left out, as everywhere. */
static void put_time(uint64_t ps, struct pto_buf *out)
{
    pto_buf_printf(out, "%8llu.%03llu us", (unsigned long long)(ps / 1000000),
                   (unsigned long long)(ps % 1000000 / 1000));
}

static void put_trial(const struct tune *tune, const struct tune_trial *trial,
                      struct pto_buf *out)
{
    uint64_t best = tune->trial[tune->rank[0]].time_ps;

    for (unsigned i = 0; i < tune->axes; i++) {
        const struct tune_axis *axis = &tune->axis[i];

        if (trial->choice)
            pto_buf_printf(out, "  %*lld", width(axis), (long long)axis->value[trial->choice[i]]);
        else
            pto_buf_printf(out, "  %*s", width(axis), "as given");
    }
    put_time(trial->time_ps, out);
    pto_buf_printf(out, "  %.3f\n", (double)trial->time_ps / (double)best);
}

static void put_choice(const struct tune *tune, const unsigned *choice, struct pto_buf *out)
{
    for (unsigned i = 0; i < tune->axes; i++)
        pto_buf_printf(out, "%s%s=%lld", i ? ", " : "", tune->axis[i].name,
                       (long long)tune->axis[i].value[choice[i]]);
}

static void put_refusals(const struct tune *tune, struct pto_buf *out)
{
    unsigned refused = 0;

    for (unsigned i = 1; i < tune->trials; i++) {
        if (tune->trial[i].time_ps || refused++ >= REFUSALS_SHOWN)
            continue;
        pto_buf_printf(out, "cannot run    ");
        put_choice(tune, tune->trial[i].choice, out);
        pto_buf_printf(out, ": %s\n", tune->trial[i].refusal);
    }
    if (refused > REFUSALS_SHOWN)
        pto_buf_printf(out, "cannot run    %u more\n", refused - REFUSALS_SHOWN);
}

void cli_tune_best(const struct tune *tune, struct pto_buf *out)
{
    const struct tune_trial *best = &tune->trial[tune->rank[0]];

    for (unsigned i = 0; i < tune->axes; i++) {
        const char *name = tune->axis[i].name;
        long long value = (long long)tune->axis[i].value[best->choice[i]];

        if (tune->axis[i].kind == TUNE_CORES)
            pto_buf_printf(out, "--cores %lld\n", value);
        else
            pto_buf_printf(out, "%s %s=%lld\n",
                           tune->axis[i].kind == TUNE_CONSTANT ? "-D" : "--set", name, value);
    }
}

static void put_remembered(const struct tune *tune, struct pto_buf *out)
{
    pto_buf_printf(out, "remembered   ");
    for (unsigned i = 0; i < tune->axes; i++)
        pto_buf_printf(out, " --set %s=auto%s%s", tune->axis[i].name,
                       *tune->axis[i].named ? ":" : "", tune->axis[i].named);
    pto_buf_printf(out, "\n");
}

void cli_tune_text(const struct tune *tune, struct pto_buf *out)
{
    const struct tune_trial *given = &tune->trial[0];

    if (!tune->ranked && !tune->stopped_by)
        return;
    pto_buf_printf(out, "tried         %u of %llu combinations%s\n", tune->trials - 1,
                   (unsigned long long)tune->combinations,
                   tune->by_axis ? ", one parameter at a time" : "");
    if (!tune->ranked)
        return;
    for (unsigned i = 0; i < tune->axes; i++)
        pto_buf_printf(out, "  %*s", width(&tune->axis[i]), tune->axis[i].name);
    pto_buf_printf(out, "           time  of best\n");
    for (unsigned i = 0; i < tune->ranked && i < TRIALS_SHOWN; i++)
        put_trial(tune, &tune->trial[tune->rank[i]], out);
    if (tune->ranked > TRIALS_SHOWN)
        pto_buf_printf(out, "  and %u more\n", tune->ranked - TRIALS_SHOWN);
    if (given->time_ps)
        put_trial(tune, given, out);
    put_refusals(tune, out);
    if (tune->found.time_ps)
        cli_tuned_why(&tune->found, out);
    if (tune->remembered)
        put_remembered(tune, out);
}

/* ---- for programs ---- */

static void trial_json(const struct tune *tune, const struct tune_trial *trial, const char *key,
                       struct cli_json *json)
{
    cli_json_open(json, key, '{');
    cli_json_open(json, "values", '[');
    for (unsigned i = 0; trial->choice && i < tune->axes; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", tune->axis[i].name);
        cli_json_int(json, "value", tune->axis[i].value[trial->choice[i]]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    if (trial->time_ps)
        cli_json_uint(json, "time_ps", trial->time_ps);
    else
        cli_json_text(json, "refused", trial->refusal);
    cli_json_close(json, '}');
}

static void causes_json(const char *key, const uint64_t *cause_ps, struct cli_json *json)
{
    cli_json_open(json, key, '{');
    for (unsigned cause = 0; cause < PTO_CAUSES; cause++)
        cli_json_uint(json, pto_cause_name(cause), cause_ps[cause]);
    cli_json_close(json, '}');
}

void cli_tune_json(const struct tune *tune, enum exit_code code, struct pto_buf *out)
{
    struct cli_json json = {.out = out};

    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "pto-tune/1");
    cli_json_text(&json, "tool", "ptovm");
    cli_json_text(&json, "version", pto_version());
    cli_json_int(&json, "exit_code", code);
    cli_json_uint(&json, "combinations", tune->combinations);
    if (tune->trials)
        trial_json(tune, &tune->trial[0], "as_given", &json);
    cli_json_open(&json, "trials", '[');
    for (unsigned i = 1; i < tune->trials; i++)
        trial_json(tune, &tune->trial[i], NULL, &json);
    cli_json_close(&json, ']');
    if (tune->ranked) {
        trial_json(tune, &tune->trial[tune->rank[0]], "best", &json);
        causes_json("best_critical_path_ps", tune->found.best_cause_ps, &json);
    }
    cli_json_close(&json, '}');
}
