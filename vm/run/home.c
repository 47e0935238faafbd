/* Structures go as they are, from one build of the program to the same; a pointer in them says only
 * that there is something, which follows, and leads to the receiver's own afterwards. */
#include "home.h"

#include <stdlib.h>
#include <string.h>

#include "launch.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/queue.h"
#include "machine/reader.h"
#include "preparation.h"
#include "units/carry.h"

/* As many bytes in place of those of `old`, which is freed. */
static void *take_block(struct reader *in, void *old, size_t size)
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
    return core->dma.ring ? core->rank->vm->profile.async_limit * sizeof *core->dma.ring : 0;
}

static size_t register_bytes(const struct core *core)
{
    return core->ready ? core->ready->registers * sizeof *core->reg : 0;
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
    pto_buf_append(out, flags, sizeof *flags);
    for (unsigned i = 0; i < CROSS_FLAGS; i++)
        pto_buf_u32(out, flags->cross_setter[i].core ? flags->cross_setter[i].core->number : 0);
}

static void put_core(const struct core *core, struct pto_buf *out)
{
    int launch = launch_of_core(core);

    pto_buf_append(out, core, sizeof *core);
    pto_buf_append(out, &launch, sizeof launch);
    pto_buf_append(out, core->reg, register_bytes(core));
    for (unsigned p = 0; p < PTO_PIPE_COUNT; p++)
        pto_buf_append(out, core->pipe[p].ring, ring_bytes(&core->pipe[p]));
    pto_buf_append(out, core->dma.ring, dma_bytes(core));
    if (core->flags)
        put_flags(core->flags, out);
}

static void take_flags(struct core *core, struct flags *old, struct reader *in)
{
    core->flags = take_block(in, old, sizeof *core->flags);
    for (unsigned i = 0; i < CROSS_FLAGS; i++) {
        struct cross_setter *setter = &core->flags->cross_setter[i];
        uint32_t number;

        reader_take(in, &number, sizeof number);
        setter->core = setter->core ? &core->rank->core[number] : NULL;
    }
}

static void take_pipe(struct pipe *pipe, struct entry *old, struct reader *in)
{
    size_t size = ring_bytes(pipe);

    pipe->ring = size ? take_block(in, old, size) : old;
    for (size_t i = 0; i < size / sizeof *pipe->ring; i++) {
        pipe->ring[i].op = NULL; /* nobody starts or completes it any more */
        pipe->ring[i].payload = NULL;
    }
}

static void take_dma(struct core *core, struct submission *old, struct reader *in)
{
    const struct ready_code *ready = core->ready;
    size_t size = dma_bytes(core);

    core->dma.ring = size ? take_block(in, old, size) : old;
    for (size_t i = 0; i < size / sizeof *core->dma.ring; i++) {
        struct submission *s = &core->dma.ring[i];
        uint32_t op = ready && s->pc < ready->code->insns ? ready->insn[s->pc].d : UINT32_MAX;

        s->payload = NULL;
        s->op = ready && op < ready->ops ? &ready->op[op] : NULL; /* those of earlier launches */
    }
}

/* It waits as it did. */
static void take_node(struct rank *rank, struct event_node *node)
{
    bool waits = node->place != EVENT_IDLE;

    node->place = EVENT_IDLE;
    node->previous = node->next = NULL;
    if (waits)
        eventq_schedule(&rank->events, node, node->time);
}

/* What only a sub-core that goes on needs stays behind. */
static void take_core(struct core *core, struct reader *in)
{
    struct core was = *core;
    int launch;

    reader_take(in, core, sizeof *core);
    reader_take(in, &launch, sizeof launch);
    core->rank = was.rank;
    core->ready = launch < 0 ? NULL : &was.rank->vm->launch[launch].ready->core[core->kind];
    core->reg = take_block(in, was.reg, register_bytes(core));
    for (unsigned p = 0; p < PTO_PIPE_COUNT; p++)
        take_pipe(&core->pipe[p], was.pipe[p].ring, in);
    take_dma(core, was.dma.ring, in);
    if (core->flags)
        take_flags(core, was.flags, in);
    core->given = NULL;
    core->local = was.local;
    core->tile_address = was.tile_address;
    core->owed = was.owed;
    core->series.op = NULL;
    core->wait.core = NULL;
    core->wait.next = NULL;
    for (unsigned i = 0; i < SIGNAL_WAITS; i++) {
        core->signal[i].core = core;
        core->signal[i].next = NULL;
    }
    memcpy(core->space, was.space, sizeof core->space);
    memcpy(core->space_size, was.space_size, sizeof core->space_size);
    memcpy(core->mapped, was.mapped, sizeof core->mapped);
    memcpy(core->reached, was.reached, sizeof core->reached);
    for (unsigned p = 0; p < PTO_PIPE_COUNT; p++)
        take_node(core->rank, &core->pipe[p].node);
    take_node(core->rank, &core->dma.node);
}

/* ---- objects ---- */

/* Whoever waits for a signal is described with its value. */
static bool goes_home(const struct rank *rank, const struct object *object)
{
    const struct pto_carrier *carrier = rank->vm->options.carrier;
    const struct binding *binding = prepare_binding(rank->vm, rank->number, object->name);
    bool symmetric = object->kind == PTO_OBJ_SYM || object->kind == PTO_OBJ_SIGNAL;
    bool shared = object->lent && binding && binding->rank == PTO_ALL_RANKS; /* it is there */

    return object->data && !shared &&
           ((symmetric && !launch_all_done(rank)) ||
            carrier->wants(carrier->wants_context, object->name, object->kind));
}

static void put_objects(const struct rank *rank, struct pto_buf *out)
{
    for (unsigned i = 0; i < rank->objects; i++) {
        const struct object *object = &rank->object[i];
        bool goes = goes_home(rank, object);

        pto_buf_byte(out, goes);
        if (goes)
            pto_buf_append(out, object->data, object->size);
    }
}

static void take_objects(struct rank *rank, struct reader *in)
{
    for (unsigned i = 0; i < rank->objects; i++) {
        struct object *object = &rank->object[i];

        if (!*in->at++)
            continue;
        if (!object->data && !memory_allocate(rank->vm, object, true))
            pto_out_of_memory(object->size);
        reader_take(in, object->data, object->size);
    }
}

/* ---- ranks ---- */

static size_t link_bytes(const struct rank *rank)
{
    return (size_t)rank->vm->ranks * sizeof *rank->link;
}

static void put_rank(const struct rank *rank, struct pto_buf *out)
{
    pto_buf_append(out, rank, sizeof *rank);
    put_fault(rank->vm, &rank->fault, out);
    for (unsigned i = 0; i < rank->warnings; i++)
        put_fault(rank->vm, &rank->warning[i], out);
    pto_buf_append(out, rank->link, link_bytes(rank));
    for (uint32_t i = 0; i < rank->inbox_size; i++)
        pto_buf_append(out, rank->inbox[i], sizeof **rank->inbox);
    for (unsigned c = 0; c < rank->cores; c++)
        put_core(&rank->core[c], out);
    put_objects(rank, out);
}

/* What belongs to this process's own rank of the number. */
static void keep_own(struct rank *rank, const struct rank *was)
{
    uint64_t base = rank->events.base;

    rank->vm = was->vm;
    rank->events = was->events;
    rank->events.base = base;
    rank->called = NULL;
    rank->args = was->args;
    rank->arena = was->arena;
    rank->inbox = was->inbox;
    rank->inbox_capacity = was->inbox_capacity;
    rank->outbox = was->outbox;
    rank->outbox_size = 0;
    rank->outbox_capacity = was->outbox_capacity;
    rank->core = was->core;
    rank->object = was->object;
    rank->link = was->link;
    rank->cache = was->cache;
    rank->backlog = NULL;
    rank->work_off = NULL;
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
        message->payload = NULL; /* nothing lands any more */
        PTO_GROW(rank->inbox, rank->inbox_size, rank->inbox_capacity);
        rank->inbox[rank->inbox_size] = message;
    }
}

static void take_rank(struct rank *rank, struct reader *in)
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
    reader_take(in, rank->link, link_bytes(rank));
    take_messages(rank, in, rank->inbox_size);
    for (unsigned c = 0; c < rank->cores; c++)
        take_core(&rank->core[c], in);
    take_objects(rank, in);
}

/* One rank of each process at a time, so that process 0 holds no more than that twice. */
void home_gather(struct pto_vm *vm)
{
    const int processes = vm->options.carrier->processes;
    struct pto_buf out = {0}, *in = pto_xcalloc((size_t)processes, sizeof *in);
    int rounds = (vm->ranks + processes - 1) / processes;

    for (int round = 0; round < rounds; round++) {
        out.size = 0;
        if (vm->first > 0 && vm->first + round < vm->behind)
            put_rank(&vm->rank[vm->first + round], &out);
        carry_home(vm, &out, in);
        for (int p = 0; p < processes; p++) {
            if (in[p].size)
                take_rank(&vm->rank[carry_first(vm, p) + round],
                          &(struct reader){in[p].data, in[p].data + in[p].size});
            pto_buf_free(&in[p]);
        }
    }
    pto_buf_free(&out);
    free(in);
    vm->home = true;
    if (vm->first > 0)
        return;
    vm->status = PTO_OK;
    vm->fault = (struct pto_fault){0};
    vm->warnings = 0;
    fault_collect(vm); /* over all of them */
}
