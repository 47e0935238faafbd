/* Arrows of flags: what sets one is held until somebody takes it, so that every arrow has both
 * ends, and the slice at its beginning stands before it in the file. */
#include <stdio.h>
#include <string.h>

#include "trace/parts.h"

void trace_arrow(struct cli_trace *t, const struct timeline_slice *from,
                 const struct timeline_slice *to)
{
    uint64_t id = t->next_flow + 1;

    if (!timeline_admit(&t->out, 4))
        return;
    t->next_flow = id;
    timeline_slice(&t->out, from);
    timeline_arrow(&t->out, 's', id, from->kind, from, from->start);
    timeline_slice(&t->out, to);
    timeline_arrow(&t->out, 'f', id, from->kind, to, to->start);
}

static void alone(struct cli_trace *t, const struct timeline_slice *slice)
{
    if (timeline_admit(&t->out, 1))
        timeline_slice(&t->out, slice);
}

/* Of a set, or of an end of a wait: an instant, as the pipe may be at something else by then. */
static struct timeline_slice instant(const struct trace_held *held, const char *name)
{
    return (struct timeline_slice){.kind = TRACE_FLAG,
                                   .name = name,
                                   .rank = held->rank,
                                   .tid = held->tid,
                                   .start = held->when,
                                   .end = held->when,
                                   .insn = held->insn};
}

static struct trace_held hold(struct cli_trace *t, const struct pto_event *event, unsigned pipe)
{
    struct trace_held held = {
        .there = true,
        .shown = trace_shows(t, event, pipe, TRACE_FLAG, event->time_ps, event->time_ps),
        .rank = event->rank,
        .when = event->time_ps,
        .src = event->flag_src,
        .dst = event->flag_dst,
        .id = event->flag_id,
        .pipe = (uint8_t)pipe,
        .insn = trace_text_of(&t->texts, event->module, event->insn),
    };

    if (held.shown)
        held.tid = timeline_pipe(&t->out, event->rank, event->core, pipe);
    return held;
}

enum { NAME = 64 };

static const char *flag_name(const struct trace_held *held, const char *what, char name[NAME])
{
    snprintf(name, NAME, "%s %s, %s, %u", what, pto_enum_keyword(PTO_ENUM_PIPE, held->src),
             pto_enum_keyword(PTO_ENUM_PIPE, held->dst), held->id);
    return name;
}

static const char *cross_name(const struct trace_held *held, const char *what, char name[NAME])
{
    snprintf(name, NAME, "%s %s%s%u", what,
             held->pipe == PTO_PIPE_S ? "" : pto_enum_keyword(PTO_ENUM_PIPE, held->pipe),
             held->pipe == PTO_PIPE_S ? "" : ", ", held->number);
    return name;
}

static bool is_intra(const struct trace_held *held)
{
    return held->id >= PTO_CROSS_FLAG_LIMIT;
}

static const char *set_name(const struct trace_held *held, char name[NAME])
{
    return cross_name(held, is_intra(held) ? "set_intra_block" : "set_flag_dev", name);
}

static const char *wait_name(const struct trace_held *held, char name[NAME])
{
    return cross_name(held, is_intra(held) ? "wait_intra_block" : "wait_flag_dev", name);
}

/* ---- sets that wait to be taken ---- */

static struct trace_flag *flag_of(struct cli_trace *t, uint64_t key)
{
    uint32_t *number = trace_map_at(&t->flag_numbers, key);

    if (!*number) {
        PTO_GROW(t->flag, t->flags, t->flag_capacity);
        memset(&t->flag[t->flags++], 0, sizeof *t->flag);
        *number = t->flags;
    }
    return &t->flag[*number - 1];
}

static uint64_t core_key(const struct cli_trace *t, int rank, unsigned core)
{
    return (((uint64_t)rank * t->out.cores + core) << 25) + 1;
}

static struct trace_flag *flag_inside(struct cli_trace *t, const struct pto_event *event,
                                      unsigned src, unsigned dst, unsigned id)
{
    return flag_of(t, core_key(t, event->rank, event->core) + ((uint64_t)src << 16) +
                          ((uint64_t)dst << 8) + id);
}

static struct trace_flag *flag_across(struct cli_trace *t, int rank, unsigned core, unsigned id)
{
    return flag_of(t, core_key(t, rank, core) + (UINT64_C(1) << 24) + id);
}

static void tell_set(struct cli_trace *t, const struct trace_held *held, bool across)
{
    char name[NAME];

    if (!held->shown)
        return;
    across ? set_name(held, name) : flag_name(held, "set_flag", name);
    alone(t, &(struct timeline_slice){.kind = TRACE_FLAG, .name = name, .rank = held->rank,
                                      .tid = held->tid, .start = held->when, .end = held->when,
                                      .insn = held->insn});
}

static void push(struct cli_trace *t, struct trace_flag *flag, struct trace_held held, bool across)
{
    if (flag->sets - flag->waits == TOKENS)
        tell_set(t, &flag->set[flag->waits++ % TOKENS], across);
    flag->set[flag->sets++ % TOKENS] = held;
}

/* The oldest set; none: not there. */
static struct trace_held pop(struct trace_flag *flag)
{
    return flag->waits < flag->sets ? flag->set[flag->waits++ % TOKENS] : (struct trace_held){0};
}

/* A set was taken. */
static void taken(struct cli_trace *t, const struct trace_held *set, const struct trace_held *wait,
                  bool across)
{
    char set_text[NAME], wait_text[NAME];
    struct timeline_slice from, to;

    if (!wait->shown) {
        if (set->there)
            tell_set(t, set, across);
        return;
    }
    to = instant(wait, across ? wait_name(wait, wait_text)
                              : flag_name(wait, "wait_flag", wait_text));
    if (!set->shown) {
        alone(t, &to);
        return;
    }
    from = instant(set, across ? set_name(set, set_text)
                               : flag_name(set, "set_flag", set_text));
    trace_arrow(t, &from, &to);
}

/* ---- flags inside a sub-core ---- */

void trace_on_set(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_flag *flag =
        flag_inside(t, event, event->flag_src, event->flag_dst, event->flag_id);

    /* Nobody tells of tokens that S takes without waiting: the latest is the one that it takes. */
    if (event->flag_dst == PTO_PIPE_S && flag->waits < flag->sets) {
        struct trace_held before = pop(flag);

        tell_set(t, &before, false);
    }
    push(t, flag, hold(t, event, event->pipe), false);
}

void trace_on_wait_end(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_held wait = hold(t, event, event->pipe);
    struct trace_held set = pop(flag_inside(t, event, event->flag_src, event->flag_dst,
                                            event->flag_id));

    taken(t, &set, &wait, false);
}

/* S goes on behind a wait_flag. */
void trace_on_wait_of_s(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_core *core = trace_core(t, event);
    struct trace_held wait = hold(t, event, PTO_PIPE_S), set;

    wait.src = (uint8_t)core->stall->insn->operand[0].value;
    wait.dst = PTO_PIPE_S;
    wait.id = core->stall_id;
    wait.insn = core->stall;
    set = pop(flag_inside(t, event, wait.src, wait.dst, wait.id));
    taken(t, &set, &wait, false);
}

/* ---- flags between sub-cores ---- */

/* Modes in which the cube's set goes to its vector sub-cores, and any set to one sub-core. */
enum { TO_PARTNERS = 2, TO_ONE = 3 };

/* Told of the sub-core at which the event is. */
static struct trace_held hold_cross(struct cli_trace *t, const struct pto_event *event,
                                    unsigned pipe)
{
    struct trace_held held = hold(t, event, pipe);

    held.number = pto_vm_cross_number(t->vm, event->rank, event->core, event->flag_id);
    return held;
}

void trace_on_cross_set(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_held set = hold_cross(t, event, event->pipe);
    struct pto_core_info core;

    trace_core(t, event)->cross_pipe = event->pipe;
    pto_vm_core(t->vm, event->rank, event->core, &core);
    /* Else every count that it sends is told. */
    if (event->value != TO_ONE && (event->value != TO_PARTNERS || core.kind != PTO_AIC))
        tell_set(t, &set, true);
}

void trace_on_cross_send(struct cli_trace *t, const struct pto_event *event)
{
    push(t, flag_across(t, event->rank, (unsigned)event->peer, event->flag_id),
         hold_cross(t, event, trace_core(t, event)->cross_pipe), true);
}

void trace_on_cross_take(struct cli_trace *t, const struct pto_event *event)
{
    struct trace_held wait = hold_cross(t, event, event->pipe);
    struct trace_held set = pop(flag_across(t, event->rank, event->core, event->flag_id));

    taken(t, &set, &wait, true);
}

void trace_flags_end(struct cli_trace *t)
{
    for (uint32_t i = 0; i < t->flag_numbers.capacity; i++) {
        bool across = (t->flag_numbers.key[i] - 1) >> 24 & 1;
        struct trace_flag *flag;

        if (t->flag_numbers.key[i] == 0)
            continue;
        flag = &t->flag[t->flag_numbers.number[i] - 1];
        while (flag->waits < flag->sets)
            tell_set(t, &flag->set[flag->waits++ % TOKENS], across);
    }
}
