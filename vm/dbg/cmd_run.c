/* Commands that make the machine go, forward and back. */
#include <ctype.h>
#include <string.h>

#include "tool/number.h"
#include "dbg/breakpoint.h"
#include "dbg/checkpoint.h"
#include "dbg/change.h"
#include "dbg/findings.h"
#include "dbg/history.h"
#include "dbg/place.h"
#include "dbg/position.h"
#include "dbg/run.h"

/* Start from the beginning. */
static bool restart(struct dbg *dbg, enum dbg_goal_kind goal)
{
    bool altered = dbg->changes > 0;

    change_forget(dbg);
    if (dbg->started && altered) {
        history_cut(dbg, 0);
        findings_cut(dbg, 0);
    }
    if (dbg->started && !dbg_rebuild(dbg))
        return false;
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        dbg->breaks[i].hits = 0;
    return run_to(dbg, (struct dbg_goal){.kind = goal});
}

bool cmd_run(struct dbg *dbg, const char *args)
{
    return dbg_at_end(dbg, args) && restart(dbg, DBG_RUN);
}

bool cmd_start(struct dbg *dbg, const char *args)
{
    return dbg_at_end(dbg, args) && restart(dbg, DBG_FIRST);
}

bool cmd_continue(struct dbg *dbg, const char *args)
{
    struct dbg_break *b = dbg->stop.kind == DBG_STOP_BREAK
                              ? breakpoint_find(dbg, dbg->stop.breakpoint)
                              : NULL;
    uint64_t count;

    if (!dbg_count(dbg, args, &count))
        return false;
    if (count > 1 && !b)
        return dbg_error(dbg, "leave out the count", "the program did not stop at a breakpoint");
    if (count > 1)
        b->ignore = count - 1;
    return run_to(dbg, (struct dbg_goal){.kind = DBG_RUN});
}

static bool run_counted(struct dbg *dbg, const char *args, enum dbg_goal_kind kind)
{
    uint64_t count;

    return dbg_count(dbg, args, &count) &&
           run_to(dbg, (struct dbg_goal){.kind = kind, .count = count});
}

bool cmd_step(struct dbg *dbg, const char *args)
{
    return run_counted(dbg, args, DBG_STEP);
}

bool cmd_next(struct dbg *dbg, const char *args)
{
    return run_counted(dbg, args, DBG_NEXT);
}

bool cmd_until(struct dbg *dbg, const char *args)
{
    struct place_request request;
    size_t length = dbg_word(&args);
    bool good;

    if (!dbg_at_end(dbg, args + length) || !place_resolve(dbg, args, length, &request))
        return false;
    if (request.op >= 0)
        return dbg_error(dbg, "use 'tbreak' for a mnemonic", "until takes a line or a label");
    good = run_to(dbg, (struct dbg_goal){.kind = DBG_UNTIL, .places = &request.places});
    place_free(&request.places);
    return good;
}

bool cmd_finish(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;

    if (!dbg_at_end(dbg, args))
        return false;
    dbg_focused(dbg, &info);
    if (info.module && info.ended)
        return dbg_error(dbg, NULL, "%s has ended already", info.name);
    run_note_line(dbg);
    return run_to(dbg, (struct dbg_goal){
                           .kind = dbg->goal_parent == PTO_NONE ? DBG_FINISH : DBG_LEAVE});
}

bool cmd_pipe(struct dbg *dbg, const char *args)
{
    struct dbg_goal goal = {.kind = DBG_PIPE, .pipe = dbg->pipe};
    size_t length = dbg_word(&args);
    int pipe = dbg_find_pipe(args, length);

    if (pipe >= 0) {
        goal.pipe = pipe;
        args += length;
    } else if (length > 0 && strspn(args, "0123456789") < length) {
        return dbg_error(dbg, "pipes are S, MTE2, MTE1, M, V, MTE3 and FIX",
                         "there is no pipe '%.*s'", (int)length, args);
    }
    return dbg_count(dbg, args, &goal.count) && run_to(dbg, goal);
}

static bool goto_finding(struct dbg *dbg, const char *args)
{
    uint64_t number, event, time_ps, now = pto_vm_time(dbg->launch.vm);

    if (!dbg_count(dbg, args, &number))
        return false;
    event = number <= UINT32_MAX ? findings_event(dbg, (unsigned)number) : 0;
    if (event == 0 && number <= UINT32_MAX && findings_time(dbg, (unsigned)number, &time_ps)) {
        findings_say(dbg, (unsigned)number); /* on the way back it is forgotten */
        return position_time(dbg, time_ps < now ? time_ps : now);
    }
    if (event == 0)
        return dbg_error(dbg,
                         dbg->check ? "'info findings' lists them" : "start ptodbg with --check",
                         "no run has come to finding %llu", (unsigned long long)number);
    if (!position_goto(dbg, event))
        return false;
    findings_say(dbg, (unsigned)number);
    return true;
}

bool cmd_goto(struct dbg *dbg, const char *args)
{
    size_t length;
    int64_t number;

    if (dbg_take(&args, "finding"))
        return goto_finding(dbg, args);
    length = dbg_word(&args);
    if (length == 0)
        return dbg_error(dbg, "'when' and 'info events' show event numbers", "to which event?");
    if (!isdigit((unsigned char)*args) && *args != '-')
        return dbg_at_end(dbg, args + length) && checkpoint_return(dbg, args, length);
    if (!tool_parse_int(args, length, &number) || number < 1)
        return dbg_error(dbg, "write the number of an event, from 1 on, a checkpoint, or finding N",
                         "'%.*s' is not a number of at least 1", (int)length, args);
    return dbg_at_end(dbg, args + length) && position_goto(dbg, (uint64_t)number);
}

bool cmd_goto_time(struct dbg *dbg, const char *args)
{
    uint64_t time_ps;

    if (*args == '\0')
        return dbg_error(dbg, "for instance goto-time 1.5us", "to which time?");
    if (!tool_parse_time(args, &time_ps))
        return dbg_error(dbg, "write a number and its unit: ps, ns, us, ms or s",
                         "'%s' is no time", args);
    return position_time(dbg, time_ps);
}

bool cmd_reverse_step(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;
    uint64_t count;

    return dbg_count(dbg, args, &count) && dbg_need_program(dbg, &info) &&
           position_step_back(dbg, count);
}

bool cmd_reverse_next(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;
    uint64_t count;

    return dbg_count(dbg, args, &count) && dbg_need_program(dbg, &info) &&
           position_line_back(dbg, count);
}

bool cmd_reverse_finish(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;

    return dbg_at_end(dbg, args) && dbg_need_program(dbg, &info) && position_leave_back(dbg);
}

bool cmd_reverse_continue(struct dbg *dbg, const char *args)
{
    return dbg_at_end(dbg, args) && position_break_back(dbg);
}
