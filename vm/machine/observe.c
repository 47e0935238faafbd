#include "observe.h"

static void call_all(const struct pto_vm *vm, const struct pto_event *event)
{
    for (unsigned i = 0; i < vm->observers; i++)
        vm->observer[i].function(vm->observer[i].context, event);
}

void observe_core(const struct core *core, uint32_t pc, struct pto_event event)
{
    event.rank = core->rank->number;
    event.core = core->number;
    event.module = core->ready->module;
    event.insn = pc < core->ready->code->insns ? &core->ready->code->insn[pc] : NULL;
    call_all(core->rank->vm, &event);
}

void observe_rank(const struct rank *rank, struct pto_event event)
{
    event.rank = rank->number;
    call_all(rank->vm, &event);
}

enum pto_status pto_vm_observe(struct pto_vm *vm, pto_observer *observer, void *context)
{
    if (vm->observers == MAX_OBSERVERS)
        return PTO_ECONFIG;
    vm->observer[vm->observers].function = observer;
    vm->observer[vm->observers++].context = context;
    return PTO_OK;
}
