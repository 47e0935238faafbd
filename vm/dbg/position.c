#include "dbg/position.h"

#include <stdlib.h>

#include "dbg/change.h"
#include "dbg/findings.h"
#include "dbg/history.h"
#include "dbg/run.h"
#include "dbg/source.h"
#include "dbg/watch.h"

/* To a moment before the event, or to the start; false: answered. */
static bool go_before(struct dbg *dbg, uint64_t event)
{
    if (!history_return(dbg, event))
        return dbg_rebuild(dbg);
    watch_detach(dbg); /* what is on its way is not what it has seen leave */
    watch_attach(dbg);
    return true;
}

/* Run to the event without a word; false: answered. */
static bool travel(struct dbg *dbg, uint64_t event)
{
    uint64_t moment;
    bool ahead = event > dbg->events && history_moment(dbg, event, &moment) &&
                 moment > dbg->events;

    if ((event <= dbg->events || ahead) && !go_before(dbg, event))
        return false;
    if (run_is_over(dbg))
        return dbg_error(dbg, NULL, "the last event of this run is %llu",
                         (unsigned long long)dbg->events);
    run_machine(dbg, (struct dbg_goal){.kind = DBG_EVENT, .count = event, .silent = true});
    return true;
}

static bool arrive(struct dbg *dbg)
{
    run_settle(dbg);
    return run_goes_on(dbg);
}

bool position_goto(struct dbg *dbg, uint64_t event)
{
    return travel(dbg, event) && arrive(dbg);
}

/* The run is another one from this event on: back to before it, unless the machine stands there. */
static bool leave_run(struct dbg *dbg, uint64_t event)
{
    if (event == UINT64_MAX)
        return true;
    history_cut(dbg, event);
    findings_cut(dbg, event);
    return dbg->events < event || go_before(dbg, event);
}

bool position_return(struct dbg *dbg, const struct position_target *target)
{
    bool here = target->another == UINT64_MAX && dbg->events == target->event;

    if (!here && (!leave_run(dbg, target->another) || !travel(dbg, target->event)))
        return false;
    if (dbg->stop.kind != DBG_STOP_INTERRUPT) {
        change_redo(dbg);
        dbg->goal.keep_focus = true;
        dbg_focus_on(dbg, target->rank, target->core);
    }
    if (!here)
        return arrive(dbg);
    source_say_stop(dbg);
    return true;
}

/* It was to get somewhere: has it, with what was changed by hand there?  False: answered. */
static bool is_there(struct dbg *dbg)
{
    if (dbg->stop.kind != DBG_STOP_INTERRUPT) {
        change_redo(dbg);
        return true;
    }
    arrive(dbg);
    return false;
}

bool position_end(struct dbg *dbg)
{
    if (!run_is_over(dbg))
        run_machine(dbg, (struct dbg_goal){.kind = DBG_RUN, .silent = true});
    return is_there(dbg);
}

bool position_time(struct dbg *dbg, uint64_t time_ps)
{
    uint64_t moment;
    bool found = history_before(dbg, time_ps, &moment), passed = dbg->latest_ps >= time_ps;

    if (dbg->started && (passed || (found && moment > dbg->events)) &&
        !(found ? go_before(dbg, moment + 1) : dbg_rebuild(dbg)))
        return false;
    return run_to(dbg, (struct dbg_goal){.kind = DBG_TIME, .time_ps = time_ps, .silent = true});
}

bool position_back(struct dbg *dbg, uint64_t event)
{
    if (event == dbg->events)
        return true;
    return event == 0 ? dbg_rebuild(dbg) : travel(dbg, event) && is_there(dbg);
}

bool position_again(struct dbg *dbg)
{
    bool over = run_is_over(dbg);
    uint64_t here = dbg->events;

    if (!dbg_rebuild(dbg))
        return false;
    if (over)
        run_machine(dbg, (struct dbg_goal){.kind = DBG_RUN, .silent = true});
    else if (here > 0)
        run_machine(dbg, (struct dbg_goal){.kind = DBG_EVENT, .count = here, .silent = true});
    if (!is_there(dbg))
        return false;
    if (over)
        findings_conclude(dbg, false);
    return true;
}

/* The line that the focused sub-core was at last. */
static void recall_line(struct dbg *dbg)
{
    const struct pto_insn *last = dbg_core_of(dbg, dbg->rank, dbg->core)->last;
    struct dbg_place place;
    const struct pto_pos *pos =
        last && source_place_of_insn(dbg, last, &place)
            ? source_level(place.module, last->pos, dbg->depth) : NULL;

    dbg->goal_file = pos ? pos->file : UINT32_MAX;
    dbg->goal_line = pos ? pos->line : 0;
    dbg->goal_parent = pos ? pos->parent : PTO_NONE;
}

/* Go over the events from the last moment before `end` to `end`, noting in dbg->scan what is
 * sought; *moment is where they began.  `near`: that is where somebody stands who will want to be
 * near it once more.  False: answered. */
static bool scan_part(struct dbg *dbg, uint64_t end, bool near, uint64_t *moment)
{
    if (!history_moment(dbg, end, moment))
        *moment = 0;
    if (!go_before(dbg, end))
        return false;
    if (dbg->scan.kind == DBG_SCAN_LINES)
        recall_line(dbg);
    if (near)
        history_expect(dbg, end);
    run_machine(dbg, (struct dbg_goal){.kind = DBG_EVENT, .count = end, .silent = true});
    dbg->near_moment = 0;
    if (dbg->stop.kind != DBG_STOP_INTERRUPT)
        return !dbg->quit;
    arrive(dbg);
    return false;
}

/* Go over the events below `before` again: the number of the `back`-th last that is sought; 0:
 * there is none.  False: answered. */
static bool find_before(struct dbg *dbg, enum dbg_scan_kind kind, uint64_t before, uint64_t back,
                        uint64_t *event)
{
    uint64_t end = dbg->events, here = end;
    bool good = true;

    *event = 0;
    if (back > before)
        return true;
    while (good && end > 0 && *event == 0) {
        dbg->scan = (struct dbg_scan){
            .active = true,
            .before = before,
            .kind = kind,
            .found = pto_xcalloc(back, sizeof *dbg->scan.found),
            .wanted = back,
        };
        good = scan_part(dbg, end, end == here, &end);
        if (dbg->scan.seen >= back)
            *event = dbg->scan.found[dbg->scan.seen % back]; /* the oldest in the ring */
        else
            back -= dbg->scan.seen;
        free(dbg->scan.found);
        dbg->scan = (struct dbg_scan){0};
        before = before < end + 1 ? before : end + 1;
    }
    return good;
}

static bool go_to_start(struct dbg *dbg, const char *why)
{
    if (dbg->started && !dbg_rebuild(dbg))
        return false;
    dbg_say(dbg, "%s; this is the start.\n", why);
    return run_to(dbg, (struct dbg_goal){.kind = DBG_FIRST, .silent = true});
}

/* What lies before the present position, in terms of the focused sub-core. */
static uint64_t before_here(struct dbg *dbg)
{
    /* A paused instruction is the present one, not the last one. */
    return dbg->events + !dbg_core_of(dbg, dbg->rank, dbg->core)->again;
}

static bool go_back(struct dbg *dbg, enum dbg_scan_kind kind, uint64_t count, const char *none)
{
    uint64_t event;

    if (!find_before(dbg, kind, before_here(dbg), count, &event))
        return false;
    if (event == 0)
        return go_to_start(dbg, none);
    if (!travel(dbg, event))
        return false;
    return arrive(dbg);
}

bool position_step_back(struct dbg *dbg, uint64_t count)
{
    return go_back(dbg, DBG_SCAN_STEPS, count, "That is before the first instruction");
}

bool position_line_back(struct dbg *dbg, uint64_t count)
{
    run_note_line(dbg); /* for the level of macro use */
    return go_back(dbg, DBG_SCAN_LINES, count, "That is before the first line");
}

bool position_leave_back(struct dbg *dbg)
{
    run_note_line(dbg);
    if (dbg->goal_parent == PTO_NONE)
        return dbg_error(dbg, "'reverse-next' goes back by lines",
                         "the instruction comes from no macro use");
    return go_back(dbg, DBG_SCAN_OUTSIDE, 1, "Nothing comes before the macro use");
}

static const char NO_BREAKPOINT[] = "No breakpoint was passed before";

static bool any_enabled(const struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        if (dbg->breaks[i].enabled)
            return true;
    return false;
}

bool position_break_back(struct dbg *dbg)
{
    uint64_t here = dbg->events, event = here;

    if (!any_enabled(dbg))
        return go_to_start(dbg, NO_BREAKPOINT);

    /* Several things can happen in the step of the machine that led here: it is not divided. */
    do {
        if (!find_before(dbg, DBG_SCAN_BREAKS, event, 1, &event))
            return false;
        if (event == 0)
            return go_to_start(dbg, NO_BREAKPOINT);
        if (!travel(dbg, event))
            return false;
    } while (dbg->events >= here && dbg->stop.kind != DBG_STOP_INTERRUPT);
    return arrive(dbg);
}
