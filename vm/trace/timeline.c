#include "trace/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_quote.h"

enum { TIDS_PER_CORE = 16, PICOSECONDS = 1000, ENOUGH = 1 << 18 };

enum pto_status timeline_start(struct timeline *t, struct pto_vm *vm,
                               const struct trace_choice *choice, const char *path,
                               const char **why)
{
    size_t ranks = (size_t)pto_vm_ranks(vm), cores = pto_vm_cores(vm);

    *t = (struct timeline){.most = choice->most, .vm = vm, .ranks = (int)ranks,
                           .cores = (unsigned)cores, .insight = choice->insight};
    t->pipe_named = pto_xcalloc(ranks * cores * PTO_QUEUE_COUNT, sizeof *t->pipe_named);
    t->rank_named = pto_xcalloc(ranks, sizeof *t->rank_named);
    return spool_begin(&t->spool, path, true, why);
}

void timeline_free(struct timeline *t)
{
    free(t->pipe_named);
    free(t->rank_named);
    trace_map_free(&t->peer_named);
    pto_buf_free(&t->text);
    spool_free(&t->spool);
}

bool timeline_admit(struct timeline *t, unsigned events)
{
    if (t->events + events <= t->most) {
        t->events += events;
        return true;
    }
    t->dropped += events;
    return false;
}

/* ---- parts of a line: millions are written, so they are put together without printf ---------- */

static inline void put_bytes(struct timeline *t, const char *text, size_t length)
{
    struct pto_buf *out = &t->text;

    if (out->capacity - out->size < length)
        pto_buf_room(out, length);
    memcpy(out->data + out->size, text, length);
    out->size += length;
}

static inline void put(struct timeline *t, const char *text)
{
    put_bytes(t, text, strlen(text));
}

/* `value` with at least so many digits. */
static void put_digits(struct timeline *t, uint64_t value, unsigned least)
{
    char text[24], *first = text + sizeof text;

    while (value || first > text + sizeof text - least) {
        *--first = (char)('0' + value % 10);
        value /= 10;
    }
    put_bytes(t, first, (size_t)(text + sizeof text - first));
}

/* `key` with what stands around it. */
static inline void put_number(struct timeline *t, const char *key, uint64_t value)
{
    put(t, key);
    put_digits(t, value, 1);
}

static inline void put_thousandths(struct timeline *t, const char *key, uint64_t value)
{
    put_number(t, key, value / 1000);
    put(t, ".");
    put_digits(t, value % 1000, 3);
}

/* Begin an event. */
static void line(struct timeline *t, const char *phase)
{
    if (t->text.size > ENOUGH) {
        spool_put(&t->spool, t->text.data, t->text.size);
        t->text.size = 0;
    }
    if (!t->begun)
        put(t, t->insight ? "{\"displayTimeUnit\":\"ns\",\"profilingType\":\"op\","
                            "\"schemaVersion\":1,\"traceEvents\":[\n"
                          : "[\n");
    else
        put(t, ",\n");
    t->begun = true;
    put(t, "{\"ph\":\"");
    put(t, phase);
    put(t, "\"");
}

/* Insight's names of cores and pipes ("MindStudio Insight Operator Tuning", unit information). */
static void put_insight_core(struct timeline *t, int rank, unsigned core)
{
    struct pto_core_info info;

    pto_vm_core(t->vm, rank, core, &info);
    put_number(t, "core", info.block);
    put_number(t, info.kind == PTO_AIC ? ".cubecore" : ".veccore", info.sub);
}

static const char *insight_pipe(unsigned pipe)
{
    switch (pipe) {
    case PTO_PIPE_S: return "SCALAR";
    case PTO_PIPE_V: return "VECTOR";
    case PTO_PIPE_M: return "CUBE";
    case PTO_PIPE_FIX: return "FIXP";
    default: return pto_queue_name(pipe);
    }
}

static void put_insight_place(struct timeline *t, int rank, unsigned tid)
{
    unsigned core = tid / TIDS_PER_CORE, peer = tid - t->cores * TIDS_PER_CORE;
    bool links = core >= t->cores;

    put(t, ",\"pid\":\"");
    if (t->ranks > 1)
        put_number(t, "rank", (uint64_t)rank);
    put(t, t->ranks > 1 && !links ? "." : "");
    if (!links)
        put_insight_core(t, rank, core);
    put(t, "\",\"tid\":\"");
    if (links)
        put_number(t, peer < (unsigned)t->ranks ? "to rank " : "from rank ",
                   peer % (unsigned)t->ranks);
    else
        put(t, insight_pipe(tid % TIDS_PER_CORE));
    put(t, "\"");
}

static void put_place(struct timeline *t, int rank, unsigned tid)
{
    if (t->insight) {
        put_insight_place(t, rank, tid);
        return;
    }
    put_number(t, ",\"pid\":", (uint64_t)rank);
    put_number(t, ",\"tid\":", tid);
}

static void put_times(struct timeline *t, uint64_t start, uint64_t end)
{
    uint64_t from = start / PICOSECONDS;

    put_thousandths(t, ",\"ts\":", from);
    put_thousandths(t, ",\"dur\":", end / PICOSECONDS - from);
}

/* ---- names ---- */

static void metadata(struct timeline *t, const char *what, int pid, unsigned tid,
                     const char *name, unsigned sort)
{
    if (t->insight)
        return;
    line(t, "M");
    pto_buf_printf(&t->text, ",\"name\":\"%s_name\",\"pid\":%d,\"tid\":%u,\"args\":{\"name\":",
                   what, pid, tid);
    pto_json_quote(&t->text, name);
    pto_buf_printf(&t->text, "}}");
    line(t, "M");
    pto_buf_printf(&t->text, ",\"name\":\"%s_sort_index\",\"pid\":%d,\"tid\":%u,"
                            "\"args\":{\"sort_index\":%u}}", what, pid, tid, sort);
}

static void name_rank(struct timeline *t, int rank)
{
    char name[32];

    if (t->rank_named[rank])
        return;
    t->rank_named[rank] = true;
    snprintf(name, sizeof name, "rank %d", rank);
    metadata(t, "process", rank, 0, name, (unsigned)rank);
}

unsigned timeline_pipe(struct timeline *t, int rank, unsigned core, unsigned pipe)
{
    bool *named = &t->pipe_named[((size_t)rank * t->cores + core) * PTO_QUEUE_COUNT + pipe];
    unsigned tid = core * TIDS_PER_CORE + pipe;

    if (!*named) {
        struct pto_core_info info;
        char name[64];

        *named = true;
        name_rank(t, rank);
        pto_vm_core(t->vm, rank, core, &info);
        snprintf(name, sizeof name, "%s %s", info.name, pto_queue_name(pipe));
        metadata(t, "thread", rank, tid, name, tid);
    }
    return tid;
}

unsigned timeline_peer(struct timeline *t, int rank, enum timeline_direction direction, int peer)
{
    unsigned tid = t->cores * TIDS_PER_CORE + (unsigned)direction * (unsigned)t->ranks +
                   (unsigned)peer;
    uint32_t *named = trace_map_at(&t->peer_named, (uint64_t)rank << 32 | tid);

    if (!*named) {
        char name[32];

        *named = 1;
        name_rank(t, rank);
        snprintf(name, sizeof name, "%s rank %d", direction == TIMELINE_TO ? "to" : "from", peer);
        metadata(t, "thread", rank, tid, name, tid);
    }
    return tid;
}

/* ---- events ---- */

/* Insight's names of the two texts are those of its own traces. */
static void put_insn(struct timeline *t, const struct timeline_slice *slice)
{
    if (slice->insn && slice->value) {
        put(t, t->insight ? ",\"detail\":\"" : ",\"insn\":\"");
        trace_text_put(slice->insn, slice->value, &t->text);
        put(t, "\"");
    }
    if (slice->insn && slice->insn->place) {
        put(t, t->insight ? ",\"code\":" : ",\"at\":");
        put(t, slice->insn->place);
    }
}

void timeline_slice(struct timeline *t, const struct timeline_slice *slice)
{
    line(t, "X");
    put(t, ",\"cat\":\"");
    put(t, trace_kind_name(slice->kind));
    put(t, "\",\"name\":\"");
    put(t, slice->before ? slice->before : "");
    put(t, slice->name);
    put(t, "\"");
    put_place(t, slice->rank, slice->tid);
    put_times(t, slice->start, slice->end);
    put_number(t, ",\"args\":{\"start_ps\":", slice->start);
    put_number(t, ",\"end_ps\":", slice->last ? slice->last : slice->end);
    if (slice->bytes > 0)
        put_number(t, ",\"bytes\":", slice->bytes);
    if (slice->unfinished)
        put(t, ",\"unfinished\":true");
    put_insn(t, slice);
    put(t, "}}");
}

void timeline_arrow(struct timeline *t, char end, uint64_t id, enum trace_kind kind,
                    const struct timeline_slice *at, uint64_t when)
{
    const char *name = trace_kind_name(kind);

    line(t, end == 's' ? "s" : "f");
    put(t, ",\"cat\":\"");
    put(t, name);
    put(t, "\",\"name\":\"");
    put(t, name);
    put_number(t, "\",\"id\":", id);
    put(t, ",\"bp\":\"e\"");
    put_place(t, at->rank, at->tid);
    put_thousandths(t, ",\"ts\":", when / PICOSECONDS);
    put(t, "}");
}

static void insight_region(struct timeline *t, const char *name, int rank, unsigned tid,
                           uint64_t began, uint64_t when)
{
    line(t, "X");
    put(t, ",\"name\":");
    pto_json_quote(&t->text, name);
    put(t, ",\"pid\":\"");
    if (t->ranks > 1)
        put_number(t, "rank", (uint64_t)rank);
    put(t, t->ranks > 1 ? "." : "");
    put_insight_core(t, rank, tid / TIDS_PER_CORE);
    put(t, "\",\"tid\":\"REGION\"");
    put_times(t, began, when);
    put(t, "}");
}

void timeline_region(struct timeline *t, char end, const char *name, int rank, unsigned tid,
                     uint64_t began, uint64_t when)
{
    if (t->insight) {
        if (end == 'E')
            insight_region(t, name, rank, tid, began, when);
        return;
    }
    line(t, end == 'B' ? "B" : "E");
    put(t, ",\"cat\":\"region\"");
    put_place(t, rank, tid);
    if (end == 'B') {
        put(t, ",\"name\":");
        pto_json_quote(&t->text, name);
    }
    put_thousandths(t, ",\"ts\":", when / PICOSECONDS);
    put(t, "}");
}

void timeline_counter(struct timeline *t, int rank, const struct timeline_counter *counter,
                      uint64_t when)
{
    if (t->insight) /* nothing says how its own counters are written */
        return;
    name_rank(t, rank);
    line(t, "C");
    put(t, ",\"name\":\"");
    put(t, counter->name);
    put_number(t, "\",\"pid\":", (uint64_t)rank);
    put_thousandths(t, ",\"ts\":", when / PICOSECONDS);
    put(t, ",\"args\":{");
    for (unsigned i = 0; i < counter->count; i++) {
        put(t, i ? ",\"" : "\"");
        put(t, counter->series[i]);
        put(t, "\"");
        if (counter->value[i] % 1000)
            put_thousandths(t, ":", counter->value[i]);
        else
            put_number(t, ":", counter->value[i] / 1000);
    }
    put(t, "}}");
}

void timeline_mark(struct timeline *t, const char *name, const char *message, int rank,
                   unsigned tid, uint64_t when)
{
    line(t, t->insight ? "X" : "i");
    put(t, t->insight ? ",\"dur\":0" : ",\"s\":\"t\"");
    put(t, ",\"cat\":\"finding\",\"name\":");
    pto_json_quote(&t->text, name);
    put_place(t, rank, tid);
    put_thousandths(t, ",\"ts\":", when / PICOSECONDS);
    put_number(t, ",\"args\":{\"start_ps\":", when);
    put(t, ",\"message\":");
    pto_json_quote(&t->text, message);
    put(t, "}}");
}

enum pto_status timeline_end(struct timeline *t, const char *path, const char **why)
{
    bool partial = !pto_vm_finished(t->vm) && !pto_vm_fault(t->vm);

    line(t, "M");
    pto_buf_printf(&t->text, ",\"name\":\"ptovm\",\"pid\":%s,\"args\":{\"events\":%llu,"
                            "\"dropped\":%llu,\"time_ps\":%llu%s}}\n]%s\n",
                   t->insight ? "\"ptovm\"" : "0", (unsigned long long)t->events,
                   (unsigned long long)t->dropped, (unsigned long long)pto_vm_time(t->vm),
                   partial ? ",\"partial\":true" : "", t->insight ? "}" : "");
    spool_put(&t->spool, t->text.data, t->text.size);
    return spool_end(&t->spool, path, why);
}
