#include "observe.h"

#include <stdlib.h>
#include <string.h>

static void call_all(const struct pto_vm *vm, const struct pto_event *event)
{
    for (unsigned i = 0; i < vm->observers; i++)
        if (event->kind < PTO_EV_PASS || vm->observer[i].causes)
            vm->observer[i].function(vm->observer[i].context, event);
}

void observe_gather(struct rank *rank, const struct pto_event *event)
{
    PTO_GROW(rank->event, rank->events_gathered, rank->event_capacity);
    rank->event[rank->events_gathered++] = *event;
}

static void pass_on(struct rank *rank, const struct pto_event *event)
{
    if (!rank->vm->gathers) {
        call_all(rank->vm, event);
        return;
    }
    observe_gather(rank, event);
}

void observe_flush(struct rank *rank)
{
    for (unsigned i = 0; i < rank->events_gathered; i++)
        call_all(rank->vm, &rank->event[i]);
    rank->events_gathered = 0;
    pto_arena_free(&rank->values);
}

void observe_free(struct rank *rank)
{
    free(rank->event);
    pto_arena_free(&rank->values);
}

static bool tells_values(unsigned kind)
{
    return kind == PTO_EV_ISSUE || kind == PTO_EV_STALL || kind == PTO_EV_TOOK;
}

/* What the registers hold now: an event that is seen later needs a copy, behind their number. */
static const uint64_t *values_now(const struct core *core)
{
    uint64_t count = core->ready->first_literal, *copy;

    if (!core->rank->vm->gathers)
        return core->reg;
    if (!count)
        return NULL;
    copy = pto_arena_array(&core->rank->values, count + 1, sizeof *copy);
    *copy++ = count;
    return memcpy(copy, core->reg, count * sizeof *copy);
}

uint64_t observe_values_count(const struct pto_event *event)
{
    return event->registers ? event->registers[-1] : 0;
}

void observe_core(const struct core *core, uint32_t pc, struct pto_event event)
{
    event.rank = core->rank->number;
    event.core = core->number;
    event.module = core->ready->module;
    event.insn = pc < core->ready->code->insns ? &core->ready->code->insn[pc] : NULL;
    if (core->rank->vm->values && tells_values(event.kind))
        event.registers = values_now(core);
    pass_on(core->rank, &event);
}

void observe_rank(struct rank *rank, struct pto_event event)
{
    event.rank = rank->number;
    pass_on(rank, &event);
}

enum pto_status pto_vm_observe(struct pto_vm *vm, pto_observer *observer, void *context)
{
    if (vm->observers == MAX_OBSERVERS)
        return PTO_ECONFIG;
    vm->observer[vm->observers].function = observer;
    vm->observer[vm->observers].causes = false;
    vm->observer[vm->observers++].context = context;
    vm->watched = true;
    return PTO_OK;
}

enum pto_status pto_vm_observe_causes(struct pto_vm *vm, pto_observer *observer, void *context)
{
    PTO_TRY(pto_vm_observe(vm, observer, context));
    vm->observer[vm->observers - 1].causes = true;
    vm->causes = true;
    return PTO_OK;
}

enum pto_status pto_vm_observe_values(struct pto_vm *vm, pto_observer *observer, void *context)
{
    PTO_TRY(pto_vm_observe_causes(vm, observer, context));
    vm->values = true;
    return PTO_OK;
}
