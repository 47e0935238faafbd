#include "trace/trace.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "tool/files.h"
#include "trace/parts.h"

/* ---- the observer ------------------------------------------------------------------------- */

/* Of a scalar unit; false: it is of something else. */
static bool observe_scalar(struct cli_trace *t, const struct pto_event *event)
{
    switch (event->kind) {
    case PTO_EV_LAUNCH: /* the text is the kernel's name */
    case PTO_EV_REGION_BEGIN:
        trace_on_region_begin(t, event);
        return true;
    case PTO_EV_END: /* of the program, and so of all its regions */
        trace_regions_end(t, event);
        return true;
    case PTO_EV_REGION_END:
        trace_on_region_end(t, event);
        return true;
    case PTO_EV_STALL:
        trace_on_stall(t, event);
        return true;
    case PTO_EV_RELEASE:
        trace_on_release(t, event);
        return true;
    case PTO_EV_RESUME:
        trace_on_resume(t, event);
        return true;
    case PTO_EV_TOOK:
        trace_on_took(t, event);
        return true;
    default:
        return false;
    }
}

static bool observe_flag(struct cli_trace *t, const struct pto_event *event)
{
    switch (event->kind) {
    case PTO_EV_SET:
        trace_on_set(t, event);
        if (event->entry)
            trace_retire(t, event, event->entry);
        return true;
    case PTO_EV_CROSS_SET:
        trace_on_cross_set(t, event);
        if (event->entry)
            trace_retire(t, event, event->entry);
        return true;
    case PTO_EV_CROSS_SEND:
        trace_on_cross_send(t, event);
        return true;
    case PTO_EV_CROSS_TAKE:
        trace_on_cross_take(t, event);
        return true;
    default:
        return false;
    }
}

static void observe(void *context, const struct pto_event *event)
{
    struct cli_trace *t = context;

    if (observe_scalar(t, event) || observe_flag(t, event))
        return;
    switch (event->kind) {
    case PTO_EV_ISSUE:
        trace_on_issue(t, event);
        break;
    case PTO_EV_START:
        trace_on_start(t, event);
        break;
    case PTO_EV_PASS:
        trace_on_pass(t, event);
        break;
    case PTO_EV_COMPLETE:
        trace_on_complete(t, event);
        break;
    case PTO_EV_WAIT_BEGIN:
        trace_on_wait_begin(t, event);
        break;
    case PTO_EV_WAIT_END:
        trace_on_waited(t, event);
        break;
    case PTO_EV_SEND:
        trace_on_send(t, event);
        if (t->meters && t->rank_shown[event->rank])
            trace_meters_send(t->meters, event);
        break;
    case PTO_EV_LEAVING:
        if (t->meters && t->rank_shown[event->rank])
            trace_meters_leaving(t->meters, event);
        break;
    case PTO_EV_LAND:
        trace_on_land(t, event);
        break;
    default:
        break;
    }
}

/* ---- start and end ------------------------------------------------------------------------ */

static bool rank_chosen(const struct trace_choice *choice, int rank)
{
    for (unsigned i = 0; i < choice->ranks; i++)
        if (rank >= choice->rank[i].first && rank <= choice->rank[i].last)
            return true;
    return choice->ranks == 0;
}

static bool core_chosen(const struct trace_choice *choice, const char *name, bool *met)
{
    bool chosen = choice->cores == 0;

    for (unsigned i = 0; i < choice->cores; i++)
        if (fnmatch(choice->core[i], name, 0) == 0)
            chosen = met[i] = true;
    return chosen;
}

/* What the choice means for this machine; false: it names what there is not. */
static bool choose(struct cli_trace *t, struct pto_diags *diags)
{
    const struct trace_choice *choice = t->choice;
    bool *met = pto_xcalloc(choice->cores + 1, sizeof *met), good = true;

    for (unsigned i = 0; i < choice->ranks; i++)
        if (choice->rank[i].last >= t->out.ranks) {
            pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                              "--trace-ranks %d: no such rank",
                                              choice->rank[i].last),
                          "--ranks %d numbers them 0 to %d", t->out.ranks, t->out.ranks - 1);
            good = false;
        }
    for (int rank = 0; rank < t->out.ranks; rank++) {
        t->rank_shown[rank] = rank_chosen(choice, rank);
        for (unsigned core = 0; core < t->out.cores; core++) {
            struct pto_core_info info;

            pto_vm_core(t->vm, rank, core, &info);
            t->core[(size_t)rank * t->out.cores + core].shown =
                core_chosen(choice, info.name, met) && t->rank_shown[rank];
        }
    }
    for (unsigned i = 0; i < choice->cores; i++)
        if (!met[i]) {
            pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                              "--trace-cores %s: there is none", choice->core[i]),
                          "sub-cores are called aic0, aiv0.0, aiv0.1 ...; * stands for anything");
            good = false;
        }
    free(met);
    return good;
}

enum pto_status cli_trace_start(struct pto_vm *vm, const struct pto_profile *profile,
                                const struct trace_choice *choice, const char *path,
                                struct pto_diags *diags, struct cli_trace **trace)
{
    struct cli_trace *t = *trace = pto_xcalloc(1, sizeof *t);
    const char *why = "";
    enum pto_status status;

    t->vm = vm;
    t->choice = choice;
    status = timeline_start(&t->out, vm, choice, path, &why);
    if (status != PTO_OK) {
        tool_cannot_write(path, why, diags);
        return status;
    }
    t->ring = 1 + (profile->queue_depth > profile->async_limit ? profile->queue_depth
                                                               : profile->async_limit);
    t->core = pto_xcalloc((size_t)t->out.ranks * t->out.cores, sizeof *t->core);
    t->rank_shown = pto_xcalloc((size_t)t->out.ranks, sizeof *t->rank_shown);
    t->landing = pto_xcalloc((size_t)t->out.ranks, sizeof *t->landing);
    if (choice->kinds >> TRACE_COUNTER & 1 && !choice->insight)
        t->meters = trace_meters_start(&t->out, choice, profile);
    if (!choose(t, diags))
        return PTO_ECONFIG;
    return pto_vm_observe_values(vm, observe, t);
}

/* What is still open. */
static void end_core(struct cli_trace *t, int rank, unsigned core, uint64_t now)
{
    trace_queues_end(t, rank, core, now);
    trace_regions_end(t, &(struct pto_event){.rank = rank, .core = core, .time_ps = now});
}

enum pto_status cli_trace_write(struct cli_trace *t, const struct cli_findings *findings,
                                const char *path, struct pto_diags *diags)
{
    const char *why = "";
    enum pto_status status;

    for (int rank = 0; rank < t->out.ranks; rank++)
        for (unsigned core = 0; core < t->out.cores; core++)
            end_core(t, rank, core, pto_vm_time(t->vm));
    trace_flags_end(t);
    trace_messages_end(t);
    if (t->meters)
        trace_meters_end(t->meters);
    trace_mark_findings(t, findings);
    trace_mark_changes(t);
    status = timeline_end(&t->out, path, &why);
    if (status != PTO_OK)
        tool_cannot_write(path, why, diags);
    return status;
}

uint64_t cli_trace_events(const struct cli_trace *t)
{
    return t->out.events;
}

uint64_t cli_trace_dropped(const struct cli_trace *t)
{
    return t->out.dropped;
}

static void free_core(struct cli_trace *t, struct trace_core *core)
{
    trace_queues_free(t, core);
    free(core->stall_value);
    free(core->region);
}

void cli_trace_free(struct cli_trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; t->core && i < (size_t)t->out.ranks * t->out.cores; i++)
        free_core(t, &t->core[i]);
    free(t->core);
    free(t->rank_shown);
    free(t->landing);
    free(t->flag);
    free(t->sent);
    free(t->sent_free);
    trace_map_free(&t->flag_numbers);
    trace_map_free(&t->sent_numbers);
    trace_meters_free(t->meters);
    trace_texts_free(&t->texts);
    timeline_free(&t->out);
    free(t);
}
