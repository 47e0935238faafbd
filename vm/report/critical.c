#include "report/critical.h"

#include <stdlib.h>
#include <string.h>

#include "cli/faults.h"
#include "cli/share.h"
#include "place.h"
#include "report/efficiency.h"

enum { UNITS_SHOWN = 8, LINES_SHOWN = 12, WAITS_SHOWN = 16 };

static const char *mnemonic(const struct pto_insn *insn)
{
    return pto_op_info(insn->op)->mnemonic;
}

/* "FILE:LINE MNEMONIC" of an instruction, or "-". */
static void put_place(const struct pto_critical_place *place, struct pto_buf *out)
{
    const struct pto_pos *pos = place->insn ? pto_place(place->module, place->insn->pos) : NULL;

    if (!place->insn)
        pto_buf_printf(out, "-");
    else if (pos)
        pto_buf_printf(out, "%s:%u %s", place->module->file[pos->file], pos->line,
                       mnemonic(place->insn));
    else
        pto_buf_printf(out, "%s", mnemonic(place->insn));
}

/* "rank 0 aiv3.1 V" or "rank 0 to rank 1". */
static void put_unit(const struct pto_vm *vm, const struct pto_critical_step *step,
                     struct pto_buf *out)
{
    struct pto_core_info core;

    if (step->pipe == PTO_CRITICAL_LINK) {
        pto_buf_printf(out, "rank %d to rank %u", step->rank, step->core);
    } else if (step->cause == PTO_CAUSE_LAUNCH) {
        pto_buf_printf(out, "rank %d launch", step->rank);
    } else {
        pto_vm_core(vm, step->rank, step->core, &core);
        pto_buf_printf(out, "rank %d %s %s", step->rank, core.name, pto_queue_name(step->pipe));
    }
}

/* ---- sums ---- */

static int by_name(const void *one, const void *two)
{
    const struct cli_critical_sum *a = one, *b = two;
    int order = strcmp(a->name, b->name);

    return order ? order : a->step < b->step ? -1 : a->step > b->step;
}

static int by_time(const void *one, const void *two)
{
    const struct cli_critical_sum *a = one, *b = two;

    if (a->ps != b->ps)
        return a->ps > b->ps ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

/* Join those of one name; returns how many are left. */
static unsigned join(struct cli_critical_sum *sum, uint32_t count)
{
    unsigned kept = 0;

    if (count)
        qsort(sum, count, sizeof *sum, by_name);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && !strcmp(sum[kept - 1].name, sum[i].name)) {
            sum[kept - 1].ps += sum[i].ps;
            free(sum[i].name);
            continue;
        }
        sum[kept++] = sum[i];
    }
    if (kept)
        qsort(sum, kept, sizeof *sum, by_time);
    return kept;
}

static struct cli_critical_sum sum_of(const struct pto_critical_step *step, struct pto_buf *name)
{
    struct cli_critical_sum sum = {step->end_ps - step->start_ps, NULL, step};

    sum.name = pto_xmalloc(name->size + 1);
    memcpy(sum.name, pto_buf_text(name), name->size + 1);
    name->size = 0;
    return sum;
}

bool cli_critical_begin(struct cli_critical *critical, const struct cli_launch *launch)
{
    const struct pto_critical_result *result =
        launch->critical ? pto_critical_finish(launch->critical) : NULL;
    struct pto_buf name = {0};

    *critical = (struct cli_critical){.result = result, .ideal_ps = launch->ideal_ps};
    if (!result)
        return false;
    critical->unit = pto_xcalloc(result->steps + 1u, sizeof *critical->unit);
    critical->line = pto_xcalloc(result->steps + 1u, sizeof *critical->line);
    for (uint32_t i = 0; i < result->steps; i++) {
        const struct pto_critical_step *step = &result->step[i];

        put_unit(launch->vm, step, &name);
        critical->unit[i] = sum_of(step, &name);
        put_place(&step->place, &name);
        critical->line[i] = sum_of(step, &name);
    }
    critical->units = join(critical->unit, result->steps);
    critical->lines = join(critical->line, result->steps);
    pto_buf_free(&name);
    return true;
}

static void free_sums(struct cli_critical_sum *sum, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        free(sum[i].name);
    free(sum);
}

void cli_critical_free(struct cli_critical *critical)
{
    free_sums(critical->unit, critical->units);
    free_sums(critical->line, critical->lines);
}

/* ---- text ---- */

static void share(uint64_t ps, uint64_t whole, struct pto_buf *out)
{
    char time[CLI_TIME_BYTES];

    cli_share_text(ps, whole, 8, out);
    pto_buf_printf(out, "  %12s", cli_time_text(ps, time));
}

static void sums_text(const char *title, const struct cli_critical_sum *sum, unsigned count,
                      unsigned most, uint64_t whole, struct pto_buf *out)
{
    for (unsigned i = 0; i < count && i < most; i++) {
        pto_buf_printf(out, "  %-12s", i == 0 ? title : "");
        share(sum[i].ps, whole, out);
        pto_buf_printf(out, "  %s\n", sum[i].name);
    }
    if (count > most)
        pto_buf_printf(out, "  %-12s  and %u more\n", "", count - most);
}

static void causes_text(const struct pto_critical_result *result, struct pto_buf *out)
{
    bool any = false;

    for (unsigned cause = 0; cause < PTO_CAUSES; cause++) {
        if (!result->cause_ps[cause])
            continue;
        pto_buf_printf(out, "  %-12s", any ? "" : "by cause");
        share(result->cause_ps[cause], result->time_ps, out);
        pto_buf_printf(out, "  %s\n", pto_cause_name(cause));
        any = true;
    }
}

static void wait_text(const struct pto_critical_wait *wait, uint64_t whole, struct pto_buf *out)
{
    char time[CLI_TIME_BYTES];

    put_place(&wait->place, out);
    pto_buf_printf(out, ": held up %llu of %llu times", (unsigned long long)wait->held_up,
                   (unsigned long long)wait->count);
    if (wait->held_up)
        pto_buf_printf(out, ", %s in all", cli_time_text(wait->waited_ps, time));
    pto_buf_printf(out, "; ");
    if (wait->gain_ps) {
        pto_buf_printf(out, "costs about %s, ", cli_time_text(wait->gain_ps, time));
        cli_share_text(wait->gain_ps, whole, 1, out);
        pto_buf_printf(out, " of the run\n");
    } else if (!wait->has_slack) {
        pto_buf_printf(out, "costs 0, nothing hangs on it\n");
    } else if (wait->slack_ps) {
        pto_buf_printf(out, "costs 0, %s of slack\n", cli_time_text(wait->slack_ps, time));
    } else {
        pto_buf_printf(out, "costs 0, no slack\n");
    }
}

void cli_critical_text(const struct cli_critical *critical, struct pto_buf *out)
{
    const struct pto_critical_result *result = critical->result;
    char time[CLI_TIME_BYTES];

    pto_buf_printf(out, "%-14s%s in %u steps\n", "critical path",
                   cli_time_text(result->time_ps, time), result->steps);
    cli_efficiency_text(result, critical->ideal_ps, out);
    causes_text(result, out);
    sums_text("by unit", critical->unit, critical->units, UNITS_SHOWN, result->time_ps, out);
    sums_text("by line", critical->line, critical->lines, LINES_SHOWN, result->time_ps, out);
    for (unsigned i = 0; i < result->waits && i < WAITS_SHOWN; i++) {
        pto_buf_printf(out, "  %-12s", i == 0 ? "waits" : "");
        wait_text(&result->wait[i], result->time_ps, out);
    }
    if (result->waits > WAITS_SHOWN)
        pto_buf_printf(out, "  %-12sand %u more\n", "", result->waits - WAITS_SHOWN);
}

/* ---- JSON ---- */

static void place_json(const struct pto_critical_place *place, struct cli_json *json)
{
    const struct pto_pos *pos = place->insn ? pto_place(place->module, place->insn->pos) : NULL;

    if (!place->insn)
        return;
    if (pos) {
        cli_json_text(json, "file", place->module->file[pos->file]);
        cli_json_uint(json, "line", pos->line);
    }
    cli_json_text(json, "mnemonic", mnemonic(place->insn));
}

static void sums_json(const char *key, const struct cli_critical_sum *sum, unsigned count,
                      struct cli_json *json)
{
    cli_json_open(json, key, '[');
    for (unsigned i = 0; i < count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", sum[i].name);
        cli_json_uint(json, "time_ps", sum[i].ps);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void wait_json(const struct pto_critical_wait *wait, struct cli_json *json)
{
    cli_json_open(json, NULL, '{');
    place_json(&wait->place, json);
    cli_json_uint(json, "count", wait->count);
    cli_json_uint(json, "held_up", wait->held_up);
    cli_json_uint(json, "waited_ps", wait->waited_ps);
    cli_json_uint(json, "gain_ps", wait->gain_ps);
    if (wait->has_slack)
        cli_json_uint(json, "slack_ps", wait->slack_ps);
    cli_json_close(json, '}');
}

void cli_critical_json(const struct cli_critical *critical, const struct pto_vm *vm,
                       struct cli_json *json)
{
    const struct pto_critical_result *result = critical->result;
    struct pto_buf unit = {0};

    cli_json_open(json, "critical_path", '{');
    cli_json_uint(json, "time_ps", result->time_ps);
    cli_json_open(json, "causes", '{');
    for (unsigned cause = 0; cause < PTO_CAUSES; cause++)
        cli_json_uint(json, pto_cause_name(cause), result->cause_ps[cause]);
    cli_json_close(json, '}');
    cli_efficiency_json(result, critical->ideal_ps, json);
    sums_json("units", critical->unit, critical->units, json);
    sums_json("lines", critical->line, critical->lines, json);
    cli_json_open(json, "waits", '[');
    for (unsigned i = 0; i < result->waits; i++)
        wait_json(&result->wait[i], json);
    cli_json_close(json, ']');
    cli_json_open(json, "steps", '[');
    for (uint32_t i = 0; i < result->steps; i++) {
        unit.size = 0;
        put_unit(vm, &result->step[i], &unit);
        cli_json_open(json, NULL, '{');
        cli_json_uint(json, "start_ps", result->step[i].start_ps);
        cli_json_uint(json, "end_ps", result->step[i].end_ps);
        cli_json_text(json, "cause", pto_cause_name(result->step[i].cause));
        cli_json_text(json, "unit", pto_buf_text(&unit));
        place_json(&result->step[i].place, json);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    pto_buf_free(&unit);
}
