#include "cli/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/timeline.h"
#include "file.h"

enum {
    FLOW_SLOTS = 4,      /* tokens of one flag under way: at least the depth of any flag */
    MESSAGE_SLICE_PS = 1000
};

/* A phase between start and completion. */
struct phase {
    struct span span;
    uint64_t clip; /* when the next one started: slices of a track do not overlap; 0: not yet */
};

struct track {
    struct phase *phase;
    unsigned first, count, capacity; /* pending: phase[first..count) */
};

struct core_tracks {
    struct track pipe[PTO_QUEUE_COUNT]; /* pipes and the DMA engine */
    struct span stall;     /* of S */
    uint64_t flow_into_s;  /* arrow of the latest token for S; 0: none */
};

/* Arrows of one flag (rank, sub-core, source, destination, id). */
struct flag_flows {
    uint64_t key; /* 0: free */
    uint32_t sets, waits;
    uint64_t flow[FLOW_SLOTS];
};

struct cli_trace {
    struct pto_vm *vm;
    struct timeline out;
    uint64_t flag_ps;
    uint64_t next_flow;
    struct core_tracks *core; /* [rank][sub-core] */
    struct flag_flows *flag;  /* hash table, a power of two */
    uint32_t flags, flag_capacity;
};

static struct core_tracks *core_tracks(struct cli_trace *t, const struct pto_event *event)
{
    return &t->core[(size_t)event->rank * t->out.cores + event->core];
}

/* ---- phases ------------------------------------------------------------------------------- */

static const char *mnemonic(const struct pto_insn *insn)
{
    return insn ? pto_op_info(insn->op)->mnemonic : "work";
}

static struct span span_of(const struct pto_event *event, uint64_t start)
{
    return (struct span){start, event->bytes, event->insn, event->module};
}

/* Something new starts on the track: what is still pending is shown up to here. */
static void clip_pending(struct track *track, uint64_t when)
{
    for (unsigned i = track->first; i < track->count; i++)
        if (track->phase[i].clip == 0)
            track->phase[i].clip = when;
}

static void push_phase(struct track *track, struct span span)
{
    if (track->first > 0 && track->count == track->capacity) {
        memmove(track->phase, track->phase + track->first,
                (track->count - track->first) * sizeof *track->phase);
        track->count -= track->first;
        track->first = 0;
    }
    PTO_GROW(track->phase, track->count, track->capacity);
    track->phase[track->count++] = (struct phase){.span = span};
}

static void show_phase(struct cli_trace *t, int rank, unsigned core, unsigned pipe,
                       const struct phase *phase, uint64_t end, bool unfinished)
{
    uint64_t visible = phase->clip != 0 && phase->clip < end ? phase->clip : end;

    if (!timeline_admit(&t->out))
        return;
    timeline_open(&t->out, "pipe", mnemonic(phase->span.insn), rank,
                  timeline_pipe(&t->out, rank, core, pipe), phase->span.start,
                  visible - phase->span.start);
    timeline_close(&t->out, &phase->span, end, unfinished);
}

static void on_complete(struct cli_trace *t, const struct pto_event *event)
{
    struct track *track = &core_tracks(t, event)->pipe[event->pipe];
    struct phase phase = {.span = span_of(event, event->start_ps)};

    if (track->first < track->count)
        phase = track->phase[track->first++];
    if (track->first == track->count)
        track->first = track->count = 0;
    show_phase(t, event->rank, event->core, event->pipe, &phase, event->time_ps, false);
}

/* ---- flags -------------------------------------------------------------------------------- */

static struct flag_flows *find_flag(struct flag_flows *table, uint32_t capacity, uint64_t key)
{
    uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

    while (table[at & (capacity - 1)].key != 0 && table[at & (capacity - 1)].key != key)
        at++;
    return &table[at & (capacity - 1)];
}

static struct flag_flows *flag_of(struct cli_trace *t, const struct pto_event *event)
{
    uint64_t key = (((uint64_t)event->rank * t->out.cores + event->core) << 24) + 1 +
                   ((uint64_t)event->flag_src << 16) + ((uint64_t)event->flag_dst << 8) +
                   event->flag_id;
    struct flag_flows *flag;

    if (2 * t->flags >= t->flag_capacity) {
        uint32_t capacity = t->flag_capacity > 0 ? 2 * t->flag_capacity : 256;
        struct flag_flows *table = pto_xcalloc(capacity, sizeof *table);

        for (uint32_t i = 0; i < t->flag_capacity; i++)
            if (t->flag[i].key != 0)
                *find_flag(table, capacity, t->flag[i].key) = t->flag[i];
        free(t->flag);
        t->flag = table;
        t->flag_capacity = capacity;
    }
    flag = find_flag(t->flag, t->flag_capacity, key);
    if (flag->key == 0) {
        flag->key = key;
        t->flags++;
    }
    return flag;
}

/* The slice of a set or of the end of a wait, as long as the pipe takes for it. */
static void flag_slice(struct cli_trace *t, const struct pto_event *event, const char *what,
                       char arrow_end, uint64_t flow)
{
    char name[64];
    unsigned tid = timeline_pipe(&t->out, event->rank, event->core, event->pipe);
    struct span span = span_of(event, event->time_ps);

    snprintf(name, sizeof name, "%s %s, %s, %u", what,
             pto_enum_keyword(PTO_ENUM_PIPE, event->flag_src),
             pto_enum_keyword(PTO_ENUM_PIPE, event->flag_dst), event->flag_id);
    if (timeline_admit(&t->out)) {
        timeline_open(&t->out, "flag", name, event->rank, tid, event->time_ps, t->flag_ps);
        timeline_close(&t->out, &span, event->time_ps, false);
    }
    if (flow != 0)
        timeline_arrow(&t->out, arrow_end, "flag", flow, event->rank, tid, event->time_ps);
}

/* Time spent in front of a flag, or a stall of the scalar unit, up to now. */
static void waiting_slice(struct cli_trace *t, const struct pto_event *event, const char *name,
                          const struct span *what)
{
    unsigned tid = timeline_pipe(&t->out, event->rank, event->core, event->pipe);

    if (event->time_ps <= event->start_ps || !timeline_admit(&t->out))
        return;
    timeline_open(&t->out, "wait", name, event->rank, tid, event->start_ps,
                  event->time_ps - event->start_ps);
    timeline_close(&t->out, what, event->time_ps, false);
}

static void on_set(struct cli_trace *t, const struct pto_event *event)
{
    struct flag_flows *flag = flag_of(t, event);
    uint64_t flow = ++t->next_flow;

    flag->flow[flag->sets++ % FLOW_SLOTS] = flow;
    if (event->flag_dst == PTO_PIPE_S)
        core_tracks(t, event)->flow_into_s = flow;
    flag_slice(t, event, "set_flag", 's', flow);
}

static void on_wait_end(struct cli_trace *t, const struct pto_event *event)
{
    struct flag_flows *flag = flag_of(t, event);
    struct span span = span_of(event, event->start_ps);
    uint64_t flow = flag->waits < flag->sets ? flag->flow[flag->waits++ % FLOW_SLOTS] : 0;

    clip_pending(&core_tracks(t, event)->pipe[event->pipe], event->start_ps);
    waiting_slice(t, event, "waiting", &span);
    flag_slice(t, event, "wait_flag", 'f', flow);
}

/* ---- scalar unit -------------------------------------------------------------------------- */

static void on_resume(struct cli_trace *t, const struct pto_event *event)
{
    struct core_tracks *core = core_tracks(t, event);
    struct span stall = core->stall;
    char name[64];

    stall.start = event->start_ps;
    snprintf(name, sizeof name, "stall: %s", mnemonic(stall.insn));
    waiting_slice(t, event, name, &stall);
    if (stall.insn && stall.insn->op == PTO_OP_WAIT_FLAG && core->flow_into_s != 0 &&
        timeline_admit(&t->out)) {
        unsigned tid = timeline_pipe(&t->out, event->rank, event->core, PTO_PIPE_S);

        stall.start = event->time_ps;
        timeline_open(&t->out, "flag", "wait_flag", event->rank, tid, event->time_ps, t->flag_ps);
        timeline_close(&t->out, &stall, event->time_ps, false);
        timeline_arrow(&t->out, 'f', "flag", core->flow_into_s, event->rank, tid, event->time_ps);
    }
    core->flow_into_s = 0;
}

static void on_region(struct cli_trace *t, const struct pto_event *event, char end,
                      const char *name)
{
    unsigned tid = timeline_pipe(&t->out, event->rank, event->core, PTO_PIPE_S);

    if (timeline_admit(&t->out))
        timeline_region(&t->out, end, name, event->rank, tid, event->time_ps);
}

/* ---- messages ----------------------------------------------------------------------------- */

static void on_message(struct cli_trace *t, const struct pto_event *event,
                       enum timeline_direction direction)
{
    unsigned tid = timeline_peer(&t->out, event->rank, direction, event->peer);
    bool out = direction == TIMELINE_TO;
    int source = out ? event->rank : event->peer;
    struct span span = {.start = event->time_ps, .bytes = event->bytes};
    /* Message numbers are unique per source; arrows of flags stay below this range. */
    uint64_t id = (UINT64_C(1) << 52) | (uint64_t)source << 40 |
                  (event->message & ((UINT64_C(1) << 40) - 1));

    if (timeline_admit(&t->out)) {
        timeline_open(&t->out, "link", out ? "send" : "land", event->rank, tid, event->time_ps,
                      MESSAGE_SLICE_PS);
        timeline_close(&t->out, &span, event->time_ps, false);
    }
    timeline_arrow(&t->out, out ? 's' : 'f', "link", id, event->rank, tid, event->time_ps);
}

static void observe(void *context, const struct pto_event *event)
{
    struct cli_trace *t = context;
    struct track *track;

    switch (event->kind) {
    case PTO_EV_END:
    case PTO_EV_REGION_END:
        on_region(t, event, 'E', NULL);
        break;
    case PTO_EV_LAUNCH: /* the text is the kernel's name */
    case PTO_EV_REGION_BEGIN:
        on_region(t, event, 'B', event->text ? event->text : "");
        break;
    case PTO_EV_START:
        track = &core_tracks(t, event)->pipe[event->pipe];
        clip_pending(track, event->time_ps);
        push_phase(track, span_of(event, event->time_ps));
        break;
    case PTO_EV_COMPLETE:
        on_complete(t, event);
        break;
    case PTO_EV_STALL:
        core_tracks(t, event)->stall = span_of(event, event->time_ps);
        break;
    case PTO_EV_RESUME:
        on_resume(t, event);
        break;
    case PTO_EV_SET:
        on_set(t, event);
        break;
    case PTO_EV_WAIT_BEGIN:
        clip_pending(&core_tracks(t, event)->pipe[event->pipe], event->time_ps);
        break;
    case PTO_EV_WAIT_END:
        on_wait_end(t, event);
        break;
    case PTO_EV_SEND:
        on_message(t, event, TIMELINE_TO);
        break;
    case PTO_EV_LAND:
        on_message(t, event, TIMELINE_FROM);
        break;
    default:
        break;
    }
}

/* ---- start and end ------------------------------------------------------------------------ */

enum pto_status cli_trace_start(struct pto_vm *vm, const struct pto_profile *profile,
                                uint64_t max_events, struct cli_trace **trace)
{
    struct cli_trace *t = pto_xcalloc(1, sizeof *t);

    t->vm = vm;
    t->flag_ps = pto_profile_ps(profile, (uint64_t)profile->flag_cycles * 1000);
    timeline_start(&t->out, vm, max_events);
    t->core = pto_xcalloc((size_t)t->out.ranks * t->out.cores + 1, sizeof *t->core);
    *trace = t;
    return pto_vm_observe(vm, observe, t);
}

/* Phases that a fault, deadlock or limit cut off. */
static void show_unfinished(struct cli_trace *t)
{
    uint64_t now = pto_vm_time(t->vm);

    for (int rank = 0; rank < t->out.ranks; rank++)
        for (unsigned core = 0; core < t->out.cores; core++)
            for (unsigned pipe = 0; pipe < PTO_QUEUE_COUNT; pipe++) {
                struct track *track = &t->core[(size_t)rank * t->out.cores + core].pipe[pipe];

                for (; track->first < track->count; track->first++) {
                    const struct phase *phase = &track->phase[track->first];
                    uint64_t end = now > phase->span.start ? now : phase->span.start;

                    show_phase(t, rank, core, pipe, phase, end, true);
                }
            }
}

enum pto_status cli_trace_write(struct cli_trace *t, const char *path, struct pto_diags *diags)
{
    const char *why = "";
    enum pto_status status;

    show_unfinished(t);
    timeline_end(&t->out);
    status = pto_file_write(path, t->out.text.data, t->out.text.size, &why);
    if (status != PTO_OK)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot write '%s': %s", path, why);
    return status;
}

uint64_t cli_trace_dropped(const struct cli_trace *t)
{
    return t->out.dropped;
}

void cli_trace_free(struct cli_trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < (size_t)t->out.ranks * t->out.cores; i++)
        for (unsigned pipe = 0; pipe < PTO_QUEUE_COUNT; pipe++)
            free(t->core[i].pipe[pipe].phase);
    free(t->core);
    free(t->flag);
    timeline_free(&t->out);
    free(t);
}
