/* Looking inside a machine: statistics and state, read-only. */
#include <string.h>

#include "look.h"
#include "machine/cross_name.h"
#include "machine/links.h"

int pto_vm_ranks(const struct pto_vm *vm)
{
    return vm->ranks;
}

bool pto_vm_has_rank(const struct pto_vm *vm, int rank)
{
    return is_own(vm, rank);
}

unsigned pto_vm_cores(const struct pto_vm *vm)
{
    return vm->rank[0].cores;
}

unsigned pto_vm_warnings(const struct pto_vm *vm, const struct pto_fault **warnings)
{
    *warnings = vm->warning;
    return vm->warnings;
}

bool pto_vm_object(const struct pto_vm *vm, int rank, unsigned index,
                   struct pto_object_info *info)
{
    const struct object *object;

    if (index >= vm->rank[rank].objects)
        return false;
    object = &vm->rank[rank].object[index];
    *info = (struct pto_object_info){
        .name = object->name,
        .kind = object->kind,
        .dtype = object->dtype,
        .dims = object->dims,
        .bound = object->bound,
        .flat = object->flat,
        .skipped = object->skipped,
        .elsewhere = !object->data && !object->skipped,
        .size = object->size,
        .data = object->data,
    };
    memcpy(info->dim, object->dim, sizeof info->dim);
    memcpy(info->stride, object->stride, sizeof info->stride);
    return true;
}

int pto_vm_find_object(const struct pto_vm *vm, const char *name)
{
    for (unsigned i = 0; i < vm->rank[0].objects; i++)
        if (!strcmp(vm->rank[0].object[i].name, name))
            return (int)i;
    return -1;
}

void pto_pipe_stats_add(struct pto_pipe_stats *sum, const struct pto_pipe_stats *one)
{
    sum->busy_ps += one->busy_ps;
    sum->wait_ps += one->wait_ps;
    sum->instructions += one->instructions;
    sum->bytes += one->bytes;
}

/* By how much a scalar unit is ahead of the clock at which the machine stands: that is to come yet,
 * though it is counted as busy already. */
static uint64_t ahead(const struct pto_vm *vm, const struct core *core)
{
    uint64_t now = pto_vm_time(vm), busy = core->pipe[PTO_PIPE_S]->stats.busy_ps;

    if (core->time <= now)
        return 0;
    return core->time - now < busy ? core->time - now : busy;
}

void pto_vm_rank_stats(const struct pto_vm *vm, int number, struct pto_rank_stats *stats)
{
    const struct rank *rank = &vm->rank[number];

    *stats = rank->stats;
    stats->scalar_instructions = rank->insns;
    for (unsigned i = 0; i < rank->cores; i++) {
        const struct core *core = &rank->core[i];

        stats->cores[core->kind] += core->insns > 0;
        for (unsigned queue = 0; queue < PTO_QUEUE_COUNT; queue++)
            pto_pipe_stats_add(&stats->pipe[core->kind][queue],
                               queue == PTO_DMA ? &core->dma->stats : &core->pipe[queue]->stats);
        stats->pipe[core->kind][PTO_PIPE_S].busy_ps -= ahead(vm, core);
    }
}

void pto_vm_link_stats(const struct pto_vm *vm, int from, int to, uint64_t *bytes,
                       uint64_t *messages)
{
    const struct link *link = links_find(&vm->rank[from], to);

    *bytes = link ? link->bytes : 0;
    *messages = link ? link->messages : 0;
}

bool pto_vm_change(const struct pto_vm *vm, unsigned number, struct pto_change *change)
{
    const struct change *one;

    if (number >= vm->changes.count)
        return false;
    one = &vm->changes.change[number];
    *change = (struct pto_change){(enum pto_change_kind)one->kind, one->name,
                                  one->milli[PACE_WORK] / 1000.0,
                                  one->milli[PACE_LATENCY] / 1000.0, one->when};
    return true;
}

uint64_t pto_vm_time(const struct pto_vm *vm)
{
    const bool over = vm->finished && vm->status == PTO_OK;
    uint64_t latest = 0;

    if (!vm->finished && vm->status != PTO_OK)
        return vm->fault.time_ps;
    for (int r = 0; r < vm->ranks; r++)
        latest = max_u64(latest, over ? vm->rank[r].over_at : vm->rank[r].now);
    return latest;
}

bool pto_vm_is_past_insns(const struct pto_vm *vm)
{
    for (int r = 0; r < vm->ranks; r++)
        if (vm->rank[r].insns > vm->most_insns)
            return true;
    return false;
}

uint64_t pto_vm_instructions(const struct pto_vm *vm)
{
    uint64_t sum = 0;

    for (int r = 0; r < vm->ranks; r++)
        for (unsigned i = 0; i < vm->rank[r].cores; i++)
            for (unsigned pipe = PTO_PIPE_S + 1; pipe < PTO_PIPE_COUNT; pipe++)
                sum += vm->rank[r].core[i].pipe[pipe]->stats.instructions;
    return sum;
}

uint64_t pto_vm_events(const struct pto_vm *vm)
{
    uint64_t sum = 0;

    for (int r = 0; r < vm->ranks; r++)
        sum += vm->rank[r].retired;
    return sum;
}

const char *pto_message_name(unsigned reason)
{
    static const char *const name[] = {
        [MESSAGE_PUT] = "put",
        [MESSAGE_NOTIFY] = "notify",
        [MESSAGE_REQUEST] = "request",
        [MESSAGE_REPLY] = "reply",
        [MESSAGE_CROSS] = "cross-core flag",
    };

    return name[reason];
}

static const char *stall_text(const struct core *core)
{
    static const char *const text[] = {
        [PTO_WAIT_ENDED] = "ended",
        [PTO_WAIT_ROOM] = "a pipe's queue is full",
        [PTO_WAIT_FLAG] = "wait_flag into S",
        [PTO_WAIT_EMPTY] = "until its pipes are empty",
        [PTO_WAIT_SIGNAL] = "TWAIT",
        [PTO_WAIT_CROSS] = "wait_flag_dev",
        [PTO_WAIT_SYNC_ALL] = "sync_all",
        [PTO_WAIT_EVENT] = "async_wait",
        [PTO_WAIT_STORES] = "until what it sent is acknowledged",
    };
    const struct pto_wait wait = look_wait(core, PTO_PIPE_S);

    if (wait.kind == PTO_WAIT_SIGNAL && wait.signals > 1)
        return "TWAIT_ANY";
    if (wait.kind == PTO_WAIT_CROSS && wait.id >= CROSS_FLAGS)
        return "wait_intra_block";
    if (wait.kind == PTO_WAIT_ROOM && wait.queue == PTO_DMA)
        return "the DMA engine holds as many copies as it can";
    return text[wait.kind];
}

void pto_vm_core(const struct pto_vm *vm, int rank, unsigned number, struct pto_core_info *info)
{
    const struct core *core = &vm->rank[rank].core[number];

    *info = (struct pto_core_info){
        .name = core->name,
        .kind = core->kind,
        .block = core->block,
        .sub = core->sub,
        .active = core->ready != NULL,
        .ended = core->drained,
        .pc = core->pc,
        .time_ps = core->time,
        .stall = stall_text(core),
    };
    if (core->ready) {
        info->module = core->ready->module;
        info->kernel = core->ready->kernel;
        info->code = core->ready->core;
    }
}

uint64_t pto_vm_register(const struct pto_vm *vm, int rank, unsigned number, unsigned reg)
{
    const struct core *core = &vm->rank[rank].core[number];

    return core->ready && core->reg && reg < core->ready->registers ? core->reg[reg] : 0;
}

const uint64_t *pto_vm_registers(const struct pto_vm *vm, int rank, unsigned number,
                                 unsigned *count)
{
    const struct core *core = &vm->rank[rank].core[number];

    *count = core->ready && core->reg ? core->ready->first_literal : 0;
    return core->ready ? core->reg : NULL;
}

bool pto_vm_sys(const struct pto_vm *vm, int rank, unsigned number, unsigned sys, int64_t *value)
{
    const struct core *core = &vm->rank[rank].core[number];

    if (!core->ready || !core->reg)
        return false;
    *value = (int64_t)core->reg[core->ready->first_sys + sys];
    return true;
}

bool pto_vm_local(const struct pto_vm *vm, int rank, unsigned number, unsigned local,
                  uint64_t index, uint64_t *bits)
{
    const struct core *core = &vm->rank[rank].core[number];
    uint64_t word;

    if (!core_local(core, local, index, &word))
        return false;
    *bits = core->local ? core->local[word] : 0;
    return true;
}

static const char *entry_state(const struct pipe *pipe, uint32_t counter,
                               const struct entry *entry, uint64_t now)
{
    if (counter - pipe->head < pipe->next - pipe->head)
        return entry->complete == ENGINE_NEVER ? "running: waits for another rank" : "running";
    if (counter == pipe->next && pipe_waits(pipe, now))
        return entry->kind == ENTRY_BARRIER ? "waiting: for earlier work" : "waiting: for a flag";
    return "queued";
}

/* Entry of the DMA engine. */
static bool queue_of_dma(const struct core *core, unsigned index, struct pto_queue_entry *out)
{
    const struct dma *dma = core->dma;
    const struct submission *s;
    bool running;

    if (index >= dma->tail - dma->head)
        return false;
    s = dma_submission(core, dma->head + index);
    running = index < dma->next - dma->head;
    *out = (struct pto_queue_entry){
        .insn = &core->ready->code->insn[s->pc],
        .number = dma->head + index + 1,
        .issue_ps = s->issue,
        .start_ps = running ? s->start : 0,
        .complete_ps = running && s->complete != ENGINE_NEVER ? s->complete : 0,
        .state = !running                      ? "queued"
                 : s->complete != ENGINE_NEVER ? "running"
                 : s->move == ENGINE_NEVER     ? "running: waits for another rank"
                                               : "running: the bytes have yet to leave",
    };
    return true;
}

bool pto_vm_queue(const struct pto_vm *vm, int rank, unsigned number, unsigned queue,
                  unsigned index, struct pto_queue_entry *out)
{
    const struct core *core = &vm->rank[rank].core[number];
    const struct pipe *pipe;
    const struct entry *entry;

    if (!core->ready)
        return false;
    if (queue == PTO_DMA)
        return queue_of_dma(core, index, out);
    pipe = core->pipe[queue];
    if (index >= pipe->tail - pipe->head)
        return false;
    entry = pipe_entry(pipe, pipe->head + index);
    *out = (struct pto_queue_entry){
        .insn = &core->ready->code->insn[entry->pc],
        .number = entry_number(pipe->head + index),
        .issue_ps = entry->issue,
        .state = entry_state(pipe, pipe->head + index, entry, core->rank->now),
    };
    if (pipe->head + index != pipe->next && index < pipe->next - pipe->head) {
        out->start_ps = entry->start;
        out->complete_ps = entry->complete == ENGINE_NEVER ? 0 : entry->complete;
    }
    return true;
}

unsigned pto_vm_flag(const struct pto_vm *vm, int rank, unsigned core, unsigned src, unsigned dst,
                     unsigned id)
{
    return core_tokens(&vm->rank[rank].core[core], src, dst, id);
}

unsigned pto_vm_cross_places(void)
{
    return CROSS_PLACES;
}

unsigned pto_vm_cross_number(const struct pto_vm *vm, int rank, unsigned core, unsigned place)
{
    return cross_number(&vm->rank[rank].core[core], place);
}

void pto_vm_cross_name(const struct pto_vm *vm, int rank, unsigned core, unsigned place,
                       char text[PTO_CROSS_NAME])
{
    cross_name(&vm->rank[rank].core[core], place, text);
}

unsigned pto_vm_cross_flag(const struct pto_vm *vm, int rank, unsigned core, unsigned id)
{
    const struct cross *cross = vm->rank[rank].core[core].cross;

    return cross ? cross->count[id] : 0;
}

const uint8_t *pto_vm_space(const struct pto_vm *vm, int rank, unsigned core,
                            enum pto_space space, uint32_t *size)
{
    const struct core *at = &vm->rank[rank].core[core];

    *size = at->chip->size[space];
    return at->chip->data[space];
}
