#include "footprint.h"

#include "machine/cache.h"
#include "machine/parts.h"

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Process 0 gets in the end what somebody asks for of the objects of others. */
static bool is_here(const struct rank *rank, const struct object *object)
{
    const struct pto_carrier *carrier = rank->vm->options.carrier;

    return is_own(rank->vm, rank->number) ||
           (rank->vm->process == 0 &&
            carrier->wants(carrier->wants_context, object->name, object->kind));
}

static void measure_objects(const struct rank *rank, struct pto_memory *memory)
{
    for (unsigned i = 0; i < rank->objects; i++) {
        const struct object *object = &rank->object[i];
        bool symmetric = object->kind == PTO_OBJ_SYM || object->kind == PTO_OBJ_SIGNAL;

        if (!object->skipped && is_here(rank, object))
            *(symmetric ? &memory->symmetric : &memory->objects) += object->size;
    }
}

/* Rings of the pipes that the program gives work to. */
static uint64_t queue_bytes(const struct pto_vm *vm, const struct ready_code *code)
{
    unsigned pipes = 0;

    for (uint32_t i = 0; i < code->ops; i++)
        pipes |= 1u << code->op[i].pipe;
    return (uint64_t)__builtin_popcount(pipes) * (vm->ring_mask + 1) * sizeof(struct entry);
}

/* What one sub-core of a kind holds at most, whichever kernel it runs. */
static void measure_core(const struct pto_vm *vm, unsigned kind, uint64_t *on_chip,
                         uint64_t *machine)
{
    *on_chip = 0;
    *machine = sizeof(struct core);
    for (unsigned l = 0; l < vm->launches; l++) {
        const struct ready_code *code = &vm->launch[l].ready->core[kind];
        uint64_t bytes = code->local_words * UINT64_C(8);

        if (!vm->launch[l].kernel->core[kind].present)
            continue;
        for (unsigned space = 0; space < PTO_SPACE_COUNT; space++)
            bytes += code->space_used[space];
        *on_chip = largest(*on_chip, bytes);
        *machine = largest(*machine, sizeof(struct core) + sizeof(struct core_parts) +
                                         code->registers * UINT64_C(8) + queue_bytes(vm, code));
    }
}

/* The caches of all ranks, before whose objects they are. */
static uint64_t caches(const struct pto_vm *vm)
{
    const struct pto_profile *p = &vm->profile;
    struct cache_shape shape = {pto_profile_l2_sets(p), p->l2_ways, p->l2_line, 0};
    uint64_t sum = 0;

    for (int i = 0; i < vm->owns && shape.sets; i++) {
        shape.memory = vm->rank[vm->own[i]].memory_bytes;
        sum += cache_bytes(shape);
    }
    return sum;
}

void footprint_measure(const struct pto_vm *vm, struct pto_memory *memory)
{
    const uint64_t own = (uint64_t)vm->owns, others = (uint64_t)vm->ranks - own;

    *memory = (struct pto_memory){0};
    for (unsigned i = 0; i < vm->bindings; i++)
        memory->inputs += vm->binding[i].data ? vm->binding[i].bytes : 0;
    for (int r = 0; r < vm->ranks; r++)
        measure_objects(&vm->rank[r], memory);
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        uint64_t cores = 0, on_chip, machine;

        for (unsigned i = 0; i < vm->rank[0].cores; i++)
            cores += vm->rank[0].core[i].kind == kind;
        measure_core(vm, kind, &on_chip, &machine);
        memory->on_chip += own * cores * on_chip;
        memory->machine += own * cores * machine + others * cores * sizeof(struct core);
    }
    memory->machine += (uint64_t)vm->ranks * sizeof(struct rank) + caches(vm);
    memory->total = memory->inputs + memory->objects + memory->symmetric + memory->on_chip +
                    memory->machine;
}

static double mib(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

enum pto_status footprint_check(const struct pto_vm *vm, struct pto_diags *diags)
{
    uint64_t most = vm->options.max_memory;
    struct pto_memory memory;
    struct pto_diag *diag;

    footprint_measure(vm, &memory);
    if (!most || memory.total <= most)
        return PTO_OK;
    diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                        "the run takes up to %.1f MiB of memory, and %.1f MiB are allowed: inputs "
                        "%.1f, objects %.1f, symmetric objects %.1f, memories of the sub-cores "
                        "%.1f, the machine %.1f", mib(memory.total), mib(most), mib(memory.inputs),
                        mib(memory.objects), mib(memory.symmetric), mib(memory.on_chip),
                        mib(memory.machine));
    if (vm->options.remedies.memory_limit)
        pto_diag_hint(diags, diag, "%s", vm->options.remedies.memory_limit);
    return PTO_EMEMORY;
}
