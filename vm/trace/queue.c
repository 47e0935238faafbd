/* Pipes and DMA engines: their phases and waits, and how full their queues are. */
#include <stdlib.h>
#include <string.h>

#include "look/wait.h"
#include "trace/parts.h"

/* ---- queues ------------------------------------------------------------------------------- */

static struct trace_queue *queue_of(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_queue **queue = &trace_core(t, event)->queue[event->pipe];

    if (!*queue) {
        *queue = pto_xcalloc(1, sizeof **queue);
        (*queue)->entry = pto_xcalloc(t->ring, sizeof *(*queue)->entry);
    }
    return *queue;
}

static struct trace_entry *entry_of(const struct cli_trace *t, struct trace_queue *queue,
                                    uint64_t number)
{
    return &queue->entry[number % t->ring];
}

void trace_keep_values(const struct trace_insn *insn, const uint64_t *registers, uint64_t **value,
                       unsigned *capacity)
{
    if (!insn || !registers)
        return;
    if (*capacity < insn->holes + 1) {
        *capacity = insn->holes + 1;
        *value = pto_xrealloc(*value, *capacity * sizeof **value);
    }
    trace_text_values(insn, registers, *value);
}

/* S runs ahead of the clock: entries count from the time on at which they were issued. */
static void count_issued(struct cli_trace *t, struct trace_queue *queue,
                         const struct pto_event *at, uint64_t until)
{
    while (queue->counted < queue->issued &&
           entry_of(t, queue, queue->counted + 1)->issue <= until) {
        uint64_t when = entry_of(t, queue, ++queue->counted)->issue;

        trace_depth_set(t->meters, &queue->depth, at, when,
                        (uint32_t)(queue->counted - queue->over));
    }
}

/* Entry `number` of the queue is over, and those behind it that were over before it. */
void trace_retire(struct cli_trace *t, const struct pto_event *event, uint64_t number)
{
    struct trace_queue *queue = queue_of(t, event);

    if (!t->meters || !trace_core(t, event)->shown || number <= queue->over)
        return;
    count_issued(t, queue, event, event->time_ps);
    queue->over = number;
    while (queue->over < queue->issued && entry_of(t, queue, queue->over + 1)->passed)
        queue->over++;
    trace_depth_set(t->meters, &queue->depth, event, event->time_ps,
                    queue->counted > queue->over ? (uint32_t)(queue->counted - queue->over) : 0);
}

void trace_on_issue(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_queue *queue = queue_of(t, event);
    struct trace_entry *entry = entry_of(t, queue, event->entry);

    if (event->entry <= queue->issued) /* a DMA engine counts anew in every launch */
        queue->counted = queue->over = event->entry - 1;
    queue->issued = event->entry;
    entry->insn = trace_text_of(&t->texts, event->module, event->insn);
    entry->issue = event->time_ps;
    entry->passed = false;
    trace_keep_values(entry->insn, event->registers, &entry->value, &entry->capacity);
}

/* The time that an entry was held up for, if it was. */
static void show_wait(struct cli_trace *t, const struct pto_event *event, const char *name,
                      const struct trace_entry *entry)
{
    if (event->start_ps < event->time_ps &&
        trace_shows(t, event, event->pipe, TRACE_WAIT, event->start_ps, event->time_ps) &&
        timeline_admit(&t->out, 1))
        timeline_slice(&t->out, &(struct timeline_slice){
            .kind = TRACE_WAIT,
            .name = name,
            .rank = event->rank,
            .tid = timeline_pipe(&t->out, event->rank, event->core, event->pipe),
            .start = event->start_ps,
            .end = event->time_ps,
            .insn = entry->insn,
            .value = entry->value});
}

/* A wait or a barrier takes no time: it is over with the entry before it. */
void trace_on_pass(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_queue *queue = queue_of(t, event);
    struct trace_entry *entry = entry_of(t, queue, event->entry);

    if (event->pipe != event->flag_dst)
        return;
    entry->passed = true;
    if (queue->over + 1 == event->entry)
        trace_retire(t, event, event->entry);
    if (event->flag_src == event->flag_dst)
        show_wait(t, event, "pipe_barrier", entry);
}

/* ---- phases ------------------------------------------------------------------------------- */

/* Something new starts on the queue: what is still pending is shown up to here. */
static void clip_pending(struct trace_queue *queue, uint64_t when)
{
    for (unsigned i = queue->first; i < queue->count; i++)
        if (queue->phase[i].clip == 0)
            queue->phase[i].clip = when;
}

void trace_on_start(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_queue *queue = queue_of(t, event);

    clip_pending(queue, event->time_ps);
    if (queue->first > 0 && queue->count == queue->capacity) {
        memmove(queue->phase, queue->phase + queue->first,
                (queue->count - queue->first) * sizeof *queue->phase);
        queue->count -= queue->first;
        queue->first = 0;
    }
    PTO_GROW(queue->phase, queue->count, queue->capacity);
    queue->phase[queue->count++] = (struct trace_phase){.start = event->time_ps,
                                                        .bytes = event->bytes,
                                                        .entry = event->entry};
    if (t->meters && t->rank_shown[event->rank])
        trace_meters_phase(t->meters, event);
}

static void show_phase(struct cli_trace *t, const struct pto_event *at, struct trace_queue *queue,
                       const struct trace_phase *phase, bool unfinished)
{
    const struct trace_entry *entry = entry_of(t, queue, phase->entry);
    uint64_t end = at->time_ps;
    uint64_t visible = phase->clip != 0 && phase->clip < end ? phase->clip : end;

    if (!trace_shows(t, at, at->pipe, TRACE_PIPE, phase->start, visible) ||
        !timeline_admit(&t->out, 1))
        return;
    timeline_slice(&t->out, &(struct timeline_slice){
        .kind = TRACE_PIPE,
        .name = entry->insn ? entry->insn->mnemonic : "work",
        .rank = at->rank,
        .tid = timeline_pipe(&t->out, at->rank, at->core, at->pipe),
        .start = phase->start,
        .end = visible,
        .last = end,
        .bytes = phase->bytes,
        .insn = entry->insn,
        .value = entry->value,
        .unfinished = unfinished});
}

void trace_on_complete(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_queue *queue = queue_of(t, event);

    if (queue->first < queue->count)
        show_phase(t, event, queue, &queue->phase[queue->first++], false);
    if (queue->first == queue->count)
        queue->first = queue->count = 0;
    trace_retire(t, event, event->entry);
}

void trace_on_waited(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_queue *queue = queue_of(t, event);
    const struct trace_entry *entry = entry_of(t, queue, event->entry);

    clip_pending(queue, event->start_ps);
    show_wait(t, event, "waiting", entry);
    trace_on_wait_end(t, event);
}

void trace_on_wait_begin(struct cli_trace *t, const struct pto_event *event)
{
    clip_pending(queue_of(t, event), event->time_ps);
}

/* A wait that is not over yet, or never will be. */
static void show_open_wait(struct cli_trace *t, const struct pto_event *at)
{
    struct trace_core *core = trace_core(t, at);
    const struct pto_wait wait = pto_vm_wait(t->vm, at->rank, at->core, at->pipe);
    bool scalar = at->pipe == PTO_PIPE_S;
    const struct trace_entry *entry =
        wait.entry && core->queue[at->pipe] ? entry_of(t, core->queue[at->pipe], wait.entry) : NULL;
    const char *pipes_wait = wait.kind == PTO_WAIT_EARLIER ? "pipe_barrier" : "waiting";

    if (!wait.insn || wait.since_ps >= at->time_ps || (scalar && !core->stall) ||
        !trace_shows(t, at, at->pipe, TRACE_WAIT, wait.since_ps, at->time_ps) ||
        !timeline_admit(&t->out, 1))
        return;
    timeline_slice(&t->out, &(struct timeline_slice){
        .kind = TRACE_WAIT,
        .before = scalar ? "stall: " : NULL,
        .name = scalar ? core->stall->mnemonic : pipes_wait,
        .rank = at->rank,
        .tid = timeline_pipe(&t->out, at->rank, at->core, at->pipe),
        .start = wait.since_ps,
        .end = at->time_ps,
        .insn = scalar ? core->stall : entry ? entry->insn : NULL,
        .value = scalar ? core->stall_value : entry ? entry->value : NULL,
        .unfinished = true});
}

/* Phases and waits that a fault, deadlock or limit cut off, and the last values of counters. */
void trace_queues_end(struct cli_trace *t, int rank, unsigned core, uint64_t now)
{
    struct trace_core *state = &t->core[(size_t)rank * t->out.cores + core];
    struct pto_event at = {.rank = rank, .core = core};

    for (unsigned pipe = 0; pipe < PTO_QUEUE_COUNT; pipe++) {
        struct trace_queue *queue = state->queue[pipe];

        at.pipe = (uint8_t)pipe;
        for (; queue && queue->first < queue->count; queue->first++) {
            const struct trace_phase *phase = &queue->phase[queue->first];

            at.time_ps = now > phase->start ? now : phase->start;
            show_phase(t, &at, queue, phase, true);
        }
        at.time_ps = now;
        show_open_wait(t, &at);
        if (queue && t->meters && state->shown) {
            count_issued(t, queue, &at, now);
            trace_depth_end(t->meters, &queue->depth, &at);
        }
    }
}

void trace_queues_free(struct cli_trace *t, struct trace_core *core)
{
    for (unsigned pipe = 0; pipe < PTO_QUEUE_COUNT; pipe++) {
        struct trace_queue *queue = core->queue[pipe];

        for (uint32_t i = 0; queue && i < t->ring; i++)
            free(queue->entry[i].value);
        if (queue) {
            free(queue->phase);
            free(queue->entry);
        }
        free(queue);
    }
}
