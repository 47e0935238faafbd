#include "twin/tell.h"

#include <string.h>

#include "cli/faults.h"
#include "dtype.h"
#include "json_quote.h"
#include "version.h"

static const char *ordinal(uint64_t number)
{
    static const char *const ending[] = {"th", "st", "nd", "rd"};

    return number % 10 > 3 || number / 10 % 10 == 1 ? "th" : ending[number % 10];
}

static void say_unit(const struct twins *t, struct twin_detail *d, struct pto_buf *out)
{
    const struct twin_unit *unit = &t->first.unit;
    unsigned long long number = (unsigned long long)t->first.index + 1;

    pto_buf_printf(out, "the %llu%s write of rank %d, %s, %s", number, ordinal(number), unit->rank,
                   pto_buf_text(&d->core), pto_queue_name(unit->queue));
    if (unit->to >= 0)
        pto_buf_printf(out, " that lands on rank %d", unit->to);
}

static void say_side(struct twin_detail *d, char letter, struct pto_buf *out)
{
    char time[CLI_TIME_BYTES];

    pto_buf_printf(out, "  %c  ", letter);
    if (!d->found) {
        pto_buf_printf(out, "nothing: it writes no more\n");
        return;
    }
    pto_buf_printf(out, "%s  (%s), event %llu, at %s\n", pto_buf_text(&d->text),
                   pto_buf_text(&d->where), (unsigned long long)d->write.event,
                   cli_time_text(d->write.time_ps, time));
}

/* Number of the first element that is not the same in both; UINT64_MAX: none. */
static uint64_t first_element(const struct twin_detail d[2])
{
    uint64_t size = pto_dtype_size((enum pto_dtype)d[0].dtype), at = 0;

    if (!d[0].found || !d[1].found || d[0].dtype != d[1].dtype)
        return UINT64_MAX;
    while (at < d[0].bytes.size && at < d[1].bytes.size &&
           d[0].bytes.data[at] == d[1].bytes.data[at])
        at++;
    return at < d[0].bytes.size && at < d[1].bytes.size ? at / size : UINT64_MAX;
}

static void say_element(const struct twin_detail d[2], struct pto_buf *out)
{
    uint64_t element = first_element(d);

    if (element != UINT64_MAX) {
        pto_buf_printf(out, "  ");
        twin_detail_place(&d[0], element, out);
        pto_buf_printf(out, ": ");
        twin_detail_value(&d[0], element, out);
        pto_buf_printf(out, " in A, ");
        twin_detail_value(&d[1], element, out);
        pto_buf_printf(out, " in B\n");
    } else if (d[0].found && d[1].found) {
        for (unsigned side = 0; side < 2; side++) {
            pto_buf_printf(out, "%s%llu bytes from ", side ? " in A, " : "  ",
                           (unsigned long long)d[side].bytes.size);
            twin_detail_place(&d[side], 0, out);
        }
        pto_buf_printf(out, " in B\n");
    }
}

/* Registers of S that both programs have, where they were not the same when the two were issued. */
static void say_registers(const struct twin_detail d[2], struct pto_buf *out)
{
    unsigned count = 0;
    uint64_t other;

    for (unsigned i = 0; i < d[0].registers; i++) {
        if (!twin_detail_other(d, i, &other))
            continue;
        pto_buf_printf(out, "%s%%%s ", count++ > 0 ? "; " : "  registers: ", d[0].reg[i].name);
        twin_detail_register(&d[0].reg[i], d[0].value[i], out);
        pto_buf_printf(out, " in A, ");
        twin_detail_register(&d[0].reg[i], other, out);
        pto_buf_printf(out, " in B");
    }
    if (count > 0)
        pto_buf_printf(out, "\n");
}

static void say_results(const struct twins *t, struct pto_buf *out)
{
    unsigned count = 0;

    for (unsigned i = 0; i < t->results[0]; i++)
        if (twin_result_differs(t, &t->result[0][i]))
            pto_buf_printf(out, "%s%s@%d", count++ > 0 ? ", " : "results that differ at the end: ",
                           t->result[0][i].name, t->result[0][i].rank);
    if (count > 0)
        pto_buf_printf(out, "\n");
}

void twin_say(struct twins *t, struct twin_detail d[2], struct pto_buf *out)
{
    char time[CLI_TIME_BYTES];

    for (unsigned side = 0; side < 2; side++)
        pto_buf_printf(out, "%c = %s: %llu writes up to %s, %s\n", "AB"[side],
                       t->side[side].path, (unsigned long long)t->writes[side],
                       cli_time_text(t->side[side].end_ps, time),
                       pto_buf_text(&t->side[side].end));
    if (t->first.any) {
        pto_buf_printf(out, "the first difference is ");
        say_unit(t, d[0].found ? &d[0] : &d[1], out);
        pto_buf_printf(out, ":\n");
        say_side(&d[0], 'A', out);
        say_side(&d[1], 'B', out);
        say_element(d, out);
        say_registers(d, out);
    } else {
        pto_buf_printf(out, "all writes are the same\n");
    }
    say_results(t, out);
}

/* ---- the same for programs ---- */

static void put_text(struct pto_buf *out, const char *name, const char *value)
{
    pto_buf_printf(out, "\"%s\":", name);
    pto_json_quote(out, value);
}

static void put_side(struct twins *t, unsigned side, struct pto_buf *out)
{
    pto_buf_printf(out, ",\"%s\":{", side ? "b" : "a");
    put_text(out, "path", t->side[side].path);
    pto_buf_printf(out, ",");
    put_text(out, "end", pto_buf_text(&t->side[side].end));
    pto_buf_printf(out, ",\"end_ps\":%llu,\"writes\":%llu}",
                   (unsigned long long)t->side[side].end_ps,
                   (unsigned long long)t->writes[side]);
}

static void put_write(struct twin_detail *d, uint64_t element, struct pto_buf *out)
{
    struct pto_buf value = {0}, place = {0};

    if (!d->found) {
        pto_buf_printf(out, "null");
        return;
    }
    pto_buf_printf(out, "{");
    put_text(out, "instruction", pto_buf_text(&d->text));
    pto_buf_printf(out, ",");
    put_text(out, "place", pto_buf_text(&d->where));
    pto_buf_printf(out, ",\"event\":%llu,\"time_ps\":%llu,\"bytes\":%zu,",
                   (unsigned long long)d->write.event, (unsigned long long)d->write.time_ps,
                   d->bytes.size);
    twin_detail_place(d, element == UINT64_MAX ? 0 : element, &place);
    put_text(out, "element", pto_buf_text(&place));
    if (element != UINT64_MAX) {
        twin_detail_value(d, element, &value);
        pto_buf_printf(out, ",");
        put_text(out, "value", pto_buf_text(&value));
    }
    pto_buf_printf(out, "}");
    pto_buf_free(&value);
    pto_buf_free(&place);
}

static void put_registers(const struct twin_detail d[2], struct pto_buf *out)
{
    unsigned count = 0;
    uint64_t other;

    pto_buf_printf(out, ",\"registers\":[");
    for (unsigned i = 0; i < d[0].registers; i++) {
        struct pto_buf value[2] = {{0}, {0}};

        if (!twin_detail_other(d, i, &other))
            continue;
        twin_detail_register(&d[0].reg[i], d[0].value[i], &value[0]);
        twin_detail_register(&d[0].reg[i], other, &value[1]);
        pto_buf_printf(out, "%s{", count++ > 0 ? "," : "");
        put_text(out, "name", d[0].reg[i].name);
        for (unsigned side = 0; side < 2; side++) {
            pto_buf_printf(out, ",");
            put_text(out, side ? "b" : "a", pto_buf_text(&value[side]));
            pto_buf_free(&value[side]);
        }
        pto_buf_printf(out, "}");
    }
    pto_buf_printf(out, "]");
}

static void put_first(const struct twins *t, struct twin_detail d[2], struct pto_buf *out)
{
    const struct twin_unit *unit = &t->first.unit;
    uint64_t element = t->first.any ? first_element(d) : UINT64_MAX;

    pto_buf_printf(out, ",\"first_difference\":");
    if (!t->first.any) {
        pto_buf_printf(out, "null");
        return;
    }
    pto_buf_printf(out, "{\"rank\":%d,", unit->rank);
    put_text(out, "core", pto_buf_text(&d[d[0].found ? 0 : 1].core));
    pto_buf_printf(out, ",");
    put_text(out, "pipe", pto_queue_name(unit->queue));
    if (unit->to >= 0)
        pto_buf_printf(out, ",\"lands_on\":%d", unit->to);
    pto_buf_printf(out, ",\"write\":%llu,\"a\":", (unsigned long long)t->first.index + 1);
    put_write(&d[0], element, out);
    pto_buf_printf(out, ",\"b\":");
    put_write(&d[1], element, out);
    put_registers(d, out);
    pto_buf_printf(out, "}");
}

/* Values that were searched for; a core file's are its run's. */
static void put_tuned(struct twins *t, struct pto_buf *out)
{
    const struct twin_side *kernel = &t->side[t->side[0].is_core];
    struct cli_json json = {.out = out, .depth = 1}; /* a member of what is open */

    if (!kernel->is_core && kernel->options.tuned)
        cli_tuned_json(kernel->options.tuned, &json);
}

void twin_put(struct twins *t, struct twin_detail d[2], bool same, struct pto_buf *out)
{
    unsigned count = 0;

    pto_buf_printf(out, "{\"schema\":\"pto-state-diff/1\",\"tool\":\"ptovm\",");
    put_text(out, "version", pto_version());
    pto_buf_printf(out, ",\"same\":%s", same ? "true" : "false");
    put_tuned(t, out);
    put_side(t, 0, out);
    put_side(t, 1, out);
    put_first(t, d, out);
    pto_buf_printf(out, ",\"results\":[");
    for (unsigned i = 0; i < t->results[0]; i++) {
        if (!twin_result_differs(t, &t->result[0][i]))
            continue;
        pto_buf_printf(out, "%s{", count++ > 0 ? "," : "");
        put_text(out, "object", t->result[0][i].name);
        pto_buf_printf(out, ",\"rank\":%d}", t->result[0][i].rank);
    }
    pto_buf_printf(out, "]}\n");
}
