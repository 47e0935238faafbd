#include "payload.h"

#include <stdlib.h>

/* ---- what is needed ------------------------------------------------------------------------ */

/* A kernel's code for one kind of sub-core, and which of its tiles are needed. */
struct part {
    const struct launch *launch; /* the first of the kernel */
    struct ready_code *code;
    bool *tile;
};

struct flow {
    struct pto_vm *vm;
    bool *object; /* needed, by number */
    struct part *part;
    unsigned parts, part_capacity;
    bool changed;
};

static uint32_t object_number(const struct part *part, const struct ready_operand *operand)
{
    return part->launch->bound[0][operand->object].object;
}

static void need_object(struct flow *flow, uint32_t number)
{
    flow->changed = flow->changed || !flow->object[number];
    flow->object[number] = true;
}

/* The tile whose bytes a view looks at. */
static const struct pto_tile *whole_tile(const struct pto_core_code *core,
                                         const struct pto_tile *tile)
{
    while (tile->parent != PTO_NONE)
        tile = &core->tile[tile->parent];
    return tile;
}

static uint64_t end_of(const struct pto_tile *tile)
{
    return tile->address + (uint64_t)(tile->slots - 1) * tile->slot_stride + pto_tile_bytes(tile);
}

/* May tile a of one program share bytes with tile b of it or of the other one, which sends into its
 * memories?  Where a program moves tiles about, all of a space may. */
static bool may_overlap(const struct part *part, uint32_t a, const struct part *far, uint32_t b)
{
    const struct pto_core_code *core = part->code->core, *there = far->code->core;
    const struct pto_tile *one = whole_tile(core, &core->tile[a]);
    const struct pto_tile *other = whole_tile(there, &there->tile[b]);

    if (one->space != other->space)
        return false;
    return part->code->tiles_move[one->space] || far->code->tiles_move[one->space] ||
           (one->address < end_of(other) && other->address < end_of(one));
}

static void need_tile(struct flow *flow, struct part *part, const struct pto_tile *tile)
{
    uint32_t number = (uint32_t)(tile - part->code->core->tile);

    if (part->tile[number])
        return;
    flow->changed = true;
    for (unsigned p = 0; p < flow->parts; p++) {
        struct part *far = &flow->part[p];

        for (uint32_t i = 0; far->launch == part->launch && i < far->code->core->tiles; i++)
            far->tile[i] = far->tile[i] || may_overlap(part, number, far, i);
    }
}

/* ---- instructions -------------------------------------------------------------------------- */

/* These refuse values of their operands, so they always run. */
static bool judges_values(enum pto_op op)
{
    switch (op) {
    case PTO_OP_TGATHER:
    case PTO_OP_TGATHERB:
    case PTO_OP_TSCATTER:
    case PTO_OP_MGATHER:
    case PTO_OP_MSCATTER:
    case PTO_OP_TCONCAT_COUNTED:
    case PTO_OP_TCONCAT_TOTALS:
        return true;
    default:
        return false;
    }
}

/* Those that S does not carry out itself. */
static bool moves_payload(const struct ready_op *op)
{
    return op->info->class == PTO_TILE || op->info->class == PTO_MACRO ||
           op->info->class == PTO_ASYNC;
}

static bool writes_needed(const struct flow *flow, const struct part *part,
                          const struct ready_op *op)
{
    for (unsigned i = 0; i < op->operands; i++) {
        const struct ready_operand *operand = &op->operand[i];

        if (!(operand->access & (PTO_WRITE | PTO_SCRATCH)))
            continue;
        if ((operand->kind == PTO_O_TILE && part->tile[operand->tile - part->code->core->tile]) ||
            (operand->kind == PTO_O_GM && flow->object[object_number(part, operand)]))
            return true;
    }
    return false;
}

static bool must_run(const struct flow *flow, const struct part *part, const struct ready_op *op)
{
    if (moves_payload(op))
        return judges_values(op->insn->op) || writes_needed(flow, part, op);
    return op->insn->op != PTO_OP_TASSIGN; /* which looks at no bytes */
}

static void set_skipped(struct ready_op *op, bool skipped)
{
    struct ready_op *phase[] = {op->load, op->store, op->copy, op->combine};

    op->skipped = skipped;
    for (unsigned i = 0; i < sizeof phase / sizeof *phase; i++)
        if (phase[i])
            phase[i]->skipped = skipped;
}

/* The instruction runs: it needs all that it touches. */
static void run(struct flow *flow, struct part *part, struct ready_op *op)
{
    set_skipped(op, false);
    for (unsigned i = 0; i < op->operands; i++) {
        const struct ready_operand *operand = &op->operand[i];

        if (operand->kind == PTO_O_TILE)
            need_tile(flow, part, operand->tile);
        else if (operand->kind == PTO_O_GM)
            need_object(flow, object_number(part, operand));
    }
}

/* ---- all of a machine ---------------------------------------------------------------------- */

static void add_parts(struct flow *flow, const struct launch *launch)
{
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        struct ready_code *code = &launch->ready->core[kind];

        if (!code->core)
            continue;
        for (uint32_t i = 0; i < code->ops; i++)
            set_skipped(&code->op[i], moves_payload(&code->op[i]));
        PTO_GROW(flow->part, flow->parts, flow->part_capacity);
        flow->part[flow->parts++] = (struct part){
            launch, code, pto_xcalloc(code->core->tiles, sizeof(bool))};
    }
}

/* Signals, and inputs that are compared between the ranks. */
static void need_looked_at(struct flow *flow, const struct launch *launch)
{
    for (uint32_t i = 0; i < launch->kernel->objects; i++) {
        const struct bound_object *bound = &launch->bound[0][i];

        if (bound->kind == PTO_OBJ_SIGNAL || launch->kernel->object[i].uniform)
            need_object(flow, bound->object);
    }
}

static void follow(struct flow *flow)
{
    do {
        flow->changed = false;
        for (unsigned p = 0; p < flow->parts; p++) {
            struct part *part = &flow->part[p];

            for (uint32_t i = part->code->ops; i-- > 0;)
                if (must_run(flow, part, &part->code->op[i]))
                    run(flow, part, &part->code->op[i]);
        }
    } while (flow->changed);
}

/* Spaces of which no tile is needed take no memory. */
static void empty_spaces(const struct part *part)
{
    const struct pto_core_code *core = part->code->core;
    bool needed[PTO_SPACE_COUNT] = {false};

    for (uint32_t i = 0; i < core->tiles; i++)
        needed[core->tile[i].space] = needed[core->tile[i].space] || part->tile[i];
    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++)
        if (!needed[space])
            part->code->space_used[space] = 0;
}

void payload_derive(struct pto_vm *vm)
{
    struct flow flow = {.vm = vm, .object = pto_xcalloc(vm->rank[0].objects, sizeof(bool))};

    for (unsigned l = 0; l < vm->launches; l++)
        if (vm->launch[l].earlier < 0) {
            add_parts(&flow, &vm->launch[l]);
            need_looked_at(&flow, &vm->launch[l]);
        }
    follow(&flow);
    for (int r = 0; r < vm->ranks; r++)
        for (unsigned i = 0; i < vm->rank[r].objects; i++)
            vm->rank[r].object[i].skipped = !flow.object[i];
    for (unsigned p = 0; p < flow.parts; p++) {
        empty_spaces(&flow.part[p]);
        free(flow.part[p].tile);
    }
    free(flow.part);
    free(flow.object);
}
