#include "cli/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_quote.h"

enum { TIDS_PER_CORE = 16 };

void timeline_start(struct timeline *t, struct pto_vm *vm, uint64_t max_events)
{
    size_t ranks = (size_t)pto_vm_ranks(vm), cores = pto_vm_cores(vm);

    *t = (struct timeline){.max_events = max_events, .vm = vm, .ranks = (int)ranks,
                           .cores = (unsigned)cores};
    t->pipe_named = pto_xcalloc(ranks * cores * PTO_QUEUE_COUNT, sizeof *t->pipe_named);
    t->rank_named = pto_xcalloc(ranks, sizeof *t->rank_named);
    t->peer_named = pto_xcalloc(ranks * ranks * 2, sizeof *t->peer_named);
}

void timeline_free(struct timeline *t)
{
    free(t->pipe_named);
    free(t->rank_named);
    free(t->peer_named);
    pto_buf_free(&t->text);
}

bool timeline_admit(struct timeline *t)
{
    if (t->events < t->max_events) {
        t->events++;
        return true;
    }
    t->dropped++;
    return false;
}

/* Millions of lines are written: what each of them has is put together without printf. */

static void put(struct timeline *t, const char *text)
{
    pto_buf_append(&t->text, text, strlen(text));
}

/* `value` with at least so many digits. */
static void put_digits(struct timeline *t, uint64_t value, unsigned least)
{
    char text[24], *first = text + sizeof text;

    while (value || first > text + sizeof text - least) {
        *--first = (char)('0' + value % 10);
        value /= 10;
    }
    pto_buf_append(&t->text, first, (size_t)(text + sizeof text - first));
}

/* `key` with what stands around it. */
static void put_number(struct timeline *t, const char *key, uint64_t value)
{
    put(t, key);
    put_digits(t, value, 1);
}

static void line(struct timeline *t)
{
    put(t, t->text.size == 0 ? "[\n" : ",\n");
}

static void microseconds(struct timeline *t, const char *key, uint64_t ps)
{
    put_number(t, key, ps / 1000000);
    put(t, ".");
    put_digits(t, ps % 1000000, 6);
}

static void place(struct timeline *t, int rank, unsigned tid)
{
    put_number(t, ",\"pid\":", (uint64_t)rank);
    put_number(t, ",\"tid\":", tid);
}

static void metadata(struct timeline *t, const char *what, int pid, unsigned tid,
                     const char *name, unsigned sort)
{
    line(t);
    pto_buf_printf(&t->text, "{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%d,\"tid\":%u,\"args\":"
                            "{\"name\":", what, pid, tid);
    pto_json_quote(&t->text, name);
    pto_buf_printf(&t->text, "}}");
    line(t);
    pto_buf_printf(&t->text, "{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%d,\"tid\":%u,"
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
    size_t index = ((size_t)rank * 2 + direction) * (size_t)t->ranks + (size_t)peer;
    unsigned tid = t->cores * TIDS_PER_CORE + (unsigned)direction * (unsigned)t->ranks +
                   (unsigned)peer;

    if (!t->peer_named[index]) {
        char name[32];

        t->peer_named[index] = true;
        name_rank(t, rank);
        snprintf(name, sizeof name, "%s rank %d", direction == TIMELINE_TO ? "to" : "from", peer);
        metadata(t, "thread", rank, tid, name, tid);
    }
    return tid;
}

void timeline_open(struct timeline *t, const char *category, const char *name, int rank,
                   unsigned tid, uint64_t start, uint64_t duration)
{
    line(t);
    put(t, "{\"ph\":\"X\",\"cat\":\"");
    put(t, category);
    put(t, "\",\"name\":\"");
    put(t, name);
    put(t, "\"");
    place(t, rank, tid);
    microseconds(t, ",\"ts\":", start);
    microseconds(t, ",\"dur\":", duration);
}

/* "file:line" */
static void put_position(struct timeline *t, const struct pto_module *module,
                         const struct pto_pos *pos)
{
    pto_json_quote(&t->text, module->file[pos->file]);
    t->text.size--;
    put_number(t, ":", pos->line);
    put(t, "\"");
}

void timeline_close(struct timeline *t, const struct span *span, uint64_t end, bool unfinished)
{
    put_number(t, ",\"args\":{\"start_ps\":", span->start);
    put_number(t, ",\"end_ps\":", end);
    if (span->bytes > 0)
        put_number(t, ",\"bytes\":", span->bytes);
    if (unfinished)
        put(t, ",\"unfinished\":true");
    if (span->insn && span->insn->pos < span->module->positions) {
        put(t, ",\"at\":");
        put_position(t, span->module, &span->module->pos[span->insn->pos]);
    }
    put(t, "}}");
}

void timeline_arrow(struct timeline *t, char end, const char *category, uint64_t id, int rank,
                    unsigned tid, uint64_t when)
{
    if (!timeline_admit(t))
        return;
    line(t);
    put(t, end == 's' ? "{\"ph\":\"s\",\"cat\":\"" : "{\"ph\":\"f\",\"cat\":\"");
    put(t, category);
    put(t, "\",\"name\":\"");
    put(t, category);
    put_number(t, "\",\"id\":", id);
    put(t, ",\"bp\":\"e\"");
    place(t, rank, tid);
    microseconds(t, ",\"ts\":", when);
    put(t, "}");
}

void timeline_region(struct timeline *t, char end, const char *name, int rank, unsigned tid,
                     uint64_t when)
{
    line(t);
    put(t, end == 'B' ? "{\"ph\":\"B\",\"cat\":\"region\"" : "{\"ph\":\"E\",\"cat\":\"region\"");
    place(t, rank, tid);
    if (name) {
        put(t, ",\"name\":");
        pto_json_quote(&t->text, name);
    }
    microseconds(t, ",\"ts\":", when);
    put(t, "}");
}

void timeline_end(struct timeline *t)
{
    line(t);
    pto_buf_printf(&t->text, "{\"ph\":\"M\",\"name\":\"ptovm\",\"pid\":0,\"args\":{\"events\":%llu,"
                            "\"dropped\":%llu,\"time_ps\":%llu%s}}\n]\n",
                   (unsigned long long)t->events, (unsigned long long)t->dropped,
                   (unsigned long long)pto_vm_time(t->vm),
                   pto_vm_finished(t->vm) || pto_vm_fault(t->vm) ? "" : ",\"partial\":true");
}
