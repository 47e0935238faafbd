/* Scalar units: what holds them up, what takes them time, and the regions that they are in. */
#include <stdlib.h>

#include "trace/parts.h"

void trace_on_stall(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_core *core = trace_core(t, event);

    core->stall = trace_text_of(&t->texts, event->module, event->insn);
    core->wake.kind = 0;
    trace_keep_values(core->stall, event->registers, &core->stall_value, &core->stall_capacity);
}

static bool waits_for_flag(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_WAIT_FLAG && insn->operand[1].value == PTO_PIPE_S;
}

void trace_on_resume(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_core *core = trace_core(t, event);
    struct timeline_slice from, stall = {
        .kind = TRACE_WAIT,
        .before = "stall: ",
        .name = core->stall ? core->stall->mnemonic : "work",
        .rank = event->rank,
        .start = event->start_ps,
        .end = event->time_ps,
        .insn = core->stall,
        .value = core->stall_value,
    };
    bool shown = trace_shows(t, event, PTO_PIPE_S, TRACE_WAIT, stall.start, stall.end) &&
                 stall.start < stall.end;

    stall.tid = shown ? timeline_pipe(&t->out, event->rank, event->core, PTO_PIPE_S) : 0;
    trace_before_wake(t, core, &from);
    shown = shown && timeline_admit(&t->out, from.name ? 3 : 1);
    if (shown && from.name)
        timeline_arrow(&t->out, 's', ++t->next_flow, from.kind, &from, from.start);
    if (shown)
        timeline_slice(&t->out, &stall);
    if (shown && from.name)
        timeline_arrow(&t->out, 'f', t->next_flow, from.kind, &stall,
                       from.start > stall.start ? from.start : stall.start);
    if (core->stall && waits_for_flag(core->stall->insn))
        trace_on_wait_of_s(t, event);
}

/* An instruction took S time; of those that only put something into a queue nothing is told. */
void trace_on_took(struct cli_trace *t, const struct pto_event *event)
{
    const struct trace_insn *insn;
    uint64_t value[PTO_MAX_HOLES];

    if (event->start_ps >= event->time_ps || !event->insn ||
        !trace_shows(t, event, PTO_PIPE_S, TRACE_SCALAR, event->start_ps, event->time_ps))
        return;
    switch (event->insn->op) {
    case PTO_OP_SET_FLAG:
    case PTO_OP_WAIT_FLAG:
    case PTO_OP_SET_FLAG_DEV:
    case PTO_OP_SET_INTRA_BLOCK:
    case PTO_OP_WAIT_INTRA_BLOCK:
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
        return;
    default:
        break;
    }
    insn = trace_text_of(&t->texts, event->module, event->insn);
    if (!insn || !timeline_admit(&t->out, 1))
        return;
    trace_core(t, event)->busy_until = event->time_ps;
    if (event->registers)
        trace_text_values(insn, event->registers, value);
    timeline_slice(&t->out, &(struct timeline_slice){
        .kind = TRACE_SCALAR,
        .name = insn->mnemonic,
        .rank = event->rank,
        .tid = timeline_pipe(&t->out, event->rank, event->core, PTO_PIPE_S),
        .start = event->start_ps,
        .end = event->time_ps,
        .insn = insn,
        .value = event->registers ? value : NULL});
}

/* ---- regions ------------------------------------------------------------------------------ */

/* Those that began before the window and reach into it are told when that is known. */
static void tell_regions(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_core *core = trace_core(t, event);

    for (unsigned i = 0; i < core->regions; i++) {
        struct trace_region *region = &core->region[i];

        if (region->told || !trace_shows(t, event, PTO_PIPE_S, TRACE_REGION, region->began,
                                         event->time_ps))
            continue;
        if (!timeline_admit(&t->out, t->choice->insight ? 1 : 2)) /* begin and end */
            return;
        region->told = true;
        timeline_region(&t->out, 'B', region->name, event->rank,
                        timeline_pipe(&t->out, event->rank, event->core, PTO_PIPE_S),
                        region->began, region->began);
    }
}

void trace_on_region_begin(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_core *core = trace_core(t, event);

    PTO_GROW(core->region, core->regions, core->region_capacity);
    core->region[core->regions++] =
        (struct trace_region){event->text ? event->text : "", event->time_ps, false};
    tell_regions(t, event);
}

void trace_on_region_end(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_core *core = trace_core(t, event);
    const struct trace_region *region;

    if (core->regions == 0)
        return;
    tell_regions(t, event);
    region = &core->region[--core->regions];
    if (region->told)
        timeline_region(&t->out, 'E', region->name, event->rank,
                        timeline_pipe(&t->out, event->rank, event->core, PTO_PIPE_S),
                        region->began, event->time_ps);
}

/* S may be ahead of what ended the run. */
void trace_regions_end(struct cli_trace *t, const struct pto_event *at)
{
    struct trace_core *core = trace_core(t, at);
    struct pto_event end = *at;

    if (core->busy_until > end.time_ps)
        end.time_ps = core->busy_until;
    while (core->regions > 0)
        trace_on_region_end(t, &end);
}
