#include "pack.h"

#include <stdlib.h>
#include <string.h>

#include "machine/links.h"
#include "machine/parts.h"

void *pack_take_block(struct reader *in, void *old, size_t size)
{
    void *block = pto_xrealloc(old, size + !size);

    reader_take(in, block, size);
    return block;
}

/* ---- faults ---- */

/* The number of the first launch of a module, -1: none. */
static int launch_of_module(const struct pto_vm *vm, const struct pto_module *module)
{
    for (unsigned l = 0; l < vm->launches; l++)
        if (&vm->launch[l].program->module == module)
            return (int)l;
    return -1;
}

static void put_fault(const struct pto_vm *vm, const struct pto_fault *fault, struct pto_buf *out)
{
    int launch = launch_of_module(vm, fault->module);

    pto_buf_append(out, fault, sizeof *fault);
    pto_buf_append(out, &launch, sizeof launch);
    reader_put_text(fault->message, out);
    reader_put_text(fault->hint, out);
    reader_put_text(fault->core, out);
    reader_put_text(fault->pipe, out);
    reader_put_text(fault->details, out);
    reader_put_text(fault->mnemonic, out);
}

static void take_fault(struct rank *rank, struct reader *in, struct pto_fault *fault)
{
    int launch;

    reader_take(in, fault, sizeof *fault);
    reader_take(in, &launch, sizeof launch);
    fault->module = launch < 0 ? NULL : &rank->vm->launch[launch].program->module;
    fault->message = reader_take_text(in, &rank->arena);
    fault->hint = reader_take_text(in, &rank->arena);
    fault->core = reader_take_text(in, &rank->arena);
    fault->pipe = reader_take_text(in, &rank->arena);
    fault->details = reader_take_text(in, &rank->arena);
    fault->mnemonic = reader_take_text(in, &rank->arena);
}

/* ---- sub-cores ---- */

static size_t ring_bytes(const struct pipe *pipe)
{
    return pipe->ring ? (pipe->mask + (size_t)1) * sizeof *pipe->ring : 0;
}

static size_t dma_bytes(const struct core *core)
{
    return core->dma->ring ? core->rank->vm->profile.async_limit * sizeof *core->dma->ring : 0;
}

static size_t register_bytes(const struct core *core)
{
    return core->ready && core->reg ? core->ready->registers * sizeof *core->reg : 0;
}

static int launch_of_core(const struct core *core)
{
    const struct pto_vm *vm = core->rank->vm;

    for (unsigned l = 0; core->ready && l < vm->launches; l++)
        if (&vm->launch[l].ready->core[core->kind] == core->ready)
            return (int)l;
    return -1;
}

static void put_flags(const struct flags *flags, struct pto_buf *out)
{
    pto_buf_byte(out, flags->room);
    pto_buf_append(out, flags, flags_bytes(flags));
}

static void put_cross(const struct cross *cross, struct pto_buf *out)
{
    pto_buf_append(out, cross, sizeof *cross);
    for (unsigned i = 0; i < CROSS_PLACES; i++)
        pto_buf_u32(out, cross->setter[i].core ? cross->setter[i].core->number : 0);
}

static void put_waits(const struct waits *waits, struct pto_buf *out)
{
    pto_buf_append(out, waits, sizeof *waits);
    pto_buf_append(out, waits->condition, waits->conditions * sizeof *waits->condition);
}

static void put_parts(const struct core *core, struct pto_buf *out)
{
    const uint32_t made = parts_made(core);

    pto_buf_append(out, &made, sizeof made);
    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
        if (made >> p & 1) {
            pto_buf_append(out, core->pipe[p], sizeof *core->pipe[p]);
            pto_buf_append(out, core->pipe[p]->ring, ring_bytes(core->pipe[p]));
        }
    if (made >> PART_DMA & 1) {
        pto_buf_append(out, core->dma, sizeof *core->dma);
        pto_buf_append(out, core->dma->ring, dma_bytes(core));
    }
    if (made >> PART_SERIES & 1)
        pto_buf_append(out, core->series, sizeof *core->series);
    if (made >> PART_WAITS & 1)
        put_waits(core->waits, out);
}

/* Which of its parts an instruction has put into a queue. */
enum part { PART_NONE, PART_WHOLE, PART_LOAD, PART_STORE, PART_COPY, PART_COMBINE };

static const struct ready_op *part_of(const struct ready_op *op, enum part part)
{
    const struct ready_op *const parts[] = {[PART_NONE] = NULL,     [PART_WHOLE] = op,
                                            [PART_LOAD] = op->load, [PART_STORE] = op->store,
                                            [PART_COPY] = op->copy, [PART_COMBINE] = op->combine};

    return parts[part];
}

static const struct ready_op *op_at(const struct core *core, uint32_t pc)
{
    return &core->ready->op[core->ready->insn[pc].d];
}

static void put_queued(const struct core *core, struct pto_buf *out)
{
    for (unsigned p = 0; p < PTO_PIPE_COUNT; p++)
        for (uint32_t i = core->pipe[p]->head; i != core->pipe[p]->tail; i++) {
            const struct entry *entry = pipe_entry(core->pipe[p], i);
            enum part part = PART_NONE;

            if (entry->kind == ENTRY_TILE)
                for (part = PART_WHOLE; part_of(op_at(core, entry->pc), part) != entry->op;)
                    part++;
            pto_buf_byte(out, part);
        }
}

/* What has left a queue leads nowhere, and no entry holds what another rank has sent. */
static void forget_ring(struct pipe *pipe)
{
    for (size_t i = 0; i < ring_bytes(pipe) / sizeof *pipe->ring; i++) {
        pipe->ring[i].op = NULL;
        pipe->ring[i].payload = NULL;
    }
}

static void take_queued(struct core *core, struct reader *in)
{
    const struct ready_code *ready = core->ready;
    uint8_t part;

    for (unsigned p = 0; p < PTO_PIPE_COUNT; p++) {
        forget_ring(core->pipe[p]);
        for (uint32_t i = core->pipe[p]->head; i != core->pipe[p]->tail; i++) {
            struct entry *entry = pipe_entry(core->pipe[p], i);

            reader_take(in, &part, 1);
            entry->op = part ? part_of(op_at(core, entry->pc), part) : NULL;
        }
    }
    for (size_t i = 0; i < dma_bytes(core) / sizeof *core->dma->ring; i++) {
        struct submission *s = &core->dma->ring[i];
        uint32_t op = ready && s->pc < ready->code->insns ? ready->insn[s->pc].d : UINT32_MAX;

        s->payload = NULL;
        s->op = ready && op < ready->ops ? &ready->op[op] : NULL; /* those of earlier launches */
    }
    if (core->series->op)
        core->series->op = op_at(core, core->pc);
}

void pack_core(const struct core *core, struct pto_buf *out)
{
    int launch = launch_of_core(core);

    pto_buf_append(out, core, sizeof *core);
    pto_buf_append(out, &launch, sizeof launch);
    pto_buf_byte(out, register_bytes(core) > 0);
    pto_buf_append(out, core->reg, register_bytes(core));
    put_parts(core, out);
    if (core->flags)
        put_flags(core->flags, out);
    if (core->cross)
        put_cross(core->cross, out);
    put_queued(core, out);
}

static void take_flags(struct core *core, struct flags *old, struct reader *in)
{
    uint8_t room;

    reader_take(in, &room, sizeof room);
    core->flags = pack_take_block(in, old, sizeof *old + room * sizeof *old->pair);
}

static void take_cross(struct core *core, struct cross *old, struct reader *in)
{
    core->cross = pack_take_block(in, old, sizeof *core->cross);
    for (unsigned i = 0; i < CROSS_PLACES; i++) {
        struct cross_setter *setter = &core->cross->setter[i];
        uint32_t number;

        reader_take(in, &number, sizeof number);
        setter->core = setter->core ? &core->rank->core[number] : NULL;
    }
}

/* It waits as it did. */
static void take_node(struct rank *rank, struct event_node *node)
{
    bool waits = node->place != EVENT_IDLE;

    node->place = EVENT_IDLE;
    if (waits)
        eventq_schedule(&rank->events, node, node->time);
}

static void take_pipe(struct rank *rank, struct pipe *pipe, struct reader *in)
{
    struct entry *old = pipe->ring;
    size_t size;

    reader_take(in, pipe, sizeof *pipe);
    size = ring_bytes(pipe);
    pipe->ring = size ? pack_take_block(in, old, size) : old;
    take_node(rank, &pipe->node);
}

static void take_dma(struct core *core, struct reader *in)
{
    struct dma *dma = parts_make_dma(core);
    struct submission *old = dma->ring;
    size_t size;

    reader_take(in, dma, sizeof *dma);
    size = dma_bytes(core);
    dma->ring = size ? pack_take_block(in, old, size) : old;
    take_node(core->rank, &dma->node);
}

static void take_waits(struct core *core, struct reader *in)
{
    struct waits was, *waits;

    reader_take(in, &was, sizeof was);
    waits = parts_make_waits(core, was.conditions);
    waits->which = was.which;
    waits->conditions = was.conditions;
    waits->held = was.held;
    reader_take(in, waits->condition, waits->conditions * sizeof *waits->condition);
    for (unsigned i = 0; i < waits->conditions; i++) {
        waits->condition[i].core = core;
        waits->condition[i].next = NULL;
    }
}

static void take_parts(struct core *core, struct reader *in)
{
    uint32_t made;

    reader_take(in, &made, sizeof made);
    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
        if (made >> p & 1)
            take_pipe(core->rank, parts_make_pipe(core, p), in);
    if (made >> PART_DMA & 1)
        take_dma(core, in);
    if (made >> PART_SERIES & 1)
        reader_take(in, parts_make_series(core), sizeof *core->series);
    if (made >> PART_WAITS & 1)
        take_waits(core, in);
}

static void take_registers(struct core *core, uint64_t *old, struct reader *in)
{
    uint8_t there;

    reader_take(in, &there, 1);
    core->reg = there ? pto_xrealloc(old, core->ready->registers * sizeof *core->reg) : old;
    if (there)
        reader_take(in, core->reg, register_bytes(core));
}

void pack_take_core(struct core *core, struct reader *in)
{
    struct core was = *core;
    int launch;

    reader_take(in, core, sizeof *core);
    reader_take(in, &launch, sizeof launch);
    core->rank = was.rank;
    core->ready = launch < 0 ? NULL : &was.rank->vm->launch[launch].ready->core[core->kind];
    take_registers(core, was.reg, in);
    memcpy(core->pipe, was.pipe, sizeof core->pipe);
    core->dma = was.dma;
    core->series = was.series;
    core->waits = was.waits;
    take_parts(core, in);
    if (core->flags)
        take_flags(core, was.flags, in);
    if (core->cross)
        take_cross(core, was.cross, in);
    core->given = NULL;
    core->local = was.local;
    core->tile_address = was.tile_address;
    core->owed = was.owed;
    core->chip = was.chip;
    take_node(core->rank, &core->s.node);
    take_queued(core, in);
}

size_t pack_payload_bytes(const struct entry *entry)
{
    const struct ready_operand *operand;
    const uint64_t *word;

    if (entry->op->extent_gm < 0)
        return 0; /* it moves nothing */
    operand = &entry->op->operand[entry->op->extent_gm];
    word = &entry->word[operand->word];
    return (size_t)gm_rows(word) * gm_cols(word) * pto_dtype_size(operand->view.dtype);
}

/* ---- ranks ---- */

void pack_rank(const struct rank *rank, struct pto_buf *out)
{
    pto_buf_append(out, rank, sizeof *rank);
    put_fault(rank->vm, &rank->fault, out);
    for (unsigned i = 0; i < rank->warnings; i++)
        put_fault(rank->vm, &rank->warning[i], out);
    pto_buf_append(out, rank->links.slot, links_bytes(&rank->links));
    pto_buf_append(out, rank->turn, rank->turns * sizeof *rank->turn);
    for (uint32_t i = 0; i < rank->inbox_size; i++)
        pto_buf_append(out, rank->inbox[i], sizeof **rank->inbox);
}

/* What belongs to this process's own rank of the number. */
static void keep_own(struct rank *rank, const struct rank *was)
{
    uint32_t slots;

    rank->vm = was->vm;
    rank->events = (struct eventq){.heap = was->events.heap, .capacity = was->events.capacity};
    rank->called = NULL;
    rank->args = was->args;
    rank->arena = was->arena;
    rank->inbox = was->inbox;
    rank->inbox_capacity = was->inbox_capacity;
    rank->outbox = was->outbox;
    rank->outbox_size = 0;
    rank->outbox_capacity = was->outbox_capacity;
    rank->core = was->core;
    rank->parts = was->parts;
    rank->object = was->object;
    rank->given = was->given;
    slots = rank->links.slots;
    rank->links.slot = was->links.slot;
    rank->links.slots = was->links.slots;
    links_resize(&rank->links, slots);
    rank->turn = was->turn;
    rank->turn_capacity = was->turn_capacity;
    rank->cache = was->cache;
    rank->backlog = was->backlog;
    rank->work_off = was->work_off;
    rank->warning = was->warning;
    rank->warning_capacity = was->warning_capacity;
    rank->printed = was->printed;
    rank->printed_lines = was->printed_lines;
    rank->printed_capacity = was->printed_capacity;
    rank->event = was->event;
    rank->events_gathered = was->events_gathered;
    rank->event_capacity = was->event_capacity;
    rank->values = was->values;
}

static void take_messages(struct rank *rank, struct reader *in, uint32_t count)
{
    for (rank->inbox_size = 0; rank->inbox_size < count; rank->inbox_size++) {
        struct message *message = pto_xmalloc(sizeof *message);

        reader_take(in, message, sizeof *message);
        message->payload = NULL;
        PTO_GROW(rank->inbox, rank->inbox_size, rank->inbox_capacity);
        rank->inbox[rank->inbox_size] = message;
    }
}

static void take_turns(struct rank *rank, struct reader *in, uint32_t count)
{
    for (rank->turns = 0; rank->turns < count; rank->turns++) {
        PTO_GROW(rank->turn, rank->turns, rank->turn_capacity);
        reader_take(in, &rank->turn[rank->turns], sizeof *rank->turn);
    }
}

void pack_take_rank(struct rank *rank, struct reader *in)
{
    struct rank was = *rank;
    unsigned warnings;

    reader_take(in, rank, sizeof *rank);
    keep_own(rank, &was);
    warnings = rank->warnings;
    take_fault(rank, in, &rank->fault);
    for (rank->warnings = 0; rank->warnings < warnings; rank->warnings++) {
        PTO_GROW(rank->warning, rank->warnings, rank->warning_capacity);
        take_fault(rank, in, &rank->warning[rank->warnings]);
    }
    reader_take(in, rank->links.slot, links_bytes(&rank->links));
    take_turns(rank, in, rank->turns);
    take_messages(rank, in, rank->inbox_size);
}
