#include "dbg/run.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/breakpoint.h"
#include "dbg/change.h"
#include "dbg/event.h"
#include "dbg/hit.h"
#include "dbg/history.h"
#include "dbg/issue.h"
#include "dbg/source.h"

/* ---- what events tell about sub-cores ---- */

/* Update what is known of the sub-core.  Is this the arrival of S at an instruction, rather than
 * another try at the one that stalled? */
static bool note_scalar(struct dbg_core *core, const struct pto_event *event)
{
    bool arrival = !(core->stalled && core->last == event->insn);

    if (arrival)
        core->before = core->last;
    core->last = event->insn;
    core->stalled = false;
    return arrival;
}

static void note_set(struct dbg *dbg, struct dbg_core *core, const struct pto_event *event)
{
    struct dbg_setter *setter;

    if (!core->setter)
        core->setter = pto_xcalloc(DBG_SETTERS, sizeof *core->setter);
    setter = dbg_setter(core, event->flag_src, event->flag_dst, event->flag_id);
    issue_drop(setter->issue);
    *setter = (struct dbg_setter){event->insn, issue_of_event(dbg, event), event->time_ps};
}

static void note_fault(struct dbg *dbg, const struct pto_event *event)
{
    struct dbg_record *fault = &dbg->fault[event->rank];

    issue_drop(fault->issue);
    *fault = (struct dbg_record){dbg->events + 1, *event, issue_of_event(dbg, event)};
}

static void note(struct dbg *dbg, struct dbg_core *core, const struct pto_event *event)
{
    switch (event->kind) {
    case PTO_EV_ISSUE:
        issue_note(dbg, event);
        break;
    case PTO_EV_LAUNCH:
        dbg_forget(dbg, core);
        break;
    case PTO_EV_STALL:
        core->stalled = true;
        core->wait_ps[PTO_PIPE_S] = event->time_ps;
        break;
    case PTO_EV_WAIT_BEGIN:
        core->wait_ps[event->pipe] = event->time_ps;
        break;
    case PTO_EV_SET:
        note_set(dbg, core, event);
        break;
    case PTO_EV_FAULT:
        note_fault(dbg, event);
        break;
    default:
        break;
    }
}

/* ---- goals ---- */

static bool in_focus(const struct dbg *dbg, const struct pto_event *event)
{
    return event->rank == dbg->rank && event->core == dbg->core && event->module;
}

static bool counted(struct dbg *dbg)
{
    return dbg->goal.count <= 1 || --dbg->goal.count == 0;
}

/* Has S come to another line at the level of macro use that `next` works at? */
static bool on_new_line(struct dbg *dbg, const struct pto_event *event)
{
    const struct pto_pos *pos = source_level(event->module, event->insn->pos, dbg->depth);

    if (!pos || (pos->file == dbg->goal_file && pos->line == dbg->goal_line &&
                 pos->parent == dbg->goal_parent))
        return false;
    dbg->goal_file = pos->file;
    dbg->goal_line = pos->line;
    dbg->goal_parent = pos->parent;
    return true;
}

static bool is_outside(const struct dbg *dbg, const struct pto_event *event)
{
    return !source_is_inside(event->module, event->insn->pos, dbg->goal_parent);
}

static bool is_place(struct dbg *dbg, const struct pto_event *event)
{
    const struct dbg_place *place = breakpoint_arrival(dbg, dbg->goal.places, event);

    if (place)
        dbg->stop.depth = place->depth;
    return place != NULL;
}

static bool is_pipe_event(const struct dbg *dbg, const struct pto_event *event)
{
    switch (event->kind) {
    case PTO_EV_START:
    case PTO_EV_COMPLETE:
    case PTO_EV_SET:
    case PTO_EV_WAIT_BEGIN:
    case PTO_EV_WAIT_END:
    case PTO_EV_CROSS_SET:
        return dbg->goal.pipe == DBG_ANY_PIPE || event->pipe == dbg->goal.pipe;
    default:
        return false;
    }
}

static bool goal_reached(struct dbg *dbg, const struct pto_event *event, bool arrival)
{
    bool here = in_focus(dbg, event);

    switch (dbg->goal.kind) {
    case DBG_FIRST:
        return arrival;
    case DBG_STEP:
        return here && arrival && counted(dbg);
    case DBG_NEXT:
        return here && arrival && on_new_line(dbg, event) && counted(dbg);
    case DBG_UNTIL:
        return here && arrival && is_place(dbg, event);
    case DBG_LEAVE:
        return here && arrival && is_outside(dbg, event);
    case DBG_FINISH:
        return here && event->kind == PTO_EV_END;
    case DBG_PIPE:
        return here && is_pipe_event(dbg, event) && counted(dbg);
    case DBG_EVENT:
        return dbg->events >= dbg->goal.count;
    case DBG_TIME: /* an event may tell of what is yet to come: when bytes will have left */
        return pto_vm_time(dbg->launch.vm) >= dbg->goal.time_ps;
    default:
        return false;
    }
}

/* The focused sub-core ended on the way to something that it was to do. */
static bool goal_lost(const struct dbg *dbg, const struct pto_event *event)
{
    switch (dbg->goal.kind) {
    case DBG_STEP:
    case DBG_NEXT:
    case DBG_UNTIL:
    case DBG_LEAVE:
    case DBG_PIPE:
        return event->kind == PTO_EV_END && in_focus(dbg, event);
    default:
        return false;
    }
}

/* ---- the observer ---- */

static void stop(struct dbg *dbg, enum dbg_stop_kind kind, const struct pto_event *event)
{
    if (dbg->stop.kind == DBG_NOT_STOPPED) {
        dbg->stop.kind = kind;
        dbg->stop.event = *event;
        dbg->stop.issue = issue_of_event(dbg, event);
    }
    pto_vm_pause(dbg->launch.vm);
}

static void stop_at_break(struct dbg *dbg, const struct dbg_break *hit,
                          const struct pto_event *event)
{
    if (dbg->stop.kind == DBG_NOT_STOPPED) {
        const struct dbg_place *place = breakpoint_arrival(dbg, &hit->places, event);

        dbg->stop.breakpoint = hit->number;
        dbg->stop.depth = place ? place->depth : DBG_DEPTH_INNERMOST;
    }
    stop(dbg, DBG_STOP_BREAK, event);
}

void run_touched(struct dbg *dbg, struct dbg_break *b, const struct pto_event *event,
                 uint64_t number, bool later)
{
    struct dbg_scan *s = &dbg->scan;

    if (s->active && s->kind == DBG_SCAN_BREAKS && number < s->before &&
        breakpoint_holds(dbg, b, event))
        s->found[s->seen++ % s->wanted] = number;
    if (dbg->goal.silent || !breakpoint_stops(dbg, b, event))
        return;
    if (!later) {
        stop_at_break(dbg, b, event);
    } else if (dbg->pending.kind == DBG_NOT_STOPPED) {
        dbg->pending = (struct dbg_stop){.kind = DBG_STOP_BREAK,
                                         .event = *event,
                                         .issue = issue_of_event(dbg, event),
                                         .breakpoint = b->number,
                                         .depth = DBG_DEPTH_INNERMOST};
    }
}

/* An access of S stops the machine behind it. */
static void stop_pending(struct dbg *dbg)
{
    if (dbg->pending.kind == DBG_NOT_STOPPED)
        return;
    if (dbg->stop.kind == DBG_NOT_STOPPED)
        dbg->stop = dbg->pending;
    else
        issue_drop(dbg->pending.issue);
    dbg->pending = (struct dbg_stop){.kind = DBG_NOT_STOPPED};
    pto_vm_pause(dbg->launch.vm);
}

static bool is_sought(struct dbg *dbg, const struct pto_event *event, bool arrival)
{
    bool here = arrival && in_focus(dbg, event);

    switch (dbg->scan.kind) {
    case DBG_SCAN_LINES:
        return here && on_new_line(dbg, event);
    case DBG_SCAN_OUTSIDE:
        return here && is_outside(dbg, event);
    case DBG_SCAN_BREAKS:
        return breakpoint_matches_any(dbg, event, arrival);
    default:
        return here;
    }
}

static void scan(struct dbg *dbg, const struct pto_event *event, bool arrival)
{
    struct dbg_scan *s = &dbg->scan;

    if (dbg->events >= s->before)
        return;
    if (is_sought(dbg, event, arrival))
        s->found[s->seen++ % s->wanted] = dbg->events;
}

/* To ask takes longer than an event. */
static bool is_urgent(const struct dbg *dbg)
{
    enum { EVERY = 256 };
    const struct dbg_terminal *terminal = dbg->terminal;

    return terminal->urgent && dbg->events % EVERY == 0 &&
           terminal->urgent(terminal->context, dbg->goal.silent);
}

/* A wait of S begins behind what the instruction takes; the clock is where S executes it. */
static struct pto_event by_the_clock(const struct dbg *dbg, const struct pto_event *event)
{
    struct pto_event seen = *event;

    if (event->kind == PTO_EV_STALL)
        seen.time_ps = pto_vm_time(dbg->launch.vm);
    return seen;
}

void run_observe(void *context, const struct pto_event *told)
{
    struct dbg *dbg = context;
    const struct pto_event seen = by_the_clock(dbg, told), *event = &seen;
    struct dbg_core *core = event->module ? dbg_core_of(dbg, event->rank, event->core) : NULL;
    bool arrival = false;

    if (core && event->kind == PTO_EV_SCALAR) {
        if (core->again) {
            core->again = false;
            return;
        }
        arrival = note_scalar(core, event);
    } else if (core) {
        note(dbg, core, told);
    }
    dbg->events++;
    if (event->time_ps > dbg->latest_ps)
        dbg->latest_ps = event->time_ps;
    event_record(dbg, event);
    breakpoint_look(dbg, event, arrival);
    stop_pending(dbg);
    if (dbg->scan.active)
        scan(dbg, event, arrival);
    if (goal_reached(dbg, event, arrival)) {
        stop(dbg, DBG_STOP_GOAL, event);
    } else if (!dbg->goal.silent) {
        const struct dbg_break *hit = breakpoint_hit(dbg, event, arrival);

        if (hit)
            stop_at_break(dbg, hit, event);
        else if (goal_lost(dbg, event))
            stop(dbg, DBG_STOP_ENDED, event);
    }
    if (dbg->interrupted || is_urgent(dbg))
        stop(dbg, DBG_STOP_INTERRUPT, event);
    history_note(dbg);
    if (dbg->events == dbg->next_change)
        pto_vm_pause(dbg->launch.vm);
    if (core && event->kind == PTO_EV_SCALAR && pto_vm_paused(dbg->launch.vm))
        core->again = true;
}

/* ---- running ---- */

bool run_is_over(const struct dbg *dbg)
{
    return pto_vm_finished(dbg->launch.vm) || pto_vm_fault(dbg->launch.vm);
}

/* Did the machine pause for the debugger alone? */
static bool goes_on(struct dbg *dbg)
{
    bool changed = dbg->stop.kind == DBG_NOT_STOPPED && change_redo(dbg);

    return history_take(dbg) || changed;
}

void run_machine(struct dbg *dbg, struct dbg_goal goal)
{
    dbg->goal = goal;
    issue_drop(dbg->stop.issue);
    dbg->stop = (struct dbg_stop){.kind = DBG_NOT_STOPPED, .depth = DBG_DEPTH_INNERMOST};
    hit_forget(dbg);
    issue_drop(dbg->pending.issue);
    dbg->pending = (struct dbg_stop){.kind = DBG_NOT_STOPPED};
    if (!dbg->started)
        history_begin(dbg);
    dbg->started = true;
    if (dbg->terminal->interactive) /* a script that was interrupted is not to go on */
        dbg->interrupted = 0;
    dbg->muted = goal.silent;
    dbg_flush(dbg);
    change_redo(dbg); /* the moment to which it went back may be that of a change */
    do
        pto_vm_run(dbg->launch.vm);
    while (goes_on(dbg));
    dbg->muted = false;
}

void run_note_line(struct dbg *dbg)
{
    struct pto_core_info info;
    struct dbg_place place;
    const struct pto_pos *pos = NULL;

    dbg_focused(dbg, &info);
    if (dbg_place_of(&info, &place)) {
        const struct pto_insn *insn = &info.code->code.insn[info.pc];
        unsigned levels = source_levels(info.module, insn->pos);

        if (dbg->depth >= levels)
            dbg->depth = levels > 0 ? levels - 1 : 0;
        pos = source_level(info.module, insn->pos, dbg->depth);
    }
    dbg->goal_file = pos ? pos->file : UINT32_MAX;
    dbg->goal_line = pos ? pos->line : 0;
    dbg->goal_parent = pos ? pos->parent : PTO_NONE;
}

bool run_goes_on(struct dbg *dbg)
{
    if (dbg->stop.kind != DBG_STOP_INTERRUPT)
        return true;
    if (!dbg->terminal->interactive)
        dbg->quit = dbg->cut_off = true;
    return dbg->at_prompt && !dbg->nesting;
}

bool run_to(struct dbg *dbg, struct dbg_goal goal)
{
    if (run_is_over(dbg))
        return dbg_error(dbg, "'run' starts it again, 'goto' and 'reverse-step' go back",
                         "the program is over");
    if (goal.kind == DBG_NEXT)
        run_note_line(dbg);
    run_machine(dbg, goal);
    run_settle(dbg);
    return run_goes_on(dbg);
}
