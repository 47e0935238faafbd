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

/* Go over the events below `before` again: the number of the `back`-th last instruction of the
 * focused sub-core, or of the last stop at a breakpoint; 0: there is none.  False: answered. */
static bool find_before(struct dbg *dbg, bool breakpoints, uint64_t before, uint64_t back,
                        uint64_t *event)
{
    bool good;

    *event = 0;
    if (back > before)
        return true;
    dbg->scan = (struct dbg_scan){
        .active = true,
        .before = before,
        .breakpoints = breakpoints,
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

bool position_step_back(struct dbg *dbg, uint64_t count)
{
    /* A paused instruction is the present one, not the last one. */
    uint64_t before = dbg->events + !dbg_core_of(dbg, dbg->rank, dbg->core)->again, event;

    if (!find_before(dbg, false, before, count, &event))
        return false;
    return event > 0 ? position_goto(dbg, event)
                     : go_to_start(dbg, "That is before the first instruction");
}

bool position_break_back(struct dbg *dbg)
{
    uint64_t here = dbg->events, event = here;

    /* Several things can happen in the step of the machine that led here: it is not divided. */
    do {
        if (!find_before(dbg, true, event, 1, &event))
            return false;
        if (event == 0)
            return go_to_start(dbg, "No breakpoint was passed before");
        if (!travel(dbg, event))
            return false;
    } while (dbg->events >= here && dbg->stop.kind != DBG_STOP_INTERRUPT);
    return arrive(dbg);
}
