#include "dbg/watch.h"

#include <stdlib.h>

#include "dbg/breakpoint.h"
#include "dbg/issue.h"
#include "dbg/run.h"
#include "dbg/wanted.h"

/* ---- accesses ---- */

static bool wants(void *context, const struct pto_place *place)
{
    const struct dbg *dbg = context;

    if (dbg->search && (dbg->search->wanted
                            ? wanted_has_place(dbg->search->wanted, place)
                            : pto_same_place(&dbg->search->region->place, place)))
        return true;
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        if (dbg->breaks[i].kind == DBG_AT_TOUCH && dbg->breaks[i].enabled &&
            pto_same_place(&dbg->breaks[i].region->place, place))
            return true;
    return false;
}

/* The access as an event of the debugger's own. */
static struct pto_event event_of(const struct pto_touch *touch)
{
    return (struct pto_event){.kind = touch->write ? DBG_EV_WRITE : DBG_EV_READ,
                              .pipe = touch->queue,
                              .rank = touch->rank,
                              .core = touch->core,
                              .time_ps = touch->time_ps,
                              .insn = touch->insn,
                              .module = touch->module,
                              .entry = touch->entry};
}

/* What a pipe touches belongs to the event of its completion, which comes next; what S touches and
 * what lands, to the event that came last. */
static uint64_t number_of(const struct dbg *dbg, const struct pto_touch *touch)
{
    return dbg->events + (touch->queue != PTO_PIPE_S && !touch->arrives);
}

static struct dbg_issue *issue_of(struct dbg *dbg, const struct pto_touch *touch)
{
    const struct pto_event event = event_of(touch);

    return touch->insn ? issue_of_event(dbg, &event) : NULL;
}

static void note_writer(struct dbg *dbg, const struct pto_touch *touch)
{
    struct dbg_writer *writer = dbg->search->writer;

    watch_free_writer(writer);
    writer->event = number_of(dbg, touch);
    writer->left = touch->arrives ? touch->mark : writer->event;
    writer->touch = *touch;
    writer->issue = issue_of(dbg, touch);
}

static bool search(struct dbg *dbg, const struct pto_touch *touch, uint64_t *at)
{
    const struct dbg_search *s = dbg->search;

    if (!s || !touch->write)
        return false;
    if (s->wanted) {
        wanted_touched(s->wanted, &touch->bytes, number_of(dbg, touch));
        return false;
    }
    if (number_of(dbg, touch) >= s->before ||
        !region_overlaps(s->region, &touch->bytes, at))
        return false;
    note_writer(dbg, touch);
    return true;
}

static bool touched(void *context, const struct pto_touch *touch, uint64_t *at)
{
    struct dbg *dbg = context;
    struct pto_event event = event_of(touch);
    uint64_t byte;
    bool source_wanted;

    dbg->arrival = touch->arrives ? touch : NULL;
    for (unsigned i = 0; i < dbg->breaks_count; i++) {
        struct dbg_break *b = &dbg->breaks[i];

        b->changed = b->kind == DBG_AT_TOUCH && b->access >> touch->write & 1 &&
                     region_overlaps(b->region, &touch->bytes, &byte);
        if (b->changed)
            run_touched(dbg, b, &event, number_of(dbg, touch), touch->queue == PTO_PIPE_S &&
                                                                   !touch->arrives);
        b->changed = false;
    }
    source_wanted = search(dbg, touch, at);
    dbg->arrival = NULL;
    return source_wanted;
}

/* Messages are made by the event that comes next, like all that pipes do. */
static uint64_t departs(void *context, const struct pto_touch *sender)
{
    struct dbg *dbg = context;

    issue_departs(dbg, dbg->events + 1, sender);
    return dbg->events + 1;
}

static void source(void *context, const struct pto_stretch *bytes)
{
    struct dbg *dbg = context;
    struct dbg_writer *writer = dbg->search->writer;
    struct dbg_region region;

    PTO_GROW(writer->source, writer->sources, writer->capacity);
    region = region_of_stretch(bytes);
    region.before = pto_same_place(&bytes->place, &writer->touch.bytes.place) ? writer->event
                                                                              : writer->left;
    writer->source[writer->sources++] = region;
}

static bool is_needed(const struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        if (dbg->breaks[i].kind == DBG_AT_TOUCH)
            return true;
    return dbg->search != NULL;
}

void watch_refresh(struct dbg *dbg)
{
    const struct pto_touch_listener listener = {dbg, wants, touched, departs, source};

    if (!is_needed(dbg))
        watch_detach(dbg);
    else if (!dbg->touches)
        dbg->touches = pto_touches_attach(dbg->launch.vm, &listener);
}

void watch_attach(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        dbg->breaks[i].known = false;
    watch_refresh(dbg);
}

void watch_detach(struct dbg *dbg)
{
    pto_touches_detach(dbg->touches);
    dbg->touches = NULL;
    issue_forget_departures(dbg);
}

void watch_free_writer(struct dbg_writer *writer)
{
    issue_drop(writer->issue);
    for (unsigned i = 0; i < writer->sources; i++)
        region_free(&writer->source[i]);
    free(writer->source);
    *writer = (struct dbg_writer){0};
}
