/* Telling where the machine stopped, and what follows from that. */
#include <string.h>

#include "cli/data.h"
#include "cli/faults.h"
#include "dbg/breakpoint.h"
#include "dbg/change.h"
#include "dbg/display.h"
#include "dbg/due.h"
#include "dbg/event.h"
#include "dbg/findings.h"
#include "dbg/history.h"
#include "dbg/run.h"
#include "dbg/source.h"

static void deliver(struct dbg *dbg)
{
    struct pto_diags diags = {0};

    if (dbg->delivered)
        return;
    dbg->delivered = true;
    if (dbg->changes > 0) {
        if (dbg->options->out.count > 0 || dbg->options->out_archive)
            dbg_say(dbg, "The results of an altered run are written to no file.\n");
        return;
    }
    cli_outputs_write(dbg->options, &dbg->launch, &diags);
    for (const struct pto_diag *diag = diags.first; diag; diag = diag->next)
        dbg_error(dbg, diag->hint, "%s", diag->message);
    dbg->failed = dbg->failed || diags.errors > 0;
    pto_diags_free(&diags);
}

void run_say_fault(struct dbg *dbg)
{
    const struct pto_fault *fault = pto_vm_fault(dbg->launch.vm);
    const struct dbg_record *at = fault && fault->rank >= 0 ? &dbg->fault[fault->rank] : NULL;
    struct dbg_place place;

    if (!at || fault->status != PTO_EPROGRAM || at->number == 0 ||
        !source_place_of_insn(dbg, at->event.insn, &place))
        return;
    dbg_say(dbg, at->event.entry > 0 ? "  it was issued as " : "  it is ");
    source_say_issued(dbg, &place, at->issue);
    dbg_say(dbg, "\n");
}

/* Say how it ended. */
static void say_end(struct dbg *dbg)
{
    struct pto_vm *vm = dbg->launch.vm;
    const struct pto_fault *fault = pto_vm_fault(vm);
    struct pto_buf text = {0};

    if (fault) {
        cli_fault_text(fault, NULL, false, &text);
        pto_buf_append(&dbg->out, text.data, text.size);
        text.size = 0;
        run_say_fault(dbg);
        pto_buf_printf(&text, "The program is dead%s, its state can be looked at.\n",
                       dbg->changes > 0 ? " after it was altered" : "");
    } else {
        pto_buf_printf(&text, "The program ended at %s, event %llu%s.\n",
                       dbg_time(pto_vm_time(vm)).text, (unsigned long long)dbg->events,
                       dbg->changes > 0 ? ", altered" : "");
    }
    pto_buf_append(&dbg->out, text.data, text.size);
    pto_buf_free(&text);
}

/* Focus on the sub-core that a fault names. */
static void focus_fault(struct dbg *dbg)
{
    const struct pto_fault *fault = pto_vm_fault(dbg->launch.vm);
    int core;

    if (!fault || fault->rank < 0 || !fault->core)
        return;
    core = dbg_find_core(dbg, fault->core, strlen(fault->core));
    if (core >= 0)
        dbg_focus_on(dbg, fault->rank, (unsigned)core);
}

static void say_stop(struct dbg *dbg)
{
    const struct dbg_stop *at = &dbg->stop;

    switch (at->kind) {
    case DBG_STOP_BREAK:
        breakpoint_say_hits(dbg);
        break;
    case DBG_STOP_ENDED:
        dbg_say(dbg, "The sub-core has ended: ");
        break;
    case DBG_STOP_INTERRUPT:
        dbg_say(dbg, "Interrupted: ");
        break;
    default:
        if (dbg->goal.kind == DBG_PIPE || dbg->goal.kind == DBG_FINISH)
            event_say(dbg, &at->event, at->issue);
    }
    source_say_stop(dbg);
}

/* The run that was altered is left. */
static void settle_changes(struct dbg *dbg)
{
    uint64_t event;

    if (!change_settle(dbg, &event))
        return;
    history_cut(dbg, event);
    findings_cut(dbg, event);
    dbg_say(dbg, "What was changed at event %llu is undone%s.\n", (unsigned long long)event,
            dbg->changes > 0 ? "; earlier changes stay" : ": this is the run as it was");
}

void run_settle(struct dbg *dbg)
{
    const struct dbg_stop *at = &dbg->stop;

    dbg->stops++;
    settle_changes(dbg);
    if (run_is_over(dbg)) {
        dbg->depth = DBG_DEPTH_INNERMOST;
        focus_fault(dbg);
        say_end(dbg);
        findings_conclude(dbg, true);
        if (pto_vm_finished(dbg->launch.vm) && !pto_vm_fault(dbg->launch.vm))
            deliver(dbg);
        return;
    }
    /* Events of a rank as a whole have no sub-core: the number stays. */
    if (at->kind == DBG_STOP_BREAK || dbg->goal.kind == DBG_FIRST ||
        (dbg->goal.kind == DBG_EVENT && !dbg->goal.keep_focus))
        dbg_focus_on(dbg, at->event.rank, at->event.module ? at->event.core : dbg->core);
    if (at->kind == DBG_STOP_BREAK || dbg->goal.kind == DBG_UNTIL)
        dbg->depth = at->depth;
    else if (dbg->goal.kind != DBG_NEXT)
        dbg->depth = DBG_DEPTH_INNERMOST;
    dbg->list_line = 0;
    due_expect(dbg);
    if (!due_is_silent(dbg)) {
        say_stop(dbg);
        display_say_all(dbg);
    }
    breakpoint_drop_temporary(dbg);
}
