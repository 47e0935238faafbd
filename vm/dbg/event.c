#include "dbg/event.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dbg/issue.h"
#include "dbg/source.h"

static const char *const KIND_NAME[] = {
    [PTO_EV_LAUNCH] = "launch",
    [PTO_EV_END] = "end",
    [PTO_EV_SCALAR] = "execute",
    [PTO_EV_ISSUE] = "issue",
    [PTO_EV_STALL] = "stall",
    [PTO_EV_RESUME] = "resume",
    [PTO_EV_START] = "start",
    [PTO_EV_COMPLETE] = "complete",
    [PTO_EV_SET] = "set",
    [PTO_EV_WAIT_BEGIN] = "wait",
    [PTO_EV_WAIT_END] = "taken",
    [PTO_EV_SEND] = "send",
    [PTO_EV_LAND] = "land",
    [PTO_EV_SIGNAL] = "signal",
    [PTO_EV_CROSS_SET] = "cross-set",
    [PTO_EV_CROSS_TAKE] = "cross-taken",
    [PTO_EV_REGION_BEGIN] = "region",
    [PTO_EV_REGION_END] = "region-end",
    [PTO_EV_FAULT] = "fault",
    [DBG_EV_FINDING] = "finding",
    [DBG_EV_READ] = "reads",
    [DBG_EV_WRITE] = "writes",
};
enum { KINDS = sizeof KIND_NAME / sizeof *KIND_NAME };

const char *event_name(int kind)
{
    return kind >= 0 && kind < KINDS ? KIND_NAME[kind] : NULL;
}

int event_find(const char *name, size_t length)
{
    for (int i = 0; i < KINDS; i++)
        if (strlen(KIND_NAME[i]) == length && !strncasecmp(KIND_NAME[i], name, length))
            return i;
    return -1;
}

/* Kinds that belong to a pipe rather than to the sub-core or the rank. */
static bool has_pipe(int kind)
{
    switch (kind) {
    case PTO_EV_ISSUE:
    case PTO_EV_START:
    case PTO_EV_COMPLETE:
    case PTO_EV_SET:
    case PTO_EV_WAIT_BEGIN:
    case PTO_EV_WAIT_END:
    case PTO_EV_CROSS_SET:
    case DBG_EV_FINDING:
    case DBG_EV_READ:
    case DBG_EV_WRITE:
        return true;
    default:
        return false;
    }
}

static void say_flag(struct dbg *dbg, const struct pto_event *event)
{
    dbg_say(dbg, " %s->%s", pto_enum_keyword(PTO_ENUM_PIPE, event->flag_src),
            pto_enum_keyword(PTO_ENUM_PIPE, event->flag_dst));
    if (event->flag_id < 8)
        dbg_say(dbg, " %u", event->flag_id);
    else
        dbg_say(dbg, " (inside a transfer)");
}

static void say_detail(struct dbg *dbg, const struct pto_event *event)
{
    switch (event->kind) {
    case PTO_EV_SET:
    case PTO_EV_WAIT_BEGIN:
    case PTO_EV_WAIT_END:
        say_flag(dbg, event);
        break;
    case PTO_EV_SEND:
        dbg_say(dbg, " %llu bytes to rank %d", (unsigned long long)event->bytes, event->peer);
        break;
    case PTO_EV_LAND:
        dbg_say(dbg, " %llu bytes from rank %d", (unsigned long long)event->bytes, event->peer);
        break;
    case PTO_EV_COMPLETE:
    case PTO_EV_RESUME:
        dbg_say(dbg, " since %s", dbg_time(event->start_ps).text);
        break;
    case DBG_EV_FINDING:
        dbg_say(dbg, " %lld", (long long)event->value);
        break;
    case PTO_EV_CROSS_SET:
    case PTO_EV_CROSS_TAKE:
        dbg_say(dbg, " flag %u", event->flag_id);
        break;
    default:
        break;
    }
    if (event->text)
        dbg_say(dbg, " %s", event->text);
    if (event->kind == PTO_EV_SIGNAL)
        dbg_say(dbg, ", now %lld", (long long)event->value);
}

void event_say(struct dbg *dbg, const struct pto_event *event, const struct dbg_issue *issue)
{
    struct dbg_place place;

    dbg_say(dbg, "%s  rank %d", dbg_time(event->time_ps).text, event->rank);
    if (event->module) {
        struct pto_core_info info;

        pto_vm_core(dbg->launch.vm, event->rank, event->core, &info);
        dbg_say(dbg, " %s", info.name);
    }
    if (has_pipe(event->kind))
        dbg_say(dbg, " %s", pto_queue_name(event->pipe));
    dbg_say(dbg, " %s", event_name(event->kind));
    say_detail(dbg, event);
    if (source_place_of_insn(dbg, event->insn, &place)) {
        dbg_say(dbg, ": ");
        source_say_issued(dbg, &place, issue);
        dbg_say(dbg, "  (");
        source_say_position(dbg, place.module,
                            source_level(place.module, event->insn->pos, DBG_DEPTH_INNERMOST));
        dbg_say(dbg, ")");
    }
    dbg_say(dbg, "\n");
}

void event_record(struct dbg *dbg, const struct pto_event *event)
{
    struct dbg_record *record = &dbg->history[dbg->events % DBG_HISTORY];
    bool here = event->module && event->rank == dbg->rank && event->core == dbg->core;

    issue_drop(record->issue);
    *record = (struct dbg_record){dbg->events, *event, issue_of_event(dbg, event)};
    if (dbg->muted || dbg->trace == DBG_TRACE_OFF || (dbg->trace == DBG_TRACE_FOCUS && !here))
        return;
    dbg_say(dbg, "%8llu  ", (unsigned long long)dbg->events);
    event_say(dbg, event, record->issue);
    dbg_flush(dbg);
}

void event_say_history(struct dbg *dbg, uint64_t count)
{
    uint64_t kept = dbg->events < DBG_HISTORY ? dbg->events : DBG_HISTORY;

    if (count > kept)
        count = kept;
    if (count == 0)
        dbg_say(dbg, "No events yet.\n");
    for (uint64_t n = dbg->events - count + 1; n <= dbg->events && count > 0; n++) {
        dbg_say(dbg, "%8llu  ", (unsigned long long)n);
        event_say(dbg, &dbg->history[n % DBG_HISTORY].event,
                  dbg->history[n % DBG_HISTORY].issue);
    }
}

void event_forget(struct dbg *dbg)
{
    for (unsigned i = 0; i < DBG_HISTORY; i++)
        issue_drop(dbg->history[i].issue);
    free(dbg->history);
}
