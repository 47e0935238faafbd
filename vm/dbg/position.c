#include "dbg/position.h"

#include <stdlib.h>

#include "dbg/run.h"

/* Run to the event without a word; false: answered. */
static bool travel(struct dbg *dbg, uint64_t event)
{
    if (event <= dbg->events && !dbg_rebuild(dbg))
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

bool position_again(struct dbg *dbg)
{
    uint64_t here = dbg->events;

    if (!dbg_rebuild(dbg))
        return false;
    if (here > 0)
        run_machine(dbg, (struct dbg_goal){.kind = DBG_EVENT, .count = here, .silent = true});
    if (dbg->stop.kind != DBG_STOP_INTERRUPT)
        return true;
    arrive(dbg);
    return false;
}

/* Go over the events below `before` again: the number of the `back`-th last that is sought; 0:
 * there is none.  False: answered. */
static bool find_before(struct dbg *dbg, enum dbg_scan_kind kind, uint64_t before, uint64_t back,
                        uint64_t *event)
{
    bool good;

    *event = 0;
    if (back > before)
        return true;
    dbg->scan = (struct dbg_scan){
        .active = true,
        .before = before,
        .kind = kind,
        .found = pto_xcalloc(back, sizeof *dbg->scan.found),
        .wanted = back,
    };
    good = position_again(dbg);
    if (dbg->scan.seen >= back)
        *event = dbg->scan.found[dbg->scan.seen % back]; /* the oldest in the ring */
    free(dbg->scan.found);
    dbg->scan = (struct dbg_scan){0};
    return good && !dbg->quit;
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
    run_note_line(dbg);
    dbg->goal_line = 0; /* the first line of all is a new one */
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

bool position_break_back(struct dbg *dbg)
{
    uint64_t here = dbg->events, event = here;

    /* Several things can happen in the step of the machine that led here: it is not divided. */
    do {
        if (!find_before(dbg, DBG_SCAN_BREAKS, event, 1, &event))
            return false;
        if (event == 0)
            return go_to_start(dbg, "No breakpoint was passed before");
        if (!travel(dbg, event))
            return false;
    } while (dbg->events >= here && dbg->stop.kind != DBG_STOP_INTERRUPT);
    return arrive(dbg);
}
