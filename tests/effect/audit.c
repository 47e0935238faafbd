/* ptovm with an auditor: does every tile instruction touch what machine/effect.h says, and no more?
 *
 * Before an instruction works on its bytes, it is tried twice on them.  The first time shows what
 * it writes: nothing may change outside of its written effect.  For the second time everything that
 * it is said not to touch is inverted: what it writes must come out the same.  Then the bytes are
 * put back, and the machine goes on.  A violation ends the program with exit status 99.
 *
 * Linked with --wrap=pto_vm_run, so that the program is ptovm in every other respect. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/effect.h"
#include "machine/probe.h"
#include "machine/queue.h"

enum { EXIT_VIOLATION = 99 };

enum pto_status __real_pto_vm_run(struct pto_vm *vm);
enum pto_status __wrap_pto_vm_run(struct pto_vm *vm);

/* Memory that operands of the instruction lie in. */
struct region {
    uint8_t *data;
    uint64_t size;
    uint8_t *before, *after; /* copies: as it was, and behind the first try */
    uint8_t *touch;          /* PTO_READ, PTO_WRITE of every byte */
};

struct audit {
    struct region region[PTO_MAX_OPERANDS];
    unsigned regions;
    struct region *marked; /* by the sink */
    uint64_t base;
    unsigned access;
};

/* ---- regions ---- */

static struct region *region_of(struct audit *audit, uint8_t *data, uint64_t size)
{
    struct region *region;

    for (unsigned i = 0; i < audit->regions; i++)
        if (audit->region[i].data == data)
            return &audit->region[i];
    region = &audit->region[audit->regions++];
    *region = (struct region){.data = data, .size = size};
    region->before = pto_xmalloc(size + 1);
    region->after = pto_xmalloc(size + 1);
    region->touch = pto_xcalloc(size + 1, 1);
    memcpy(region->before, data, size);
    return region;
}

/* The memory of an operand; NULL: it has none here. */
static struct region *operand_region(struct audit *audit, struct core *core,
                                     const struct entry *entry, unsigned operand)
{
    const struct ready_operand *o = &entry->op->operand[operand];
    const struct rank *rank = core->rank;
    struct object *object;

    if (o->kind == PTO_O_TILE)
        return region_of(audit, core->chip->data[o->view.space], core->chip->size[o->view.space]);
    if (o->kind != PTO_O_GM || gm_rank(&entry->word[o->word]) != rank->number)
        return NULL;
    object = &rank->object[rank->vm->launch[rank->launch]
                               .bound[rank->number][gm_object(&entry->word[o->word])]
                               .object];
    return region_of(audit, object->data, object->size);
}

/* A window that leaves its tile makes the instruction fault. */
static void mark(void *context, const struct effect_pieces *pieces)
{
    struct audit *audit = context;

    for (uint64_t p = 0; p < pieces->count; p++) {
        uint64_t first = audit->base + pieces->offset + p * pieces->step;

        for (uint64_t i = first; i < first + pieces->length && i < audit->marked->size; i++)
            audit->marked->touch[i] |= (uint8_t)audit->access;
    }
}

static void mark_operand(struct audit *audit, struct core *core, const struct entry *entry,
                         const struct op_args *args, unsigned operand)
{
    const struct ready_op *op = entry->op;
    bool reads = effect_reads(op, args, operand), writes = effect_writes(op, operand);
    struct region *region = operand_region(audit, core, entry, operand);

    if (!region || !(reads || writes))
        return;
    audit->marked = region;
    audit->base = (uint64_t)(args->arg[operand].view.data - region->data);
    audit->access = (reads ? PTO_READ : 0) | (writes ? PTO_WRITE : 0);
    effect_bytes(op, args, operand, mark, audit);
}

/* ---- judging ---- */

static void violation(const struct core *core, const struct entry *entry, const char *what,
                      uint64_t offset)
{
    const struct pto_module *module = core->ready->module;
    const struct pto_pos *pos = &module->pos[core->ready->code->insn[entry->pc].pos];

    fprintf(stderr, "effect: %s at %s:%u: %s, byte %llu\n", entry->op->info->mnemonic,
            module->file[pos->file], pos->line, what, (unsigned long long)offset);
    exit(EXIT_VIOLATION);
}

static void keep_and_invert(struct audit *audit, const struct core *core,
                            const struct entry *entry)
{
    for (unsigned r = 0; r < audit->regions; r++) {
        struct region *region = &audit->region[r];

        memcpy(region->after, region->data, region->size);
        for (uint64_t i = 0; i < region->size; i++) {
            if (region->data[i] != region->before[i] && !(region->touch[i] & PTO_WRITE))
                violation(core, entry, "it writes outside of its effect", i);
            region->data[i] = region->touch[i] ? region->before[i] : (uint8_t)~region->before[i];
        }
    }
}

static void compare(const struct audit *audit, const struct core *core, const struct entry *entry)
{
    for (unsigned r = 0; r < audit->regions; r++) {
        const struct region *region = &audit->region[r];

        for (uint64_t i = 0; i < region->size; i++)
            if (region->touch[i] & PTO_WRITE && region->data[i] != region->after[i])
                violation(core, entry, "what it writes depends on bytes outside of its effect", i);
    }
}

static void restore(struct audit *audit)
{
    for (unsigned r = 0; r < audit->regions; r++) {
        struct region *region = &audit->region[r];

        memcpy(region->data, region->before, region->size);
        free(region->before);
        free(region->after);
        free(region->touch);
    }
}

static void try_entry(void *context, struct core *core, unsigned pipe, const struct op_args *args)
{
    const struct entry *entry = pipe_entry(core->pipe[pipe], core->pipe[pipe]->head);
    struct audit audit = {0};

    (void)context;
    for (unsigned i = 0; i < entry->op->operands; i++)
        mark_operand(&audit, core, entry, args, i);
    if (!entry->op->function(args)) { /* else it faults, and will again */
        keep_and_invert(&audit, core, entry);
        entry->op->function(args);
        compare(&audit, core, entry);
    }
    restore(&audit);
}

enum pto_status __wrap_pto_vm_run(struct pto_vm *vm)
{
    static const struct engine_probe probe = {.complete = try_entry};
    struct probe_link link = {.probe = &probe, .context = vm};
    enum pto_status status;

    if (vm->probe) /* a checker has come first */
        return __real_pto_vm_run(vm);
    probe_attach(vm, &link);
    status = __real_pto_vm_run(vm);
    probe_detach(vm, &link);
    return status;
}
