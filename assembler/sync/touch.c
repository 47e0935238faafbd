#include "sync/touch.h"

#include <stdlib.h>

#include "route.h"
#include "sync/place.h"

unsigned sync_pipe(const struct pto_profile *profile, const struct pto_core_code *core,
                   const struct pto_insn *insn)
{
    int pipe = pto_route_pipe(profile, core, insn);

    if (pto_op_info(insn->op)->class == PTO_ACCESS)
        return PTO_PIPE_S;
    return pipe < 0 ? SYNC_NO_PIPE : (unsigned)pipe;
}

static bool writes(const struct pto_insn *insn, unsigned operand)
{
    return pto_op_info(insn->op)->operand[operand].access & PTO_WRITE;
}

bool sync_writes(const struct pto_insn *insn, enum pto_operand_kind kind)
{
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == kind && writes(insn, i))
            return true;
    return false;
}

bool sync_is_store(const struct pto_insn *insn)
{
    return pto_op_info(insn->op)->class == PTO_ACCESS && insn->op != PTO_OP_FETCH_ADD &&
           (sync_writes(insn, PTO_O_TILE) || sync_writes(insn, PTO_O_GM));
}

/* Bytes of a tile operand in its space: those of its slot, or of all slots. */
struct bytes {
    uint64_t first, end;
};

static uint32_t root_tile(const struct pto_core_code *core, uint32_t tile)
{
    while (core->tile[tile].parent != PTO_NONE)
        tile = (uint32_t)core->tile[tile].parent;
    return tile;
}

static struct bytes tile_bytes(const struct touch *touch, const struct pto_tile_ref *ref)
{
    const struct pto_tile *tile = &touch->core->tile[ref->tile];
    const struct pto_tile *root = &touch->core->tile[root_tile(touch->core, ref->tile)];
    uint64_t size = pto_tile_bytes(ref->byte.kind == PTO_S_NONE ? tile : root);
    struct bytes bytes;

    if (touch->moves[root - touch->core->tile])
        return (struct bytes){0, UINT64_MAX};
    bytes.first = root->address;
    bytes.end = bytes.first + (uint64_t)(root->slots - 1) * root->slot_stride +
                pto_tile_bytes(root);
    if (ref->slot.kind == PTO_S_NONE || ref->slot.kind == PTO_S_INT) {
        int64_t slot = ref->slot.kind == PTO_S_INT ? ref->slot.i : 0;

        if (slot >= 0 && slot < root->slots) {
            bytes.first += (uint64_t)slot * root->slot_stride;
            bytes.end = bytes.first + size;
        }
    }
    return bytes;
}

/* The expression that chooses the slot of an operand; none where the tile may be moved. */
static unsigned slot_of(const struct touch *touch, uint32_t at, const struct pto_operand *operand)
{
    if (operand->kind != PTO_O_TILE || touch->moves[root_tile(touch->core, operand->tile.tile)])
        return SYNC_NO_SLOT;
    return slots_of(touch->slots, at, &operand->tile);
}

static uint32_t root_object(const struct pto_kernel *kernel, uint32_t object)
{
    while (kernel->object[object].base != PTO_NONE)
        object = (uint32_t)kernel->object[object].base;
    return object;
}

static void add_reach(struct touch *touch, uint32_t at, unsigned number)
{
    const struct pto_insn *insn = &touch->core->code.insn[at];
    const struct pto_operand *operand = &insn->operand[number];
    struct reach reach = {.insn = at, .operand = (uint8_t)number,
                          .written = writes(insn, number)};

    if (operand->kind == PTO_O_GM) {
        reach.space = PTO_SPACE_COUNT;
        reach.first = root_object(touch->kernel, operand->gm.object);
        reach.end = reach.first + 1;
    } else if (operand->kind == PTO_O_TILE) {
        struct bytes bytes = tile_bytes(touch, &operand->tile);

        reach.space = touch->core->tile[operand->tile.tile].space;
        reach.first = bytes.first;
        reach.end = bytes.end;
    } else {
        return;
    }
    PTO_GROW(touch->reach, touch->reaches, touch->reach_room);
    touch->reach[touch->reaches++] = reach;
}

void touch_begin(struct touch *touch, const struct pto_kernel *kernel,
                 const struct pto_core_code *core, struct slots *slots, const bool *moves)
{
    uint32_t insns = core->code.insns;

    *touch = (struct touch){.kernel = kernel, .core = core, .slots = slots, .moves = moves};
    touch->first_reach = pto_xcalloc((size_t)insns + 1, sizeof *touch->first_reach);
    for (uint32_t at = 0; at < insns; at++) {
        const struct pto_insn *insn = &core->code.insn[at];

        for (unsigned i = 0; i < insn->operands; i++)
            add_reach(touch, at, i);
        touch->first_reach[at + 1] = touch->reaches;
    }
    place_find_steps(core, touch->steps);
}

void touch_free(struct touch *touch)
{
    free(touch->reach);
    free(touch->first_reach);
}

/* Bit of the conflict of two windows of global memory. */
static unsigned kind_of_windows(const struct touch *touch, uint32_t a,
                                const struct pto_operand *x, uint32_t b,
                                const struct pto_operand *y)
{
    const struct pto_insn *insn = touch->core->code.insn;
    uint16_t reg;

    switch (place_compare(touch->kernel, touch->core, &insn[a], &x->gm, &insn[b], &y->gm,
                          touch->steps, &reg)) {
    case PLACE_APART:
        return 0;
    case PLACE_BY_REGISTER:
        return 1u << slots_of_place(touch->slots, reg);
    default:
        return 1;
    }
}

/* Bit of the conflict of two operands that touch the same bytes. */
static unsigned kind_of(const struct touch *touch, uint32_t a, const struct pto_operand *x,
                        uint32_t b, const struct pto_operand *y)
{
    unsigned slot = slot_of(touch, a, x);

    if (x->kind == PTO_O_GM)
        return kind_of_windows(touch, a, x, b, y);
    if (slot == SYNC_NO_SLOT || slot != slot_of(touch, b, y) ||
        root_tile(touch->core, x->tile.tile) != root_tile(touch->core, y->tile.tile))
        return 1;
    return 1u << slot;
}

unsigned sync_conflict(const struct touch *touch, uint32_t a, uint32_t b)
{
    const struct pto_insn *x = &touch->core->code.insn[a], *y = &touch->core->code.insn[b];
    unsigned kinds = 0;

    for (uint32_t i = touch->first_reach[a]; i < touch->first_reach[a + 1]; i++)
        for (uint32_t k = touch->first_reach[b]; k < touch->first_reach[b + 1]; k++) {
            const struct reach *p = &touch->reach[i], *q = &touch->reach[k];

            if (p->space == q->space && p->first < q->end && q->first < p->end &&
                (p->written || q->written))
                kinds |= kind_of(touch, a, &x->operand[p->operand], b, &y->operand[q->operand]);
        }
    return kinds;
}

unsigned sync_keys(const struct touch *touch, uint32_t at)
{
    const struct pto_insn *insn = &touch->core->code.insn[at];
    unsigned keys = 0;

    for (unsigned i = 0; i < insn->operands; i++)
        keys |= 1u << slot_of(touch, at, &insn->operand[i]);
    return keys & ~1u;
}
