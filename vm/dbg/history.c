#include "dbg/history.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/change.h"
#include "dbg/issue.h"

enum {
    NEAR = 4 /* part of the interval: before a place that somebody will want to be at again */
};

struct dbg_moment {
    uint64_t events, latest_ps;
    struct pto_snapshot *machine;
    struct dbg_core *cores;
    struct dbg_record *history;
    uint64_t bytes; /* beside the machine's */
};

static unsigned core_count(const struct dbg *dbg)
{
    return (unsigned)pto_vm_ranks(dbg->launch.vm) * pto_vm_cores(dbg->launch.vm);
}

/* ---- copies of what the debugger knows ---- */

static struct dbg_setter *copy_setters(const struct dbg_setter *from, uint64_t *bytes)
{
    struct dbg_setter *to;

    if (!from)
        return NULL;
    to = pto_xmalloc(DBG_SETTERS * sizeof *to);
    memcpy(to, from, DBG_SETTERS * sizeof *to);
    for (unsigned i = 0; i < DBG_SETTERS; i++)
        issue_share(to[i].issue);
    *bytes += DBG_SETTERS * sizeof *to;
    return to;
}

static struct dbg_core *copy_cores(const struct dbg *dbg, const struct dbg_core *from,
                                   uint64_t *bytes)
{
    struct dbg_core *to = pto_xcalloc(core_count(dbg), sizeof *to);

    *bytes += core_count(dbg) * sizeof *to;
    for (unsigned i = 0; i < core_count(dbg); i++) {
        to[i] = from[i];
        to[i].setter = copy_setters(from[i].setter, bytes);
        for (unsigned q = 0; q < PTO_QUEUE_COUNT; q++)
            to[i].issue[q] = issue_copy_ring(dbg, from[i].issue[q], bytes);
    }
    return to;
}

static void free_cores(const struct dbg *dbg, struct dbg_core *cores)
{
    for (unsigned i = 0; cores && i < core_count(dbg); i++)
        dbg_forget(dbg, &cores[i]);
    free(cores);
}

static struct dbg_record *copy_records(const struct dbg_record *from)
{
    struct dbg_record *to = pto_xmalloc(DBG_HISTORY * sizeof *to);

    memcpy(to, from, DBG_HISTORY * sizeof *to);
    for (unsigned i = 0; i < DBG_HISTORY; i++)
        issue_share(to[i].issue);
    return to;
}

static void free_records(struct dbg_record *records)
{
    for (unsigned i = 0; records && i < DBG_HISTORY; i++)
        issue_drop(records[i].issue);
    free(records);
}

/* ---- the list of moments ---- */

static void drop(struct dbg *dbg, unsigned index)
{
    struct dbg_moment *moment = &dbg->moment[index];

    dbg->history_bytes -= moment->bytes + pto_snapshot_free(moment->machine);
    free_cores(dbg, moment->cores);
    free_records(moment->history);
    memmove(moment, moment + 1, (dbg->moments - index - 1) * sizeof *moment);
    dbg->moments--;
}

void history_thin(struct dbg *dbg)
{
    while (dbg->history_bytes > dbg->history_limit && dbg->moments > 1) {
        for (unsigned i = dbg->moments - 1; i > 0; i -= i > 1 ? 2 : 1)
            drop(dbg, i);
        dbg->interval *= 2;
    }
}

/* Index behind the last moment of at most so many events. */
static unsigned behind(const struct dbg *dbg, uint64_t events)
{
    unsigned i = dbg->moments;

    while (i > 0 && dbg->moment[i - 1].events > events)
        i--;
    return i;
}

/* When the next one is due, seen from here. */
static void plan(struct dbg *dbg)
{
    unsigned i = behind(dbg, dbg->events + dbg->interval);

    dbg->next_moment = i > 0 ? dbg->moment[i - 1].events + dbg->interval : UINT64_MAX;
}

static void add(struct dbg *dbg)
{
    unsigned index = behind(dbg, dbg->events);
    struct dbg_moment moment = {.events = dbg->events, .latest_ps = dbg->latest_ps};

    moment.machine =
        pto_vm_snapshot(dbg->launch.vm, index > 0 ? dbg->moment[index - 1].machine : NULL);
    if (!moment.machine)
        return;
    moment.bytes = DBG_HISTORY * sizeof *moment.history;
    moment.cores = copy_cores(dbg, dbg->cores, &moment.bytes);
    moment.history = copy_records(dbg->history);
    PTO_GROW(dbg->moment, dbg->moments, dbg->moment_capacity);
    memmove(&dbg->moment[index + 1], &dbg->moment[index],
            (dbg->moments - index) * sizeof *dbg->moment);
    dbg->moment[index] = moment;
    dbg->moments++;
    dbg->history_bytes += moment.bytes + pto_snapshot_bytes(moment.machine);
    history_thin(dbg);
}

void history_begin(struct dbg *dbg)
{
    if (!dbg->check && dbg->moments == 0 && dbg->events == 0 && dbg->history_limit > 0) {
        add(dbg);
    }
    plan(dbg);
}

void history_note(struct dbg *dbg)
{
    bool near = dbg->near_moment > 0 && dbg->events >= dbg->near_moment;

    if (dbg->events < dbg->next_moment && !near)
        return;
    if (near)
        dbg->near_moment = 0;
    dbg->moment_due = true;
    pto_vm_pause(dbg->launch.vm);
}

static bool is_changed_here(const struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->changes; i++)
        if (dbg->change[i].event == dbg->events)
            return true;
    return false;
}

bool history_take(struct dbg *dbg)
{
    bool due = dbg->moment_due;

    dbg->moment_due = false;
    if (!due || dbg->stop.kind != DBG_NOT_STOPPED || pto_vm_fault(dbg->launch.vm) ||
        pto_vm_finished(dbg->launch.vm))
        return false;
    if (!is_changed_here(dbg)) /* it would be neither before that nor behind it */
        add(dbg);
    plan(dbg);
    return true;
}

void history_expect(struct dbg *dbg, uint64_t event)
{
    uint64_t near = dbg->interval / NEAR, from = 0;

    dbg->near_moment = 0;
    if (dbg->moments > 0 && history_moment(dbg, event, &from) && event - from > 2 * near)
        dbg->near_moment = event - near;
}

void history_cut(struct dbg *dbg, uint64_t events)
{
    while (dbg->moments > 0 && dbg->moment[dbg->moments - 1].events > events)
        drop(dbg, dbg->moments - 1);
    plan(dbg);
}

/* ---- going there ---- */

/* Who is told of accesses, or compares values, has to see all from the start. */
static bool needs_start(const struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        if (dbg->breaks[i].kind == DBG_AT_TOUCH || dbg->breaks[i].kind == DBG_AT_VALUE)
            return true;
    return dbg->search != NULL;
}

bool history_moment(const struct dbg *dbg, uint64_t event, uint64_t *events)
{
    unsigned i = event > 0 ? behind(dbg, event - 1) : 0;

    if (i == 0)
        return false;
    *events = dbg->moment[needs_start(dbg) ? 0 : i - 1].events;
    return true;
}

bool history_before(const struct dbg *dbg, uint64_t time_ps, uint64_t *events)
{
    unsigned i = dbg->moments;

    while (i > 0 && dbg->moment[i - 1].latest_ps >= time_ps)
        i--;
    return i > 0 && history_moment(dbg, dbg->moment[i - 1].events + 1, events);
}

static void forget_faults(struct dbg *dbg)
{
    for (int r = 0; r < pto_vm_ranks(dbg->launch.vm); r++) {
        issue_drop(dbg->fault[r].issue);
        dbg->fault[r] = (struct dbg_record){0};
    }
}

bool history_return(struct dbg *dbg, uint64_t event)
{
    const struct dbg_moment *moment;
    uint64_t events, bytes = 0;

    if (!history_moment(dbg, event, &events))
        return false;
    moment = &dbg->moment[behind(dbg, events) - 1];
    pto_vm_restore(dbg->launch.vm, moment->machine);
    free_cores(dbg, dbg->cores);
    dbg->cores = copy_cores(dbg, moment->cores, &bytes);
    free_records(dbg->history);
    dbg->history = copy_records(moment->history);
    forget_faults(dbg);
    issue_drop(dbg->stop.issue);
    dbg->stop = (struct dbg_stop){.kind = DBG_NOT_STOPPED};
    dbg->events = events;
    dbg->latest_ps = moment->latest_ps;
    dbg->started = events > 0;
    dbg->delivered = false;
    change_undo(dbg, events);
    plan(dbg);
    return true;
}

void history_forget(struct dbg *dbg)
{
    while (dbg->moments > 0)
        drop(dbg, dbg->moments - 1);
    free(dbg->moment);
    dbg->moment = NULL;
    dbg->moment_capacity = 0;
    dbg->next_moment = UINT64_MAX;
}
