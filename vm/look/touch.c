#include "touch.h"

#include <stdlib.h>

#include "machine/effect.h"
#include "machine/memory.h"
#include "machine/probe.h"
#include "machine/queue.h"
#include "machine/resolve.h"

/* Where the elements of a view lie. */
struct ground {
    struct pto_place place;
    uint64_t base; /* of the view in the place */
    struct op_view view;
};

/* A write to another rank on its way. */
struct flight {
    int source;
    uint64_t sequence; /* of its message */
    struct pto_touch sender;
    bool has_ground;
    struct ground ground; /* what was stored */
};

struct pto_touches {
    struct pto_vm *vm;
    struct probe_link link;
    struct pto_touch_listener listener;
    struct flight *flight;
    unsigned flights, flight_capacity;
    struct flight arriving; /* the message that lands; source -1: none */
};

/* ---- places ---- */

static struct pto_place space_of(const struct core *core, unsigned space)
{
    return (struct pto_place){core->rank->number, (int)core->number, space};
}

static uint32_t object_number(const struct core *core, const uint64_t *word)
{
    return memory_object(core, gm_object(word))->object;
}

/* Where an operand's bytes lie; a window of another rank lies there, whatever the entry holds. */
static struct ground ground_of(struct core *core, const struct ready_operand *operand,
                               const uint64_t *word, const struct op_view *view)
{
    struct ground g = {.view = *view};

    if (operand->kind == PTO_O_TILE) {
        const struct core *home = core_home(core, operand);

        g.place = space_of(home, view->space);
        g.base = (uint64_t)(view->data - home->chip->data[view->space]);
        return g;
    }
    g.place = (struct pto_place){gm_rank(word), -1, object_number(core, word)};
    g.base = word[GM_OFFSET];
    if (gm_rank(word) != core->rank->number) {
        const struct bound_object *object = memory_object(core, gm_object(word));

        g.view.row_stride = object_row_stride(object);
        g.view.col_stride = object_col_stride(object);
    }
    return g;
}

/* ---- telling ---- */

struct telling {
    struct pto_touches *touches;
    struct pto_touch touch;
    uint64_t base;
    bool asked;
    uint64_t at;
};

static void tell_pieces(void *context, const struct effect_pieces *pieces)
{
    struct telling *t = context;
    uint64_t at;

    t->touch.bytes.offset = t->base + pieces->offset;
    t->touch.bytes.length = pieces->length;
    t->touch.bytes.step = pieces->step;
    t->touch.bytes.count = pieces->count;
    if (t->touches->listener.touched(t->touches->listener.context, &t->touch, &at)) {
        t->asked = true;
        t->at = at;
    }
}

static bool wants(const struct pto_touches *t, const struct pto_place *place)
{
    return t->listener.wants(t->listener.context, place);
}

/* All bytes of a view; true: what *at is made from is asked. */
static bool tell_ground(struct pto_touches *t, const struct pto_touch *who, const struct ground *g,
                        uint64_t *at)
{
    struct telling telling = {.touches = t, .touch = *who, .base = g->base};

    if (!wants(t, &g->place))
        return false;
    telling.touch.bytes.place = g->place;
    effect_of_view(&g->view, tell_pieces, &telling);
    *at = telling.at;
    return telling.asked;
}

static struct pto_touch by_entry(const struct core *core, unsigned pipe)
{
    const struct entry *entry =
        pipe_entry(core->pipe[pipe], core->pipe[pipe]->head);

    return (struct pto_touch){.rank = core->rank->number,
                              .core = core->number,
                              .queue = (uint8_t)pipe,
                              .entry = entry_number(core->pipe[pipe]->head),
                              .insn = &core->ready->code->insn[entry->pc],
                              .module = core->ready->module,
                              .time_ps = core->rank->now};
}

static struct pto_touch by_scalar(const struct core *core)
{
    return (struct pto_touch){.rank = core->rank->number,
                              .core = core->number,
                              .queue = PTO_PIPE_S,
                              .insn = &core->ready->code->insn[core->pc],
                              .module = core->ready->module,
                              .time_ps = core->time};
}

static struct pto_touch by_submission(const struct core *core, uint64_t number)
{
    const struct submission *s = dma_submission(core, number);

    return (struct pto_touch){.rank = core->rank->number,
                              .core = core->number,
                              .queue = PTO_DMA,
                              .entry = number + 1,
                              .insn = &core->ready->code->insn[s->pc],
                              .module = core->ready->module,
                              .time_ps = core->rank->now};
}

/* ---- what a byte is made from ---- */

/* From the start of the place. */
static uint64_t element_offset(const struct ground *g, uint32_t row, uint32_t col)
{
    return g->base + (uint64_t)memory_element_offset(&g->view, row, col);
}

/* The element that has the byte; false: none. */
static bool find_element(const struct ground *g, uint64_t at, uint32_t *row, uint32_t *col)
{
    uint64_t size = pto_dtype_size(g->view.dtype);

    for (*row = 0; *row < g->view.rows; ++*row)
        for (*col = 0; *col < g->view.cols; ++*col)
            if (at - element_offset(g, *row, *col) < size)
                return true;
    return false;
}

static void tell_element(struct pto_touches *t, const struct ground *g, uint32_t row, uint32_t col)
{
    uint64_t size = pto_dtype_size(g->view.dtype);

    t->listener.source(t->listener.context,
                       &(struct pto_stretch){g->place, element_offset(g, row, col),
                                             size, size, 1});
}

static void tell_source_pieces(void *context, const struct effect_pieces *pieces)
{
    struct telling *t = context;

    t->touches->listener.source(t->touches->listener.context,
                                &(struct pto_stretch){t->touch.bytes.place,
                                                      t->base + pieces->offset, pieces->length,
                                                      pieces->step, pieces->count});
}

/* One source of an instruction: the same element where it works element by element, or moves. */
static void tell_source(struct pto_touches *t, struct core *core, const struct entry *entry,
                        const struct op_args *args, unsigned source, const struct ground *dst,
                        uint64_t at)
{
    const struct ready_op *op = entry->op;
    const struct ready_operand *operand = &op->operand[source];
    struct ground g = ground_of(core, operand, &entry->word[operand->word],
                                &args->arg[source].view);
    uint8_t rule = op->info->operand[source].rule;
    bool each = op->extent_gm >= 0 || rule == PTO_SHAPE_OF_COVERS ||
                (rule == PTO_SHAPE_OF_CONVERTED &&
                 pto_dtype_numbers(g.view.dtype) == pto_dtype_numbers(dst->view.dtype)) ||
                rule == PTO_SHAPE_OF_SAME || rule == PTO_SHAPE_OF_INSIDE || source == 0;
    struct telling all = {.touches = t, .touch.bytes.place = g.place, .base = g.base};
    uint32_t row, col;

    if (each && find_element(dst, at, &row, &col) && row < g.view.rows && col < g.view.cols)
        tell_element(t, &g, row, col);
    else
        effect_bytes(op, args, source, tell_source_pieces, &all);
}

static void tell_sources(struct pto_touches *t, struct core *core, const struct entry *entry,
                         const struct op_args *args, const struct ground *dst, uint64_t at)
{
    for (unsigned i = 0; i < entry->op->operands; i++)
        if (effect_reads(entry->op, args, i))
            tell_source(t, core, entry, args, i, dst, at);
}

/* ---- tile instructions ---- */

static void touch_operand(struct pto_touches *t, struct core *core, const struct entry *entry,
                          const struct op_args *args, unsigned index, struct telling *telling)
{
    const struct ready_operand *operand = &entry->op->operand[index];
    struct ground g = ground_of(core, operand, &entry->word[operand->word],
                                &args->arg[index].view);

    if (g.place.rank != core->rank->number || !wants(t, &g.place))
        return;
    telling->asked = false;
    telling->base = g.base;
    telling->touch.bytes.place = g.place;
    effect_bytes(entry->op, args, index, tell_pieces, telling);
    if (telling->asked && telling->touch.write)
        tell_sources(t, core, entry, args, &g, telling->at);
}

static void on_complete(void *context, struct core *core, unsigned pipe,
                        const struct op_args *args)
{
    struct pto_touches *t = context;
    const struct entry *entry =
        pipe_entry(core->pipe[pipe], core->pipe[pipe]->head);
    struct telling telling = {.touches = t, .touch = by_entry(core, pipe)};

    for (unsigned i = 0; i < entry->op->operands; i++)
        if (effect_reads(entry->op, args, i))
            touch_operand(t, core, entry, args, i, &telling);
    telling.touch.write = true;
    for (unsigned i = 0; i < entry->op->operands; i++)
        if (effect_writes(entry->op, i)) {
            telling.touch.atomic = effect_is_atomic(entry->op, args);
            touch_operand(t, core, entry, args, i, &telling);
        }
}

/* ---- the scalar unit ---- */

static void on_scalar(void *context, struct core *core, const struct ready_operand *place,
                      const void *address, unsigned access)
{
    struct pto_touches *t = context;
    struct pto_touch who = by_scalar(core);
    struct ground g = {.view = place->view};
    const uint8_t *origin;
    uint64_t at;

    if (place->kind == PTO_O_TILE) {
        g.place = space_of(core, place->tile->space);
        origin = core->chip->data[place->tile->space];
    } else {
        g.place = (struct pto_place){core->rank->number, -1,
                                     memory_object(core, place->object)->object};
        origin = core->rank->object[g.place.number].data;
    }
    g.base = (uint64_t)((const uint8_t *)address - origin);
    g.view.rows = g.view.cols = 1;
    g.view.row = g.view.col = 0;
    g.view.row_stride = g.view.col_stride = pto_dtype_size(place->view.dtype);
    if (access & PTO_READ)
        tell_ground(t, &who, &g, &at);
    who.write = true;
    who.atomic = access & PTO_READ;
    if (access & PTO_WRITE)
        tell_ground(t, &who, &g, &at);
}

/* ---- what goes to other ranks ---- */

static struct flight *take_off(struct pto_touches *t, const struct core *core, uint64_t sequence,
                               const struct pto_touch *sender)
{
    struct flight *flight;

    PTO_GROW(t->flight, t->flights, t->flight_capacity);
    flight = &t->flight[t->flights++];
    *flight = (struct flight){
        .source = core->rank->number, .sequence = sequence, .sender = *sender};
    if (t->listener.departs)
        flight->sender.mark = t->listener.departs(t->listener.context, sender);
    return flight;
}

static uint32_t on_put(void *context, struct core *core, unsigned pipe)
{
    struct pto_touches *t = context;
    const struct pto_touch who = by_entry(core, pipe);
    struct flight *flight = take_off(t, core, core->rank->sequence, &who);
    const struct entry *entry =
        pipe_entry(core->pipe[pipe], core->pipe[pipe]->head);
    const struct ready_operand *source = &entry->op->operand[1];

    if (source->kind == PTO_O_TILE && !entry->op->skipped) {
        flight->has_ground = true;
        flight->ground = ground_of(core, source, &entry->word[source->word],
                                   &core->rank->args->arg[1].view);
    }
    return 0;
}

static uint32_t on_async_put(void *context, struct core *core, uint64_t number)
{
    struct pto_touches *t = context;
    const struct pto_touch who = by_submission(core, number);
    struct flight *flight = take_off(t, core, core->rank->sequence, &who);
    const struct submission *s = dma_submission(core, number);

    flight->has_ground = true;
    memory_gm_view(core, s->gm[1], &flight->ground.view);
    flight->ground.place =
        (struct pto_place){core->rank->number, -1, object_number(core, s->gm[1])};
    flight->ground.base = s->gm[1][GM_OFFSET];
    return 0;
}

/* The message of a TNOTIFY to another rank was made just now; one of the own rank has none, and
 * lands at once. */
static uint32_t on_notify(void *context, struct core *core)
{
    struct pto_touches *t = context;
    const struct ready_op *op = &core->ready->op[core->ready->insn[core->pc].d];

    t->arriving = (struct flight){.source = core->rank->number, .sender = by_scalar(core)};
    if (register_or(core, op->operand[0].rank, core->rank->number) != core->rank->number)
        take_off(t, core, core->rank->sequence - 1, &t->arriving.sender);
    return 0;
}

/* TWAIT and its like look at the window of their condition. */
static void on_signal(void *context, struct core *core)
{
    struct pto_touches *t = context;
    struct pto_touch who = by_scalar(core);
    const uint64_t *word = core_wait_held(core)->gm;
    struct ground g = {.place = {core->rank->number, -1, object_number(core, word)},
                       .base = word[GM_OFFSET]};
    uint64_t at;

    who.time_ps = max_u64(core->time, core->rank->now); /* S may have slept until now */
    memory_gm_view(core, word, &g.view);
    tell_ground(t, &who, &g, &at);
}

static void on_arrive(void *context, struct rank *rank, const struct message *message)
{
    struct pto_touches *t = context;

    (void)rank;
    t->arriving = (struct flight){.source = -1};
    for (unsigned i = 0; i < t->flights; i++)
        if (t->flight[i].source == message->source &&
            t->flight[i].sequence == message->sequence) {
            t->arriving = t->flight[i];
            t->arriving.sender.arrives = true;
            t->flight[i] = t->flight[--t->flights];
            return;
        }
}

static struct pto_touch sender(const struct pto_touches *t, const struct rank *rank)
{
    struct pto_touch who = t->arriving.sender;

    who.write = true;
    who.time_ps = rank->now;
    return who;
}

static void on_land(void *context, struct rank *rank, const struct message *message,
                    const struct op_view *view)
{
    struct pto_touches *t = context;
    struct pto_touch who = sender(t, rank);
    struct ground g = {{rank->number, -1, message->object}, message->offset, *view};
    uint32_t row, col;
    uint64_t at;

    who.atomic = message->operation != PTO_ATOMIC_NONE;
    if (!tell_ground(t, &who, &g, &at) || !t->arriving.has_ground)
        return;
    if (find_element(&g, at, &row, &col) && row < t->arriving.ground.view.rows &&
        col < t->arriving.ground.view.cols)
        tell_element(t, &t->arriving.ground, row, col);
    if (who.atomic)
        t->listener.source(t->listener.context,
                           &(struct pto_stretch){g.place, at, pto_dtype_size(view->dtype), 0, 1});
}

static void on_notify_land(void *context, struct rank *rank, uint32_t object,
                           const struct op_view *view, int64_t value, int operation, uint32_t tag)
{
    struct pto_touches *t = context;
    struct pto_touch who = sender(t, rank);
    struct ground g = {{rank->number, -1, object},
                       (uint64_t)(view->data - rank->object[object].data), *view};
    uint64_t at;

    (void)value, (void)tag;
    who.atomic = operation == PTO_NOTIFY_ADD;
    tell_ground(t, &who, &g, &at);
}

/* ---- the DMA engine ---- */

static void on_async_move(void *context, struct core *core, uint64_t number,
                          const struct op_view *dst, const struct op_view *src)
{
    struct pto_touches *t = context;
    const struct submission *s = dma_submission(core, number);
    struct pto_touch who = by_submission(core, number);
    struct ground to = {{core->rank->number, -1, object_number(core, s->gm[0])},
                        s->gm[0][GM_OFFSET], {0}};
    struct ground from = {{gm_rank(s->gm[1]), -1, object_number(core, s->gm[1])},
                          s->gm[1][GM_OFFSET], {0}};
    uint64_t at;

    if (src) {
        from.view = *src;
        tell_ground(t, &who, &from, &at);
    }
    if (!dst)
        return;
    to.view = *dst;
    who.write = true;
    if (tell_ground(t, &who, &to, &at)) /* both lie in one piece */
        t->listener.source(t->listener.context,
                           &(struct pto_stretch){from.place, from.base + (at - to.base),
                                                 pto_dtype_size(dst->dtype), 0, 1});
}

/* ---- life ---- */

struct pto_touches *pto_touches_attach(struct pto_vm *vm,
                                       const struct pto_touch_listener *listener)
{
    static const struct engine_probe probe = {.complete = on_complete,
                                              .scalar = on_scalar,
                                              .put = on_put,
                                              .async_put = on_async_put,
                                              .notify = on_notify,
                                              .signal_seen = on_signal,
                                              .signal_unseen = on_signal,
                                              .arrive = on_arrive,
                                              .land = on_land,
                                              .notify_land = on_notify_land,
                                              .async_move = on_async_move};
    struct pto_touches *t = pto_xcalloc(1, sizeof *t);

    t->vm = vm;
    t->listener = *listener;
    t->arriving.source = -1;
    t->link = (struct probe_link){.probe = &probe, .context = t};
    probe_attach(vm, &t->link);
    return t;
}

void pto_touches_detach(struct pto_touches *t)
{
    if (!t)
        return;
    probe_detach(t->vm, &t->link);
    free(t->flight);
    free(t);
}
