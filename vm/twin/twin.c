#include "twin/twin.h"

#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "cli/faults.h"
#include "data/hash.h"
#include "ops.h"
#include "twin/tell.h"

/* What a unit of A wrote, a sum for each write, and how far B has done the same. */
struct twin_course {
    struct twin_unit unit;
    uint64_t *sum;
    uint64_t count, capacity;
    uint64_t same;
    struct twin_difference first; /* of this unit; time and event are of A where A has the write */
    uint64_t seen;                /* writes of A, once more */
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

static struct twin_course *course_of(struct twins *t, const struct twin_unit *unit)
{
    uint32_t *number = trace_map_at(&t->numbers, key_of(unit));

    if (*number == 0) {
        PTO_GROW(t->course, t->courses, t->course_capacity);
        t->course[t->courses++] = (struct twin_course){.unit = *unit};
        *number = t->courses;
    }
    return &t->course[*number - 1];
}

/* ---- comparing ---- */

/* Of all that has to be the same in both: the instruction, the place, the bytes.  Addresses on chip
 * are left out, and what depends on who came first. */
static uint64_t sum_of(const struct twin_write *w)
{
    const char *name = w->insn ? pto_op_info(w->insn->op)->mnemonic : "";
    const uint64_t word[] = {w->bytes, w->free_order, w->object ? w->offset : w->space,
                             w->free_order ? 0 : w->hash};
    uint64_t sum = cli_hash(CLI_HASH_OF_NOTHING, word, sizeof word);

    sum = cli_hash(sum, name, strlen(name) + 1);
    return w->object ? cli_hash(sum, w->object, strlen(w->object)) : sum;
}

/* The write of a side that is the first of its unit to differ. */
static void note_difference(struct twin_course *c, unsigned side, const struct twin_write *w)
{
    struct twin_difference *d = &c->first;

    d->has[side] = true;
    d->entry[side] = w->entry;
    d->time_ps = w->time_ps;
    d->event = w->event;
}

static void differs(struct twin_course *c)
{
    c->first.any = true;
    c->first.unit = c->unit;
    c->first.index = c->same;
    c->first.has[0] = c->same < c->count;
}

static void take_a(void *context, const struct twin_unit *unit, const struct twin_write *write,
                   const struct twin_record *record)
{
    struct twins *t = context;
    struct twin_course *c = course_of(t, unit);

    (void)record;
    PTO_GROW(c->sum, c->count, c->capacity);
    c->sum[c->count++] = sum_of(write);
    t->writes[0]++;
}

static void take_b(void *context, const struct twin_unit *unit, const struct twin_write *write,
                   const struct twin_record *record)
{
    struct twins *t = context;
    struct twin_course *c = course_of(t, unit);

    (void)record;
    t->writes[1]++;
    if (c->first.any)
        return;
    if (c->same < c->count && c->sum[c->same] == sum_of(write)) {
        c->same++;
        return;
    }
    differs(c);
    note_difference(c, 1, write);
}

/* A once more: when were the writes that differ? */
static void take_times(void *context, const struct twin_unit *unit, const struct twin_write *write,
                       const struct twin_record *record)
{
    struct twins *t = context;
    struct twin_course *c = course_of(t, unit);

    if (!c->first.has[0] || c->seen++ != c->first.index)
        return;
    note_difference(c, 0, write);
    if (--t->untimed == 0)
        pto_vm_pause(record->vm);
}

/* What A alone has written differs, too. */
static void find_missing(struct twins *t)
{
    for (unsigned i = 0; i < t->courses; i++) {
        struct twin_course *c = &t->course[i];

        if (!c->first.any && c->same < c->count)
            differs(c);
        t->untimed += c->first.has[0];
    }
}

/* In the order of simulated time; where A has no such write, B's counts. */
static void find_first(struct twins *t)
{
    for (unsigned i = 0; i < t->courses; i++) {
        const struct twin_difference *d = &t->course[i].first;

        if (d->any && (!t->first.any || d->time_ps < t->first.time_ps ||
                       (d->time_ps == t->first.time_ps && d->event < t->first.event)))
            t->first = *d;
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
                (struct twin_result){info.name, rank, hash_object(&info), info.size};
        }
}

bool twin_result_differs(const struct twins *t, const struct twin_result *a)
{
    for (unsigned i = 0; i < t->results[1]; i++) {
        const struct twin_result *b = &t->result[1][i];

        if (a->rank == b->rank && !strcmp(a->name, b->name))
            return a->size != b->size || a->hash != b->hash;
    }
    return false;
}

/* ---- the whole ---- */

static bool ends_differ(struct twins *t)
{
    return strcmp(pto_buf_text(&t->side[0].end), pto_buf_text(&t->side[1].end)) != 0;
}

static bool any_result_differs(const struct twins *t)
{
    for (unsigned i = 0; i < t->results[0]; i++)
        if (twin_result_differs(t, &t->result[0][i]))
            return true;
    return false;
}

static enum pto_status run_both(struct twins *t, struct pto_diags *diags, int *stopped_by)
{
    for (unsigned side = 0; side < 2; side++) {
        struct twin_record record = {.take = side ? take_b : take_a, .context = t};

        PTO_TRY(twin_side_run(&t->side[side], &record, diags, stopped_by));
        if (*stopped_by)
            return PTO_OK;
        keep_results(t, side);
        pto_vm_free(t->side[side].launch.vm); /* what comes needs the room */
        t->side[side].launch.vm = NULL;
    }
    find_missing(t);
    if (t->untimed > 0) {
        struct twin_record record = {.take = take_times, .context = t};

        PTO_TRY(twin_side_run(&t->side[0], &record, diags, stopped_by));
    }
    find_first(t);
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
        free(t->course[i].sum);
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
        twin_say(&t, d, text);
        twin_put(&t, d, same, json);
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
