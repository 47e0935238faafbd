#include "dbg/writer.h"

#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "dbg/position.h"
#include "dbg/source.h"

static bool search_again(struct dbg *dbg, struct dbg_search *search)
{
    bool good;

    dbg->search = search;
    good = position_again(dbg);
    dbg->search = NULL;
    if (dbg->launch.vm)
        watch_refresh(dbg);
    return good;
}

bool writer_find(struct dbg *dbg, const struct dbg_region *region, uint64_t before,
                 struct dbg_writer *writer)
{
    struct dbg_search search = {.region = region, .before = before, .writer = writer};

    *writer = (struct dbg_writer){0};
    if (search_again(dbg, &search))
        return true;
    watch_free_writer(writer);
    return false;
}

bool writer_find_wrong(struct dbg *dbg, struct wanted *wanted)
{
    struct dbg_search search = {.wanted = wanted};

    return search_again(dbg, &search);
}

/* ---- telling ---- */

/* Bytes that nobody wrote: what did they begin with? */
static void say_beginning(struct dbg *dbg, const struct dbg_region *region)
{
    const struct cli_pairs *in = &dbg->options->in;
    struct pto_object_info object;

    if (region->place.core >= 0 ||
        !pto_vm_object(dbg->launch.vm, region->place.rank, region->place.number, &object)) {
        dbg_say(dbg, "nobody wrote it since the launch began\n");
        return;
    }
    for (unsigned i = 0; i < in->count && object.bound; i++)
        if (!strcmp(in->item[i].name, object.name)) {
            dbg_say(dbg, "nobody wrote it: the input %s=%s\n", object.name, in->item[i].value);
            return;
        }
    dbg_say(dbg, "nobody wrote it%s\n",
            object.kind == PTO_OBJ_SYM || object.kind == PTO_OBJ_SIGNAL ? ": it began as zeros"
                                                                        : "");
}

static void say_instruction(struct dbg *dbg, const struct dbg_writer *w)
{
    struct dbg_place place;

    if (source_place_of_insn(dbg, w->touch.insn, &place)) {
        source_say_issued(dbg, &place, w->issue);
        dbg_say(dbg, "  (");
        source_say_position(dbg, place.module,
                            source_level(place.module, w->touch.insn->pos,
                                         DBG_DEPTH_INNERMOST));
        dbg_say(dbg, ") ");
    } else {
        dbg_say(dbg, "a message ");
    }
    dbg_say(dbg, "of ");
    dbg_say_core(dbg, w->touch.rank, w->touch.core);
    dbg_say(dbg, ", %s, event %llu, %s %s\n", pto_queue_name(w->touch.queue),
            (unsigned long long)w->event, w->touch.arrives ? "landed at" : "at",
            dbg_time(w->touch.time_ps).text);
}

/* What `last-writer` alone goes on with. */
static void keep_sources(struct dbg *dbg, struct dbg_writer *w)
{
    for (unsigned i = 0; i < dbg->last_sources; i++)
        region_free(&dbg->last_source[i]);
    free(dbg->last_source);
    dbg->last_source = w->source;
    dbg->last_sources = w->sources;
    dbg->last_event = w->event;
    w->source = NULL;
    w->sources = w->capacity = 0;
}

void writer_forget_sources(struct dbg *dbg)
{
    struct dbg_writer none = {0};

    keep_sources(dbg, &none);
}

void writer_say(struct dbg *dbg, const struct dbg_region *region, const struct dbg_writer *w)
{
    if (w->event == 0)
        say_beginning(dbg, region);
    else
        say_instruction(dbg, w);
}

void writer_tell(struct dbg *dbg, const struct dbg_region *region, struct dbg_writer *w)
{
    dbg_say(dbg, "  ");
    writer_say(dbg, region, w);
    for (unsigned i = 0; i < w->sources; i++) {
        dbg_say(dbg, "  made from ");
        region_say(dbg, &w->source[i]);
        dbg_say(dbg, "\n");
    }
    keep_sources(dbg, w);
    watch_free_writer(w);
}
