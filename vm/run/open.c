/* A machine that a debugger changes: registers, bytes, the next instruction.
 *
 * Bytes of inputs that nobody writes may be shared among ranks, or be the caller's.  Who wants to
 * write to them gets a copy that takes their place; it belongs to the machine, not to the object,
 * since a snapshot may bring back the object as it was before. */
#include <stdlib.h>
#include <string.h>

#include "machine/memory.h"
#include "machine/object.h"
#include "machine/queue.h"
#include "vm.h"

static struct core *core_of(struct pto_vm *vm, int rank, unsigned core)
{
    return &vm->rank[rank].core[core];
}

void pto_vm_set_register(struct pto_vm *vm, int rank, unsigned number, unsigned reg, uint64_t bits)
{
    struct core *core = core_of(vm, rank, number);

    if (core->ready && core->reg && reg < core->ready->registers)
        core->reg[reg] = bits;
}

bool pto_vm_set_local(struct pto_vm *vm, int rank, unsigned number, unsigned local, uint64_t index,
                      uint64_t bits)
{
    struct core *core = core_of(vm, rank, number);
    uint64_t word;

    if (!core_local(core, local, index, &word))
        return false;
    memory_locals(core)[word] = bits;
    return true;
}

static uint8_t *copy_of(struct pto_vm *vm, int rank, unsigned index, uint64_t size)
{
    for (unsigned i = 0; i < vm->openeds; i++)
        if (vm->opened[i].rank == rank && vm->opened[i].object == index)
            return vm->opened[i].data;
    PTO_GROW(vm->opened, vm->openeds, vm->opened_capacity);
    vm->opened[vm->openeds] = (struct opened){rank, index, pto_xmalloc(size + !size)};
    return vm->opened[vm->openeds++].data;
}

uint8_t *pto_vm_open_object(struct pto_vm *vm, int rank, unsigned index)
{
    struct object *object = &vm->rank[rank].object[index];

    if (!object->data || object->given || !(object->lent || (object->bound && !object->written)))
        return object->data;
    object->given = object->data;
    object->data = copy_of(vm, rank, index, object->size);
    memcpy(object->data, object->given, object->size);
    return object->data;
}

uint8_t *pto_vm_open_space(struct pto_vm *vm, int rank, unsigned number, enum pto_space space,
                           uint32_t *size)
{
    struct core *core = core_of(vm, rank, number);
    uint8_t *data = memory_space(core, space);

    *size = data ? core->chip->size[space] : 0;
    return data;
}

bool pto_vm_set_pc(struct pto_vm *vm, int rank, unsigned number, uint32_t pc)
{
    struct core *core = core_of(vm, rank, number);

    if (!core->ready || !core->ready->core || pc >= core->ready->core->code.insns ||
        core->drained || (core->stall != STALL_NONE && core->stall != STALL_TIME))
        return false;
    core->pc = pc;
    return true;
}
