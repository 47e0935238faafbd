/* What the checker found, what ended the run and what changed meanwhile: marks on the timeline. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/wires.h"
#include "look/awaited.h"
#include "look/parties.h"
#include "trace/parts.h"

static unsigned core_called(const struct cli_trace *t, int rank, const char *name)
{
    for (unsigned core = 0; name && core < t->out.cores; core++) {
        struct pto_core_info info;

        pto_vm_core(t->vm, rank, core, &info);
        if (!strcmp(info.name, name))
            return core;
    }
    return 0;
}

static unsigned pipe_called(const char *name)
{
    for (unsigned pipe = 0; name && pipe < PTO_QUEUE_COUNT; pipe++)
        if (!strcmp(pto_queue_name(pipe), name))
            return pipe;
    return PTO_PIPE_S;
}

struct party {
    int rank;
    const char *core, *pipe;
    uint64_t time_ps;
};

static void mark(struct cli_trace *t, const struct party *party, const char *name,
                 const char *message)
{
    struct pto_event at = {.rank = party->rank};
    unsigned pipe = pipe_called(party->pipe);

    if (party->rank < 0 || party->rank >= t->out.ranks)
        return;
    at.core = core_called(t, party->rank, party->core);
    if (trace_shows(t, &at, pipe, TRACE_FINDING, party->time_ps, party->time_ps) &&
        timeline_admit(&t->out, 1))
        timeline_mark(&t->out, name, message, party->rank,
                      timeline_pipe(&t->out, party->rank, at.core, pipe), party->time_ps);
}

/* ---- deadlocks ---------------------------------------------------------------------------- */

struct waiter {
    struct cli_trace *t;
    const struct pto_core_info *core;
    int rank;
    unsigned queue;
};

static void mark_awaited(void *context, const struct pto_awaited *awaited)
{
    const struct waiter *waiter = context;
    struct cli_trace *t = waiter->t;
    struct pto_core_info core;
    char message[160];

    if (awaited->core == PTO_AWAITED_THING)
        return;
    pto_vm_core(t->vm, awaited->rank, (unsigned)awaited->core, &core);
    snprintf(message, sizeof message, "%s: rank %d, %s, pipe %s waits for it", awaited->label,
             waiter->rank, waiter->core->name, pto_queue_name(waiter->queue));
    mark(t, &(struct party){awaited->rank, core.name, pto_queue_name(awaited->queue),
                            pto_vm_time(t->vm)}, "awaited", message);
}

/* Whom the waits are for. */
static void mark_all_awaited(struct cli_trace *t)
{
    for (int rank = 0; rank < t->out.ranks; rank++)
        for (unsigned i = 0; i < t->out.cores; i++) {
            struct pto_core_info core;

            pto_vm_core(t->vm, rank, i, &core);
            for (unsigned queue = 0; queue < PTO_QUEUE_COUNT; queue++)
                pto_vm_awaited(t->vm, rank, i, queue, mark_awaited,
                               &(struct waiter){t, &core, rank, queue});
        }
}

/* Everybody who waits, but for the one whom the fault names. */
static void mark_deadlock(struct cli_trace *t, const struct pto_fault *fault)
{
    struct pto_arena arena = {0};
    struct pto_party *party;
    unsigned parties = pto_vm_parties(t->vm, &arena, &party);

    for (unsigned i = 0; i < parties; i++, party++)
        if (party->wants && party->core &&
            (party->rank != fault->rank || !fault->core || strcmp(party->core, fault->core) ||
             strcmp(party->pipe, fault->pipe ? fault->pipe : "")))
            mark(t, &(struct party){party->rank, party->core, party->pipe, pto_vm_time(t->vm)},
                 "deadlock", pto_arena_printf(&arena, "waits for %s", party->wants));
    pto_arena_free(&arena);
    mark_all_awaited(t);
}

/* Both parties of every finding, and what ended the run. */
void trace_mark_findings(struct cli_trace *t, const struct cli_findings *findings)
{
    const struct pto_fault *fault = pto_vm_fault(t->vm);

    for (unsigned i = 0; i < findings->count; i++)
        for (unsigned side = 0; side < 2; side++) {
            const struct pto_finding *finding = findings->item[i].finding;
            const struct pto_finding_access *access = &finding->access[side];

            if (access->present)
                mark(t, &(struct party){access->rank, access->core, access->pipe, access->time_ps},
                     pto_finding_name(finding->kind), finding->message);
        }
    if (fault)
        mark(t, &(struct party){fault->rank, fault->core, fault->pipe, fault->time_ps},
             fault->status == PTO_EDEADLOCK ? "deadlock"
             : fault->status == PTO_ELIMIT  ? "limit"
                                            : "fault",
             fault->message);
    if (fault && fault->status == PTO_EDEADLOCK)
        mark_deadlock(t, fault);
}

/* ---- links and ranks that change ---------------------------------------------------------- */

/* On the ranks at its ends; a link between other places: on the first rank. */
static void mark_change(struct cli_trace *t, const struct pto_change *change, uint64_t when,
                        const char *message)
{
    int rank[2];

    if (when == 0 || when > pto_vm_time(t->vm))
        return;
    cli_change_ranks(change, rank);
    if (rank[0] >= 0 || rank[1] < 0)
        mark(t, &(struct party){rank[0] >= 0 ? rank[0] : 0, NULL, NULL, when}, "change", message);
    if (rank[1] >= 0)
        mark(t, &(struct party){rank[1], NULL, NULL, when}, "change", message);
}

void trace_mark_changes(struct cli_trace *t)
{
    struct pto_change change;

    for (unsigned i = 0; pto_vm_change(t->vm, i, &change); i++) {
        struct pto_buf text = {0};

        cli_change_what(&change, &text);
        mark_change(t, &change, change.when.from_ps, pto_buf_text(&text));
        pto_buf_printf(&text, " no more");
        mark_change(t, &change, change.when.to_ps, pto_buf_text(&text));
        pto_buf_free(&text);
    }
}
