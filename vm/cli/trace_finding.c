/* What the checker found and what ended the run, as marks on the timeline. */
#include <string.h>

#include "cli/trace_parts.h"

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
}
