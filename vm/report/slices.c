#include "report/slices.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "look/awaited.h"
#include "look/sites.h"
#include "look/wait.h"
#include "place.h"

enum slice_kind { SLICE_COMPUTE, SLICE_MEMORY, SLICE_LINK, SLICE_WAIT, SLICE_STALL,
                  SLICE_OPEN, /* a wait that is not over yet, or never will be */
                  SLICE_FLIGHT, /* the pipe may go on, the bytes have yet to arrive */
                  SLICE_AWAITED /* no time, at the end: a deadlock waits for this one */ };

struct slice {
    uint64_t start, end;
    uint32_t track, site;
    uint8_t kind;
};

/* A transfer between ranks that is under way. */
struct flight {
    uint32_t next; /* of the same queue, counted from 1; 0: none */
    uint32_t site;
    uint64_t entry, free_at;
};

struct cli_slices {
    struct pto_vm *vm;
    struct sites sites;
    struct slice *slice;
    uint32_t count, capacity;
    uint64_t most, dropped;
    uint64_t whole_until; /* nothing is left out before */
    struct flight *flight;
    uint32_t flights, flight_capacity, spare_flight; /* spare: the first, counted from 1 */
    struct {
        uint32_t phase; /* slice of the phase that it started last, counted from 1; 0: none */
        uint32_t flown; /* its last transfer that is under way, counted from 1; 0: none */
    } *queue;
    uint32_t *stalled_at; /* instruction that S of a sub-core stopped at */
    struct pto_gm_use *memory; /* of every rank */
};

static uint32_t unit_of(const struct cli_slices *s, const struct pto_event *event)
{
    return (uint32_t)event->rank * pto_vm_cores(s->vm) + event->core;
}

static uint32_t queue_of(const struct cli_slices *s, const struct pto_event *event)
{
    return unit_of(s, event) * PTO_QUEUE_COUNT + event->pipe;
}

static void add(struct cli_slices *s, const struct pto_event *event, uint64_t start, uint64_t end,
                uint32_t site, enum slice_kind kind)
{
    if (end <= start && kind != SLICE_AWAITED)
        return;
    if (s->count >= s->most) {
        s->dropped++;
        s->whole_until = start < s->whole_until ? start : s->whole_until;
        return;
    }
    PTO_GROW(s->slice, s->count, s->capacity);
    s->slice[s->count++] = (struct slice){
        start, end, queue_of(s, event), site, (uint8_t)kind};
}

static uint32_t site_of(struct cli_slices *s, const struct pto_event *event)
{
    return event->insn ? sites_number(&s->sites, event->module, event->insn) : 0;
}

static enum slice_kind kind_of(const struct pto_event *event)
{
    if (event->remote)
        return SLICE_LINK;
    return event->pipe == PTO_PIPE_V || event->pipe == PTO_PIPE_M ? SLICE_COMPUTE : SLICE_MEMORY;
}

static void add_use(struct pto_gm_use *sum, const struct pto_gm_use *use)
{
    sum->read += use->read;
    sum->written += use->written;
    sum->hit += use->hit;
    sum->lines += use->lines;
}

/* ---- transfers between ranks ---- */

static void leave(struct cli_slices *s, const struct pto_event *event)
{
    uint32_t *last = &s->queue[queue_of(s, event)].flown, number = s->spare_flight;

    if (number) {
        s->spare_flight = s->flight[number - 1].next;
    } else {
        PTO_GROW(s->flight, s->flights, s->flight_capacity);
        number = ++s->flights;
    }
    s->flight[number - 1] =
        (struct flight){*last, site_of(s, event), event->entry, event->next_ps};
    *last = number;
}

/* The instruction is complete: what it sent, or asked for, has arrived. */
static void arrive(struct cli_slices *s, const struct pto_event *event)
{
    uint32_t *at = &s->queue[queue_of(s, event)].flown, number;

    while (*at && s->flight[*at - 1].entry != event->entry)
        at = &s->flight[*at - 1].next;
    number = *at;
    if (!number)
        return;
    add(s, event, s->flight[number - 1].free_at, event->time_ps, s->flight[number - 1].site,
        SLICE_FLIGHT);
    *at = s->flight[number - 1].next;
    s->flight[number - 1].next = s->spare_flight;
    s->spare_flight = number;
}

/* ---- what happens ---- */

static void add_phase(struct cli_slices *s, const struct pto_event *event)
{
    const uint32_t before = s->count;

    add(s, event, event->time_ps, event->next_ps, site_of(s, event), kind_of(event));
    s->queue[queue_of(s, event)].phase = s->count > before ? s->count : 0;
    if (event->remote)
        leave(s, event);
}

static void put_off(struct cli_slices *s, const struct pto_event *event)
{
    const uint32_t queue = queue_of(s, event);
    const uint32_t phase = s->queue[queue].phase, flown = s->queue[queue].flown;

    if (phase)
        s->slice[phase - 1].end = event->next_ps;
    if (flown)
        s->flight[flown - 1].free_at = event->next_ps;
}

static void observe(void *context, const struct pto_event *event)
{
    struct cli_slices *s = context;

    switch (event->kind) {
    case PTO_EV_START:
        add_use(&s->memory[event->rank], &event->gm);
        add_phase(s, event);
        break;
    case PTO_EV_PUT_OFF:
        put_off(s, event);
        break;
    case PTO_EV_COMPLETE:
        arrive(s, event);
        break;
    case PTO_EV_PASS: /* a barrier is from a pipe to itself; of flags others tell */
        if (event->flag_src == event->flag_dst && event->flag_dst == event->pipe)
            add(s, event, event->start_ps, event->time_ps, site_of(s, event), SLICE_WAIT);
        break;
    case PTO_EV_WAIT_END:
        add(s, event, event->start_ps, event->time_ps, site_of(s, event), SLICE_WAIT);
        break;
    case PTO_EV_STALL:
        s->stalled_at[unit_of(s, event)] = site_of(s, event);
        break;
    case PTO_EV_RESUME:
        add(s, event, event->start_ps, event->time_ps, s->stalled_at[unit_of(s, event)],
            SLICE_STALL);
        break;
    default:
        break;
    }
}

enum pto_status cli_slices_start(struct pto_vm *vm, uint64_t most, struct cli_slices **slices)
{
    struct cli_slices *s = pto_xcalloc(1, sizeof *s);

    s->vm = vm;
    s->most = most;
    s->whole_until = UINT64_MAX;
    sites_begin(&s->sites);
    s->queue = pto_xcalloc((size_t)pto_vm_ranks(vm) * pto_vm_cores(vm) * PTO_QUEUE_COUNT,
                           sizeof *s->queue);
    s->stalled_at =
        pto_xcalloc((size_t)pto_vm_ranks(vm) * pto_vm_cores(vm) + 1, sizeof *s->stalled_at);
    s->memory = pto_xcalloc((size_t)pto_vm_ranks(vm), sizeof *s->memory);
    *slices = s;
    return pto_vm_observe_causes(vm, observe, s);
}

void cli_slices_free(struct cli_slices *s)
{
    if (!s)
        return;
    sites_free(&s->sites);
    free(s->queue);
    free(s->flight);
    free(s->stalled_at);
    free(s->memory);
    free(s->slice);
    free(s);
}

/* ---- JSON ---- */

static const char *file_of(const struct pto_critical_place *place, uint32_t *line)
{
    const struct pto_pos *pos = place->insn ? pto_place(place->module, place->insn->pos) : NULL;

    *line = pos ? pos->line : 0;
    return pos ? place->module->file[pos->file] : "";
}

static void sites_json(const struct cli_slices *s, struct cli_json *json)
{
    cli_json_open(json, "sites", '[');
    for (uint32_t i = 0; i < s->sites.count; i++) {
        const struct pto_critical_place *place = &s->sites.place[i];
        uint32_t line;

        cli_json_open(json, NULL, '{');
        cli_json_text(json, "file", file_of(place, &line));
        cli_json_uint(json, "line", line);
        cli_json_text(json, "name", place->insn ? pto_op_info(place->insn->op)->mnemonic : "");
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* The texts of all files that are still there. */
static void sources_json(const struct cli_slices *s, struct cli_json *json)
{
    const char *last = "";

    cli_json_open(json, "sources", '{');
    for (uint32_t i = 1; i < s->sites.count; i++) {
        struct pto_buf text = {0};
        const char *file, *why;
        uint32_t line, before = 1;

        file = file_of(&s->sites.place[i], &line);
        while (before < i && strcmp(file_of(&s->sites.place[before], &line), file) != 0)
            before++;
        if (*file && before == i && strcmp(file, last) != 0 &&
            pto_file_read(file, PTO_FILE_TEXT, &text, &why) == PTO_OK)
            cli_json_text(json, file, pto_buf_text(&text));
        last = file;
        pto_buf_free(&text);
    }
    cli_json_close(json, '}');
}

static int by_track(const void *one, const void *two)
{
    const struct slice *a = one, *b = two;

    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

static void open_track(const struct cli_slices *s, uint32_t track, struct cli_json *json)
{
    uint32_t unit = track / PTO_QUEUE_COUNT, cores = pto_vm_cores(s->vm);
    struct pto_core_info core;

    pto_vm_core(s->vm, (int)(unit / cores), unit % cores, &core);
    cli_json_open(json, NULL, '{');
    cli_json_uint(json, "rank", unit / cores);
    cli_json_text(json, "core", core.name);
    cli_json_text(json, "pipe", pto_queue_name(track % PTO_QUEUE_COUNT));
    cli_json_open(json, "slices", '[');
}

/* Of a slice: how much later it starts than the one before, its length, its site, its kind. */
static void tracks_json(struct cli_slices *s, struct cli_json *json)
{
    uint64_t last = 0;

    if (s->count)
        qsort(s->slice, s->count, sizeof *s->slice, by_track);
    cli_json_open(json, "tracks", '[');
    for (uint32_t i = 0; i < s->count; i++) {
        const struct slice *slice = &s->slice[i];
        bool first = i == 0 || slice[-1].track != slice->track;

        if (first) {
            open_track(s, slice->track, json);
            last = 0;
        }
        pto_buf_printf(json->out, "%s%llu,%llu,%u,%u", first ? "" : ",",
                       (unsigned long long)(slice->start - last),
                       (unsigned long long)(slice->end - slice->start), slice->site, slice->kind);
        last = slice->start;
        if (i + 1 == s->count || slice[1].track != slice->track) {
            cli_json_close(json, ']');
            cli_json_close(json, '}');
        }
    }
    cli_json_close(json, ']');
}

struct waiter {
    struct cli_slices *slices;
    uint32_t site;
};

static void add_awaited(void *context, const struct pto_awaited *awaited)
{
    const struct waiter *waiter = context;
    uint64_t now = pto_vm_time(waiter->slices->vm);

    if (awaited->core != PTO_AWAITED_THING)
        add(waiter->slices, &(struct pto_event){.rank = awaited->rank,
                                                .core = (unsigned)awaited->core,
                                                .pipe = (uint8_t)awaited->queue},
            now, now, waiter->site, SLICE_AWAITED);
}

/* What a queue waits for as the run ends, or is cut off. */
static void add_open(struct cli_slices *s, int rank, unsigned core, unsigned queue, bool deadlock)
{
    const struct pto_wait wait = pto_vm_wait(s->vm, rank, core, queue);
    const struct pto_event at = {.rank = rank, .core = core, .pipe = (uint8_t)queue,
                                 .module = wait.module, .insn = wait.insn};

    if (!wait.insn)
        return;
    add(s, &at, wait.since_ps, pto_vm_time(s->vm), site_of(s, &at), SLICE_OPEN);
    if (deadlock)
        pto_vm_awaited(s->vm, rank, core, queue, add_awaited,
                       &(struct waiter){s, site_of(s, &at)});
}

static void add_all_open(struct cli_slices *s)
{
    const struct pto_fault *fault = pto_vm_fault(s->vm);
    bool deadlock = fault && fault->status == PTO_EDEADLOCK;

    for (int rank = 0; rank < pto_vm_ranks(s->vm); rank++)
        for (unsigned core = 0; core < pto_vm_cores(s->vm); core++)
            for (unsigned queue = 0; queue < PTO_QUEUE_COUNT; queue++)
                add_open(s, rank, core, queue, deadlock);
}

/* Bytes of global memory, by rank. */
static void memory_json(const struct cli_slices *s, struct cli_json *json)
{
    cli_json_open(json, "memory", '[');
    for (int rank = 0; rank < pto_vm_ranks(s->vm); rank++) {
        cli_json_open(json, NULL, '{');
        cli_json_uint(json, "read", s->memory[rank].read);
        cli_json_uint(json, "written", s->memory[rank].written);
        cli_json_uint(json, "hit", s->memory[rank].hit);
        cli_json_uint(json, "lines", s->memory[rank].lines);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

void cli_slices_json(struct cli_slices *s, struct cli_json *json)
{
    add_all_open(s);
    sites_json(s, json);
    tracks_json(s, json);
    sources_json(s, json);
    memory_json(s, json);
    cli_json_uint(json, "dropped", s->dropped);
    if (s->dropped)
        cli_json_uint(json, "whole_until_ps", s->whole_until);
}
