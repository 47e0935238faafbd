#include "cli/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "file.h"
#include "json_quote.h"

enum {
    TIDS_PER_CORE = 16,
    FLOW_SLOTS = 4,      /* tokens of one flag under way: at least the depth of any flag */
    MESSAGE_SLICE_PS = 1000
};

/* A phase between start and completion. */
struct phase {
    uint64_t start, bytes;
    uint64_t clip; /* when the next one started: slices of a track do not overlap; 0: not yet */
    const struct pto_insn *insn;
    const struct pto_module *module;
};

struct track {
    bool named;
    struct phase *phase;
    unsigned first, count, capacity; /* pending: phase[first..count) */
};

struct core_tracks {
    struct track pipe[PTO_QUEUE_COUNT]; /* pipes and the DMA engine */
    struct phase stall;    /* of S */
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
    struct pto_buf out;
    uint64_t max_events, events, dropped;
    uint64_t flag_ps;
    uint64_t next_flow;
    int ranks;
    unsigned cores;
    struct core_tracks *core; /* [rank][sub-core] */
    bool *rank_named;
    bool *peer_named;         /* [rank][direction][peer] */
    struct flag_flows *flag;  /* hash table, a power of two */
    uint32_t flags, flag_capacity;
};

/* ---- lines -------------------------------------------------------------------------------- */

static bool admit(struct cli_trace *t)
{
    if (t->events < t->max_events) {
        t->events++;
        return true;
    }
    t->dropped++;
    return false;
}

static void line(struct cli_trace *t)
{
    pto_buf_printf(&t->out, t->out.size == 0 ? "[\n" : ",\n");
}

static void microseconds(struct cli_trace *t, const char *key, uint64_t ps)
{
    pto_buf_printf(&t->out, ",\"%s\":%llu.%06llu", key, (unsigned long long)(ps / 1000000),
                   (unsigned long long)(ps % 1000000));
}

static void metadata(struct cli_trace *t, const char *what, int pid, unsigned tid,
                     const char *name, unsigned sort)
{
    line(t);
    pto_buf_printf(&t->out, "{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%d,\"tid\":%u,\"args\":"
                            "{\"name\":", what, pid, tid);
    pto_json_quote(&t->out, name);
    pto_buf_printf(&t->out, "}}");
    line(t);
    pto_buf_printf(&t->out, "{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%d,\"tid\":%u,"
                            "\"args\":{\"sort_index\":%u}}", what, pid, tid, sort);
}

static void name_rank(struct cli_trace *t, int rank)
{
    char name[32];

    if (t->rank_named[rank])
        return;
    t->rank_named[rank] = true;
    snprintf(name, sizeof name, "rank %d", rank);
    metadata(t, "process", rank, 0, name, (unsigned)rank);
}

static struct core_tracks *core_tracks(struct cli_trace *t, const struct pto_event *event)
{
    return &t->core[(size_t)event->rank * t->cores + event->core];
}

/* Thread of a pipe; named at its first event. */
static unsigned pipe_tid(struct cli_trace *t, int rank, unsigned core, unsigned pipe)
{
    struct track *track = &t->core[(size_t)rank * t->cores + core].pipe[pipe];
    unsigned tid = core * TIDS_PER_CORE + pipe;

    if (!track->named) {
        struct pto_core_info info;
        char name[64];

        track->named = true;
        name_rank(t, rank);
        pto_vm_core(t->vm, rank, core, &info);
        snprintf(name, sizeof name, "%s %s", info.name, pto_queue_name(pipe));
        metadata(t, "thread", rank, tid, name, tid);
    }
    return tid;
}

/* Thread of the messages to (0) or from (1) another rank. */
static unsigned peer_tid(struct cli_trace *t, int rank, unsigned direction, int peer)
{
    size_t index = ((size_t)rank * 2 + direction) * (size_t)t->ranks + (size_t)peer;
    unsigned tid = t->cores * TIDS_PER_CORE + direction * (unsigned)t->ranks + (unsigned)peer;

    if (!t->peer_named[index]) {
        char name[32];

        t->peer_named[index] = true;
        name_rank(t, rank);
        snprintf(name, sizeof name, "%s rank %d", direction == 0 ? "to" : "from", peer);
        metadata(t, "thread", rank, tid, name, tid);
    }
    return tid;
}

/* Up to the arguments, which follow; `name` is copied as it is and needs no escapes. */
static void open_slice(struct cli_trace *t, const char *category, const char *name, int rank,
                       unsigned tid, uint64_t start, uint64_t duration)
{
    line(t);
    pto_buf_printf(&t->out, "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%u",
                   category, name, rank, tid);
    microseconds(t, "ts", start);
    microseconds(t, "dur", duration);
}

static void slice_arguments(struct cli_trace *t, const struct phase *phase, uint64_t end,
                            bool unfinished)
{
    pto_buf_printf(&t->out, ",\"args\":{\"start_ps\":%llu,\"end_ps\":%llu",
                   (unsigned long long)phase->start, (unsigned long long)end);
    if (phase->bytes > 0)
        pto_buf_printf(&t->out, ",\"bytes\":%llu", (unsigned long long)phase->bytes);
    if (unfinished)
        pto_buf_printf(&t->out, ",\"unfinished\":true");
    if (phase->insn && phase->insn->pos < phase->module->positions) {
        const struct pto_pos *pos = &phase->module->pos[phase->insn->pos];
        struct pto_arena arena = {0};

        pto_buf_printf(&t->out, ",\"at\":");
        pto_json_quote(&t->out, pto_arena_printf(&arena, "%s:%u", phase->module->file[pos->file],
                                                 pos->line));
        pto_arena_free(&arena);
    }
    pto_buf_printf(&t->out, "}}");
}

static void arrow(struct cli_trace *t, char phase, const char *category, uint64_t id, int rank,
                  unsigned tid, uint64_t when)
{
    if (!admit(t))
        return;
    line(t);
    pto_buf_printf(&t->out, "{\"ph\":\"%c\",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%llu,"
                            "\"bp\":\"e\",\"pid\":%d,\"tid\":%u", phase, category, category,
                   (unsigned long long)id, rank, tid);
    microseconds(t, "ts", when);
    pto_buf_printf(&t->out, "}");
}

/* ---- phases ------------------------------------------------------------------------------- */

static const char *mnemonic(const struct pto_insn *insn)
{
    return insn ? pto_op_info(insn->op)->mnemonic : "work";
}

static struct phase phase_of(const struct pto_event *event, uint64_t start)
{
    return (struct phase){.start = start, .bytes = event->bytes, .insn = event->insn,
                          .module = event->module};
}

/* Something new starts on the track: what is still pending is shown up to here. */
static void clip_pending(struct track *track, uint64_t when)
{
    for (unsigned i = track->first; i < track->count; i++)
        if (track->phase[i].clip == 0)
            track->phase[i].clip = when;
}

static void push_phase(struct track *track, struct phase phase)
{
    if (track->first > 0 && track->count == track->capacity) {
        memmove(track->phase, track->phase + track->first,
                (track->count - track->first) * sizeof *track->phase);
        track->count -= track->first;
        track->first = 0;
    }
    PTO_GROW(track->phase, track->count, track->capacity);
    track->phase[track->count++] = phase;
}

static void show_phase(struct cli_trace *t, int rank, unsigned core, unsigned pipe,
                       const struct phase *phase, uint64_t end, bool unfinished)
{
    uint64_t visible = phase->clip != 0 && phase->clip < end ? phase->clip : end;

    if (!admit(t))
        return;
    open_slice(t, "pipe", mnemonic(phase->insn), rank, pipe_tid(t, rank, core, pipe),
               phase->start, visible - phase->start);
    slice_arguments(t, phase, end, unfinished);
}

static void on_complete(struct cli_trace *t, const struct pto_event *event)
{
    struct track *track = &core_tracks(t, event)->pipe[event->pipe];
    struct phase phase = phase_of(event, event->start_ps);

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
    uint64_t key = (((uint64_t)event->rank * t->cores + event->core) << 24) + 1 +
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

/* The slice of a set or of the end of a wait, as long as the pipe takes for it.  Viewers bind an
 * arrow to the slice that was opened last, so the arrow has to follow at once. */
static void flag_slice(struct cli_trace *t, const struct pto_event *event, const char *what,
                       char arrow_phase, uint64_t flow)
{
    char name[64];
    unsigned tid = pipe_tid(t, event->rank, event->core, event->pipe);
    struct phase phase = phase_of(event, event->time_ps);

    snprintf(name, sizeof name, "%s %s, %s, %u", what,
             pto_enum_keyword(PTO_ENUM_PIPE, event->flag_src),
             pto_enum_keyword(PTO_ENUM_PIPE, event->flag_dst), event->flag_id);
    if (admit(t)) {
        open_slice(t, "flag", name, event->rank, tid, event->time_ps, t->flag_ps);
        slice_arguments(t, &phase, event->time_ps, false);
    }
    if (flow != 0)
        arrow(t, arrow_phase, "flag", flow, event->rank, tid, event->time_ps);
}

/* Time spent in front of a flag, or a stall of the scalar unit, up to now. */
static void waiting_slice(struct cli_trace *t, const struct pto_event *event, const char *name,
                          const struct phase *what)
{
    unsigned tid = pipe_tid(t, event->rank, event->core, event->pipe);

    if (event->time_ps <= event->start_ps || !admit(t))
        return;
    open_slice(t, "wait", name, event->rank, tid, event->start_ps,
               event->time_ps - event->start_ps);
    slice_arguments(t, what, event->time_ps, false);
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
    struct phase phase = phase_of(event, event->start_ps);
    uint64_t flow = flag->waits < flag->sets ? flag->flow[flag->waits++ % FLOW_SLOTS] : 0;

    clip_pending(&core_tracks(t, event)->pipe[event->pipe], event->start_ps);
    waiting_slice(t, event, "waiting", &phase);
    flag_slice(t, event, "wait_flag", 'f', flow);
}

/* ---- scalar unit -------------------------------------------------------------------------- */

static void on_resume(struct cli_trace *t, const struct pto_event *event)
{
    struct core_tracks *core = core_tracks(t, event);
    struct phase stall = core->stall;
    char name[64];

    stall.start = event->start_ps;
    snprintf(name, sizeof name, "stall: %s", mnemonic(stall.insn));
    waiting_slice(t, event, name, &stall);
    if (stall.insn && stall.insn->op == PTO_OP_WAIT_FLAG && core->flow_into_s != 0 && admit(t)) {
        unsigned tid = pipe_tid(t, event->rank, event->core, PTO_PIPE_S);

        stall.start = event->time_ps;
        open_slice(t, "flag", "wait_flag", event->rank, tid, event->time_ps, t->flag_ps);
        slice_arguments(t, &stall, event->time_ps, false);
        arrow(t, 'f', "flag", core->flow_into_s, event->rank, tid, event->time_ps);
    }
    core->flow_into_s = 0;
}

static void on_region(struct cli_trace *t, const struct pto_event *event, char phase,
                      const char *name)
{
    unsigned tid = pipe_tid(t, event->rank, event->core, PTO_PIPE_S);

    if (!admit(t))
        return;
    line(t);
    pto_buf_printf(&t->out, "{\"ph\":\"%c\",\"cat\":\"region\",\"pid\":%d,\"tid\":%u", phase,
                   event->rank, tid);
    if (name) {
        pto_buf_printf(&t->out, ",\"name\":");
        pto_json_quote(&t->out, name);
    }
    microseconds(t, "ts", event->time_ps);
    pto_buf_printf(&t->out, "}");
}

/* ---- messages ----------------------------------------------------------------------------- */

static void on_message(struct cli_trace *t, const struct pto_event *event, unsigned direction)
{
    unsigned tid = peer_tid(t, event->rank, direction, event->peer);
    int source = direction == 0 ? event->rank : event->peer;
    struct phase phase = {.start = event->time_ps, .bytes = event->bytes};
    /* Message numbers are unique per source; arrows of flags stay below this range. */
    uint64_t id = (UINT64_C(1) << 52) | (uint64_t)source << 40 |
                  (event->message & ((UINT64_C(1) << 40) - 1));

    if (admit(t)) {
        open_slice(t, "link", direction == 0 ? "send" : "land", event->rank, tid, event->time_ps,
                   MESSAGE_SLICE_PS);
        slice_arguments(t, &phase, event->time_ps, false);
    }
    arrow(t, direction == 0 ? 's' : 'f', "link", id, event->rank, tid, event->time_ps);
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
        push_phase(track, phase_of(event, event->time_ps));
        break;
    case PTO_EV_COMPLETE:
        on_complete(t, event);
        break;
    case PTO_EV_STALL:
        core_tracks(t, event)->stall = phase_of(event, event->time_ps);
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
        on_message(t, event, 0);
        break;
    case PTO_EV_LAND:
        on_message(t, event, 1);
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
    t->max_events = max_events;
    t->flag_ps = pto_profile_ps(profile, (uint64_t)profile->flag_cycles * 1000);
    t->ranks = pto_vm_ranks(vm);
    t->cores = pto_vm_cores(vm);
    t->core = pto_xcalloc((size_t)t->ranks * t->cores + 1, sizeof *t->core);
    t->rank_named = pto_xcalloc((size_t)t->ranks, sizeof *t->rank_named);
    t->peer_named = pto_xcalloc((size_t)t->ranks * (size_t)t->ranks * 2, sizeof *t->peer_named);
    *trace = t;
    return pto_vm_observe(vm, observe, t);
}

/* Phases that a fault, deadlock or limit cut off. */
static void show_unfinished(struct cli_trace *t)
{
    uint64_t now = pto_vm_time(t->vm);

    for (int rank = 0; rank < t->ranks; rank++)
        for (unsigned core = 0; core < t->cores; core++)
            for (unsigned pipe = 0; pipe < PTO_QUEUE_COUNT; pipe++) {
                struct track *track = &t->core[(size_t)rank * t->cores + core].pipe[pipe];

                for (; track->first < track->count; track->first++) {
                    const struct phase *phase = &track->phase[track->first];
                    uint64_t end = now > phase->start ? now : phase->start;

                    show_phase(t, rank, core, pipe, phase, end, true);
                }
            }
}

enum pto_status cli_trace_write(struct cli_trace *t, const char *path, struct pto_diags *diags)
{
    const char *why = "";
    enum pto_status status;

    show_unfinished(t);
    line(t);
    pto_buf_printf(&t->out, "{\"ph\":\"M\",\"name\":\"ptovm\",\"pid\":0,\"args\":{\"events\":%llu,"
                            "\"dropped\":%llu,\"time_ps\":%llu%s}}\n]\n",
                   (unsigned long long)t->events, (unsigned long long)t->dropped,
                   (unsigned long long)pto_vm_time(t->vm),
                   pto_vm_finished(t->vm) || pto_vm_fault(t->vm) ? "" : ",\"partial\":true");
    status = pto_file_write(path, t->out.data, t->out.size, &why);
    if (status != PTO_OK)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot write '%s': %s", path, why);
    return status;
}

uint64_t cli_trace_dropped(const struct cli_trace *t)
{
    return t->dropped;
}

void cli_trace_free(struct cli_trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < (size_t)t->ranks * t->cores; i++)
        for (unsigned pipe = 0; pipe < PTO_QUEUE_COUNT; pipe++)
            free(t->core[i].pipe[pipe].phase);
    free(t->core);
    free(t->rank_named);
    free(t->peer_named);
    free(t->flag);
    pto_buf_free(&t->out);
    free(t);
}
