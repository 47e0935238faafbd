/* Messages between ranks: where they leave and land, and the waits that they end. */
#include <stdio.h>
#include <string.h>

#include "trace/parts.h"

static bool shows(const struct cli_trace *t, int rank, uint64_t when)
{
    const struct trace_choice *choice = t->choice;

    return choice->kinds >> TRACE_LINK & 1 && t->rank_shown[rank] && when >= choice->from_ps &&
           when <= choice->to_ps;
}

static struct trace_held hold(struct cli_trace *t, const struct pto_event *event,
                              enum timeline_direction direction)
{
    struct trace_held held = {
        .there = true,
        .shown = shows(t, event->rank, event->time_ps),
        .rank = event->rank,
        .peer = event->peer,
        .when = event->time_ps,
        .bytes = event->bytes,
        .reason = event->reason,
    };

    if (held.shown)
        held.tid = timeline_peer(&t->out, event->rank, direction, event->peer);
    return held;
}

static struct timeline_slice instant(const struct trace_held *held)
{
    return (struct timeline_slice){.kind = TRACE_LINK,
                                   .name = pto_message_name(held->reason),
                                   .rank = held->rank,
                                   .tid = held->tid,
                                   .start = held->when,
                                   .end = held->when,
                                   .bytes = held->bytes};
}

static void alone(struct cli_trace *t, const struct trace_held *held)
{
    struct timeline_slice slice = instant(held);

    if (held->shown && timeline_admit(&t->out, 1))
        timeline_slice(&t->out, &slice);
}

/* The message's way; true: its landing was written last. */
static bool tell_landing(struct cli_trace *t, const struct trace_landing *landing)
{
    struct timeline_slice from = instant(&landing->sent), to = instant(&landing->landed);
    uint64_t before = t->next_flow;

    if (landing->sent.shown && landing->landed.shown) {
        trace_arrow(t, &from, &to);
        return t->next_flow > before;
    }
    alone(t, &landing->sent);
    alone(t, &landing->landed);
    return false;
}

/* ---- under way ---- */

static uint64_t key(int source, uint64_t sequence)
{
    return ((uint64_t)source << 40 | (sequence & ((UINT64_C(1) << 40) - 1))) + 1;
}

void trace_on_send(struct cli_trace *t, const struct pto_event *event)
{
    uint32_t at;

    if (t->sent_frees > 0) {
        at = t->sent_free[--t->sent_frees];
    } else {
        PTO_GROW(t->sent, t->sents, t->sent_capacity);
        at = t->sents++;
    }
    t->sent[at] = hold(t, event, TIMELINE_TO);
    *trace_map_at(&t->sent_numbers, key(event->rank, event->message)) = at + 1;
}

static struct trace_held arrived(struct cli_trace *t, const struct pto_event *event)
{
    uint32_t number = trace_map_take(&t->sent_numbers, key(event->peer, event->message));
    struct trace_held held = {0};

    if (number) {
        held = t->sent[number - 1];
        t->sent[number - 1].there = false;
        PTO_GROW(t->sent_free, t->sent_frees, t->sent_free_capacity);
        t->sent_free[t->sent_frees++] = number - 1;
    }
    return held;
}

static void settle(struct cli_trace *t, struct trace_landing *landing)
{
    if (landing->landed.there)
        tell_landing(t, landing);
    landing->landed.there = false;
}

/* It is told with the next one, as it may end a wait. */
void trace_on_land(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_landing *landing = &t->landing[event->rank];

    settle(t, landing);
    landing->sent = arrived(t, event);
    landing->landed = hold(t, event, TIMELINE_FROM);
}

/* ---- the waits that they end ---- */

void trace_on_release(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_landing *landing = &t->landing[event->rank];
    struct trace_wake *wake = &trace_core(t, event)->wake;
    struct pto_event actor = *event;

    trace_core(t, event)->stall_id = event->flag_id;
    if (!event->insn || (event->insn->op != PTO_OP_TWAIT && event->insn->op != PTO_OP_TWAIT_ANY2 &&
                         event->insn->op != PTO_OP_TWAIT_ANY3))
        return;
    if (event->peer < 0) {
        wake->kind = landing->landed.there ? WAKE_BY_LANDING : WAKE_LATE;
        wake->landing = *landing;
        landing->landed.there = false; /* it is told with the wait */
        return;
    }
    actor.core = (unsigned)event->peer;
    wake->kind = WAKE_BY_CORE;
    wake->actor = (struct trace_held){
        .shown = trace_shows(t, &actor, event->pipe, TRACE_FLAG, event->time_ps, event->time_ps),
        .rank = event->rank,
        .when = event->time_ps,
    };
    if (wake->actor.shown)
        wake->actor.tid = timeline_pipe(&t->out, event->rank, actor.core, event->pipe);
}

/* Another sub-core goes on first that waited for the same message: the landing, from which both
 * arrows begin, has to stand before them. */
static void tell_for_others(struct cli_trace *t, int rank, const struct trace_held *landed)
{
    for (unsigned i = 0; i < t->out.cores; i++) {
        struct trace_wake *wake = &t->core[(size_t)rank * t->out.cores + i].wake;

        if (wake->kind == WAKE_BY_LANDING && wake->landing.landed.when == landed->when &&
            wake->landing.landed.peer == landed->peer)
            wake->kind = tell_landing(t, &wake->landing) ? WAKE_LATE : WAKE_NONE;
    }
}

/* Before the stall that it ends: where the arrow begins; without a name: nowhere. */
void trace_before_wake(struct cli_trace *t, struct trace_core *core, struct timeline_slice *from)
{
    struct trace_wake *wake = &core->wake;

    *from = (struct timeline_slice){0};
    if (wake->kind == WAKE_BY_LANDING && tell_landing(t, &wake->landing))
        *from = instant(&wake->landing.landed);
    if (wake->kind == WAKE_LATE)
        tell_for_others(t, wake->landing.landed.rank, &wake->landing.landed);
    if (wake->kind == WAKE_LATE && wake->landing.landed.shown)
        *from = instant(&wake->landing.landed);
    if (wake->kind == WAKE_BY_CORE && wake->actor.shown) {
        *from = (struct timeline_slice){.kind = TRACE_FLAG, .name = "signal",
                                        .rank = wake->actor.rank, .tid = wake->actor.tid,
                                        .start = wake->actor.when, .end = wake->actor.when};
        if (timeline_admit(&t->out, 1))
            timeline_slice(&t->out, from);
        else
            from->name = NULL;
    }
    wake->kind = WAKE_NONE;
}

void trace_messages_end(struct cli_trace *t)
{
    for (int rank = 0; rank < t->out.ranks; rank++)
        settle(t, &t->landing[rank]);
    for (size_t i = 0; i < (size_t)t->out.ranks * t->out.cores; i++)
        if (t->core[i].wake.kind == WAKE_BY_LANDING)
            tell_landing(t, &t->core[i].wake.landing);
    for (uint32_t i = 0; i < t->sents; i++)
        if (t->sent[i].there)
            alone(t, &t->sent[i]);
}
