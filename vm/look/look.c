#include "look.h"

#include <stdio.h>
#include <string.h>

#include "machine/cross_name.h"
#include "machine/memory.h"

bool look_takes_part(const struct core *core, int scope)
{
    return core->ready && (scope == PTO_SYNC_ALL || (scope == PTO_SYNC_AIC) ==
                                                        (core->kind == PTO_AIC));
}

bool look_is_running(const struct core *core)
{
    return core->ready && !core->drained && !core->rank->between_launches &&
           !core->rank->died;
}

static bool is_queued(const struct core *core, unsigned src, unsigned dst, unsigned id)
{
    const struct pipe *pipe = core->pipe[src];

    for (uint32_t i = pipe->head; i != pipe->tail; i++) {
        const struct entry *entry = pipe_entry(pipe, i);

        if (entry->kind == ENTRY_SET && entry->flag_dst == dst && entry->flag_id == id)
            return true;
    }
    return false;
}

static struct pto_wait flag_wait(const struct core *core, unsigned src, unsigned dst, unsigned id)
{
    return (struct pto_wait){.kind = id < USER_EVENTS ? PTO_WAIT_FLAG : PTO_WAIT_TRANSFER,
                             .src = (uint8_t)src,
                             .dst = (uint8_t)dst,
                             .id = id,
                             .queued = is_queued(core, src, dst, id)};
}

/* "sync[3]", "grid[1, 0]"; "'words' (byte 6)" if no element of a view begins there. */
static void name_element(const struct bound_object *object, struct pto_wait_signal *signal)
{
    char index[PTO_WAIT_ELEMENT / 2] = "";
    uint64_t rest = signal->byte;
    size_t length = 0;

    for (unsigned d = 0; d < object->dims && length < sizeof index; d++) {
        uint64_t stride = object->stride[d] > 0 ? (uint64_t)object->stride[d] : UINT64_MAX;

        length += (size_t)snprintf(index + length, sizeof index - length, "%s%llu", d ? ", " : "",
                                   (unsigned long long)(rest / stride));
        rest %= stride;
    }
    if (rest || length >= sizeof index)
        snprintf(signal->element, sizeof signal->element, "'%.48s' (byte %llu)", signal->name,
                 (unsigned long long)signal->byte);
    else
        snprintf(signal->element, sizeof signal->element, "%.46s[%s]", signal->name, index);
}

static struct pto_wait_signal condition(const struct core *core, const struct signal_wait *wait)
{
    const struct bound_object *object = memory_object(core, gm_object(wait->gm));
    struct pto_wait_signal out = {
        .object = core->rank->object[object->object].name,
        .name = memory_object_name(core, gm_object(wait->gm)),
        .byte = wait->gm[GM_OFFSET] - object->offset,
        .comparison = wait->comparison,
        .value = wait->value,
    };
    struct op_view view;

    name_element(object, &out);
    memory_gm_view(core, wait->gm, &view);
    out.rows = view.rows;
    out.cols = view.cols;
    memcpy(&out.now, view.data, sizeof out.now);
    return out;
}

static struct pto_wait signal_wait(const struct core *core)
{
    struct pto_wait out = {.kind = PTO_WAIT_SIGNAL, .signals = core->waits->conditions};

    for (unsigned i = 0; i < core->waits->conditions; i++)
        out.signal[i] = condition(core, &core->waits->condition[i]);
    return out;
}

static struct pto_wait cross_wait(const struct core *core, unsigned place)
{
    struct pto_wait out = {.kind = PTO_WAIT_CROSS, .id = place};

    snprintf(out.flag, sizeof out.flag, "%s", CROSS_NAME(core, place));
    return out;
}

static struct pto_wait scalar_wait(const struct core *core)
{
    switch (core->stall) {
    case STALL_QUEUE:
        return (struct pto_wait){.kind = PTO_WAIT_ROOM, .queue = core->stall_pipe};
    case STALL_FLAG:
        return flag_wait(core, core->stall_src, PTO_PIPE_S, core->stall_id);
    case STALL_BARRIER:
        return (struct pto_wait){.kind = PTO_WAIT_EMPTY};
    case STALL_SIGNAL:
        return signal_wait(core);
    case STALL_CROSS:
        return cross_wait(core, core->stall_id);
    case STALL_SYNC_ALL:
        return (struct pto_wait){.kind = PTO_WAIT_SYNC_ALL, .scope = core->sync_scope};
    case STALL_ASYNC:
        return (struct pto_wait){.kind = PTO_WAIT_EVENT, .event = core->stall_event};
    case STALL_STORES:
        return (struct pto_wait){.kind = PTO_WAIT_STORES};
    case STALL_ENDED:
        return (struct pto_wait){.kind = PTO_WAIT_ENDED};
    default:
        return (struct pto_wait){.kind = PTO_WAIT_NONE};
    }
}

/* A pipe waits with the entry that it is to start next; earlier ones may still be at work. */
static struct pto_wait pipe_wait(const struct core *core, const struct pipe *pipe)
{
    const struct entry *entry;

    if (!pipe_waits(pipe, core->rank->now))
        return (struct pto_wait){.kind = PTO_WAIT_NONE};
    entry = pipe_entry(pipe, pipe->next);
    if (entry->kind == ENTRY_CROSS_WAIT)
        return cross_wait(core, entry->flag_id);
    if (entry->kind != ENTRY_WAIT)
        return (struct pto_wait){.kind = PTO_WAIT_EARLIER};
    return flag_wait(core, entry->flag_src, entry->flag_dst, entry->flag_id);
}

struct pto_wait look_wait(const struct core *core, unsigned queue)
{
    const struct pipe *pipe;
    bool scalar = queue == PTO_PIPE_S;
    struct pto_wait wait = {.kind = PTO_WAIT_NONE};

    if (!core->ready || queue == PTO_DMA) /* the engine waits for nobody's word */
        return wait;
    pipe = core->pipe[queue];
    wait = scalar ? scalar_wait(core) : pipe_wait(core, pipe);
    if (wait.kind == PTO_WAIT_NONE || wait.kind == PTO_WAIT_ENDED)
        return wait;
    wait.since_ps = scalar ? core->stall_since : pipe->wait_since;
    wait.entry = scalar ? 0 : entry_number(pipe->next);
    wait.module = core->ready->module;
    wait.insn =
        &core->ready->code->insn[scalar ? core->pc : pipe_entry(pipe, pipe->next)->pc];
    return wait;
}

struct pto_wait pto_vm_wait(const struct pto_vm *vm, int rank, unsigned core, unsigned queue)
{
    return look_wait(&vm->rank[rank].core[core], queue);
}

bool pto_wait_hopeless(const struct pto_wait *wait)
{
    return wait->kind == PTO_WAIT_SIGNAL || wait->kind == PTO_WAIT_CROSS ||
           (wait->kind == PTO_WAIT_FLAG && !wait->queued);
}
