#include "sync/touch.h"

#include "route.h"

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

/* Bytes of a tile operand in its space: those of its slot, or of all slots. */
struct bytes {
    uint64_t first, end;
};

static struct bytes tile_bytes(const struct pto_core_code *core, const struct pto_tile_ref *ref)
{
    const struct pto_tile *tile = &core->tile[ref->tile], *root = tile;
    uint64_t size;
    struct bytes bytes;

    while (root->parent != PTO_NONE)
        root = &core->tile[root->parent];
    size = pto_tile_bytes(ref->byte.kind == PTO_S_NONE ? tile : root);
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

static bool same_tile_bytes(const struct pto_core_code *core, const struct pto_tile_ref *a,
                            const struct pto_tile_ref *b)
{
    struct bytes x, y;

    if (core->tile[a->tile].space != core->tile[b->tile].space)
        return false;
    x = tile_bytes(core, a);
    y = tile_bytes(core, b);
    return x.first < y.end && y.first < x.end;
}

static uint32_t root_object(const struct pto_kernel *kernel, uint32_t object)
{
    while (kernel->object[object].base != PTO_NONE)
        object = (uint32_t)kernel->object[object].base;
    return object;
}

static bool same_bytes(const struct pto_kernel *kernel, const struct pto_core_code *core,
                       const struct pto_operand *a, const struct pto_operand *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == PTO_O_TILE)
        return same_tile_bytes(core, &a->tile, &b->tile);
    return a->kind == PTO_O_GM &&
           root_object(kernel, a->gm.object) == root_object(kernel, b->gm.object);
}

bool sync_conflict(const struct pto_kernel *kernel, const struct pto_core_code *core,
                   const struct pto_insn *a, const struct pto_insn *b)
{
    for (unsigned i = 0; i < a->operands; i++)
        for (unsigned k = 0; k < b->operands; k++)
            if ((writes(a, i) || writes(b, k)) &&
                same_bytes(kernel, core, &a->operand[i], &b->operand[k]))
                return true;
    return false;
}
