#include "twin/twin.h"

#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "cli/faults.h"
#include "cli/hash.h"
#include "cli/trace_map.h"
#include "json_quote.h"
#include "ops.h"
#include "twin/detail.h"
#include "version.h"

/* What a unit of A wrote, and how far B has done the same. */
struct course {
    struct twin_unit unit;
    struct twin_write *write;
    uint64_t count, capacity;
    uint64_t same;
    bool differs;
};

/* The first difference: a write that only one of the two has, or has otherwise. */
struct difference {
    bool any;
    struct twin_unit unit;
    uint64_t index, time_ps, event;
    bool has[2];
    uint64_t entry[2];
};

/* What a run leaves in an object of a rank. */
struct result {
    const char *name;
    int rank;
    uint64_t hash, size;
};

struct twins {
    struct twin_side side[2];
    struct course *course;
    unsigned courses, course_capacity;
    struct trace_map numbers; /* of courses, from 1 on, by unit */
    uint64_t writes[2];
    struct difference first;
    struct result *result[2];
    unsigned results[2], result_capacity[2];
};

/* ---- units ---- */

static uint64_t key_of(const struct twin_unit *unit)
{
    enum { RANK_BITS = 14, CORE_BITS = 16, QUEUE_BITS = 5 };
    uint64_t key = (uint64_t)(unit->rank + 1);

    key = key << CORE_BITS | unit->core;
    key = key << QUEUE_BITS | unit->queue;
    return key << RANK_BITS | (uint64_t)(unit->to + 1);
}

static struct course *course_of(struct twins *t, const struct twin_unit *unit)
{
    uint32_t *number = trace_map_at(&t->numbers, key_of(unit));

    if (*number == 0) {
        PTO_GROW(t->course, t->courses, t->course_capacity);
        t->course[t->courses++] = (struct course){.unit = *unit};
        *number = t->courses;
    }
    return &t->course[*number - 1];
}

/* ---- comparing ---- */

/* In the order of simulated time; where A has no such write, B's counts. */
static void propose(struct twins *t, struct course *c, const struct twin_write *a,
                    const struct twin_write *b)
{
    const struct twin_write *w = a ? a : b;
    struct difference d = {
        .any = true,
        .unit = c->unit,
        .index = c->same,
        .time_ps = w->time_ps,
        .event = w->event,
        .has = {a != NULL, b != NULL},
        .entry = {a ? a->entry : 0, b ? b->entry : 0},
    };

    c->differs = true;
    if (!t->first.any || d.time_ps < t->first.time_ps ||
        (d.time_ps == t->first.time_ps && d.event < t->first.event))
        t->first = d;
}

static const char *mnemonic_of(const struct twin_write *w)
{
    return w->insn ? pto_op_info(w->insn->op)->mnemonic : "";
}

static bool is_same(const struct twin_write *a, const struct twin_write *b)
{
    if (a->bytes != b->bytes || !a->object != !b->object || a->free_order != b->free_order ||
        strcmp(mnemonic_of(a), mnemonic_of(b)) != 0)
        return false;
    if (a->object ? strcmp(a->object, b->object) != 0 || a->offset != b->offset
                  : a->space != b->space)
        return false;
    return a->free_order || a->hash == b->hash;
}

static void take_a(void *context, const struct twin_unit *unit, const struct twin_write *write,
                   const struct twin_record *record)
{
    struct twins *t = context;
    struct course *c = course_of(t, unit);

    (void)record;
    PTO_GROW(c->write, c->count, c->capacity);
    c->write[c->count++] = *write;
    t->writes[0]++;
}

static void take_b(void *context, const struct twin_unit *unit, const struct twin_write *write,
                   const struct twin_record *record)
{
    struct twins *t = context;
    struct course *c = course_of(t, unit);
    const struct twin_write *a = c->same < c->count ? &c->write[c->same] : NULL;

    (void)record;
    t->writes[1]++;
    if (c->differs)
        return;
    if (a && is_same(a, write))
        c->same++;
    else
        propose(t, c, a, write);
}

/* What A alone has written. */
static void find_missing(struct twins *t)
{
    for (unsigned i = 0; i < t->courses; i++) {
        struct course *c = &t->course[i];

        if (!c->differs && c->same < c->count)
            propose(t, c, &c->write[c->same], NULL);
    }
}

/* ---- what they leave ---- */

static uint64_t hash_object(const struct pto_object_info *info)
{
    uint64_t hash = CLI_HASH_OF_NOTHING, count = cli_object_count(info);
    struct cli_cursor cursor;

    cli_cursor_start(&cursor, info);
    for (uint64_t i = 0; i < count && info->data; i += cursor.run, cli_cursor_next(&cursor))
        hash = cli_hash(hash, cursor.at, cursor.run * cursor.size);
    return hash;
}

static void keep_results(struct twins *t, unsigned side)
{
    struct pto_vm *vm = t->side[side].launch.vm;
    struct pto_object_info info;

    for (int rank = 0; rank < pto_vm_ranks(vm); rank++)
        for (unsigned i = 0; pto_vm_object(vm, rank, i, &info); i++) {
            if (!cli_is_result(info.kind))
                continue;
            PTO_GROW(t->result[side], t->results[side], t->result_capacity[side]);
            t->result[side][t->results[side]++] =
                (struct result){info.name, rank, hash_object(&info), info.size};
        }
}

/* Only what both have can differ. */
static bool result_differs(const struct twins *t, const struct result *a)
{
    for (unsigned i = 0; i < t->results[1]; i++) {
        const struct result *b = &t->result[1][i];

        if (a->rank == b->rank && !strcmp(a->name, b->name))
            return a->size != b->size || a->hash != b->hash;
    }
    return false;
}

/* ---- telling ---- */

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

static void say_results(const struct twins *t, struct pto_buf *out)
{
    unsigned count = 0;

    for (unsigned i = 0; i < t->results[0]; i++)
        if (result_differs(t, &t->result[0][i]))
            pto_buf_printf(out, "%s%s@%d", count++ > 0 ? ", " : "results that differ at the end: ",
                           t->result[0][i].name, t->result[0][i].rank);
    if (count > 0)
        pto_buf_printf(out, "\n");
}

static bool ends_differ(struct twins *t)
{
    return strcmp(pto_buf_text(&t->side[0].end), pto_buf_text(&t->side[1].end)) != 0;
}

static bool any_result_differs(const struct twins *t)
{
    for (unsigned i = 0; i < t->results[0]; i++)
        if (result_differs(t, &t->result[0][i]))
            return true;
    return false;
}

static void say_all(struct twins *t, struct twin_detail d[2], struct pto_buf *out)
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
    pto_buf_printf(out, "}");
}

static void put_all(struct twins *t, struct twin_detail d[2], bool same, struct pto_buf *out)
{
    unsigned count = 0;

    pto_buf_printf(out, "{\"schema\":\"pto-state-diff/1\",\"tool\":\"ptovm\",");
    put_text(out, "version", pto_version());
    pto_buf_printf(out, ",\"same\":%s", same ? "true" : "false");
    put_side(t, 0, out);
    put_side(t, 1, out);
    put_first(t, d, out);
    pto_buf_printf(out, ",\"results\":[");
    for (unsigned i = 0; i < t->results[0]; i++) {
        if (!result_differs(t, &t->result[0][i]))
            continue;
        pto_buf_printf(out, "%s{", count++ > 0 ? "," : "");
        put_text(out, "object", t->result[0][i].name);
        pto_buf_printf(out, ",\"rank\":%d}", t->result[0][i].rank);
    }
    pto_buf_printf(out, "]}\n");
}

/* ---- the whole ---- */

static enum pto_status run_both(struct twins *t, struct pto_diags *diags, int *stopped_by)
{
    for (unsigned side = 0; side < 2; side++) {
        struct twin_record record = {.take = side ? take_b : take_a, .context = t};

        PTO_TRY(twin_side_run(&t->side[side], &record, diags, stopped_by));
        if (*stopped_by)
            return PTO_OK;
        keep_results(t, side);
        if (side == 0) { /* the second one needs the room */
            pto_vm_free(t->side[0].launch.vm);
            t->side[0].launch.vm = NULL;
        }
    }
    find_missing(t);
    return PTO_OK;
}

/* Both once more, up to the write that is the first to differ. */
static enum pto_status look_closer(struct twins *t, struct twin_detail d[2],
                                   struct pto_diags *diags, int *stopped_by)
{
    for (unsigned side = 0; side < 2 && t->first.any; side++) {
        d[side].unit = t->first.unit;
        d[side].index = t->first.index;
        d[side].entry = t->first.entry[side];
        d[side].side = &t->side[side];
        if (t->first.has[side])
            PTO_TRY(twin_detail_take(&d[side], diags, stopped_by));
        if (*stopped_by)
            return PTO_OK;
    }
    return PTO_OK;
}

static void free_twins(struct twins *t)
{
    for (unsigned i = 0; i < t->courses; i++)
        free(t->course[i].write);
    free(t->course);
    trace_map_free(&t->numbers);
    for (unsigned side = 0; side < 2; side++) {
        twin_side_free(&t->side[side]);
        free(t->result[side]);
    }
}

enum exit_code twin_compare(const char *const path[2], const struct cli_options *options,
                            struct pto_diags *diags, struct pto_buf *text, struct pto_buf *json,
                            int *stopped_by)
{
    struct twin_detail d[2] = {0};
    struct twins t = {0};
    enum pto_status status = twin_side_open(&t.side[0], path[0], options, diags);
    bool same = true;

    if (status == PTO_OK)
        status = twin_side_open(&t.side[1], path[1], options, diags);
    if (status == PTO_OK)
        status = run_both(&t, diags, stopped_by);
    if (status == PTO_OK && !*stopped_by)
        status = look_closer(&t, d, diags, stopped_by);
    if (status == PTO_OK && !*stopped_by) {
        same = !t.first.any && !any_result_differs(&t) && !ends_differ(&t);
        say_all(&t, d, text);
        put_all(&t, d, same, json);
    }
    twin_detail_free(&d[0]);
    twin_detail_free(&d[1]);
    free_twins(&t);
    if (*stopped_by)
        return cli_exit_stopped(*stopped_by);
    if (status != PTO_OK || diags->errors > 0)
        return cli_exit_of(status == PTO_OK ? PTO_ECONFIG : status);
    return same ? EXIT_DONE : EXIT_PROGRAM;
}
