#include "element.h"

#include "due.h"
#include "fault.h"
#include "memory.h"
#include "resolve.h"

static void *local_element(struct core *core, const struct ready_operand *operand)
{
    int64_t index = register_or(core, operand->reg, 0);

    if (index < 0 || index >= operand->local_count) {
        FAULT_HERE(core, NULL, "index %lld in a .local array of %u elements", (long long)index,
                   operand->local_count);
        return NULL;
    }
    return &memory_locals(core)[operand->local + (uint32_t)index];
}

static void *tile_element(struct core *core, const struct ready_operand *operand)
{
    const struct pto_tile *tile = operand->tile;
    int64_t row = register_or(core, operand->row, 0), col = register_or(core, operand->col, 0);
    uint32_t address;

    if (!resolve_address(core, operand, &address))
        return NULL;
    if (row < 0 || col < 0 || row >= tile->rows || col >= tile->cols) {
        FAULT_HERE(core, NULL, "element (%lld, %lld) of tile '%s' of %u x %u elements",
                   (long long)row, (long long)col, tile->name, tile->rows, tile->cols);
        return NULL;
    }
    due_settle(core->rank);
    return memory_tile(core, operand, address) +
           pto_tile_offset(tile, (uint32_t)row, (uint32_t)col) * pto_dtype_size(tile->dtype);
}

static void *gm_element(struct core *core, const struct ready_operand *operand)
{
    uint64_t word[GM_WORDS];
    uint32_t object;

    if (!resolve_gm(core, operand, (struct extent){1, 1}, word))
        return NULL;
    if (gm_rank(word) != core->rank->number) {
        FAULT_HERE(core, "use TGET, TLOAD, TPUT or TNOTIFY to reach other ranks",
                   "scalar access to '%s' on rank %d", memory_object_name(core, operand->object),
                   gm_rank(word));
        return NULL;
    }
    object = memory_object(core, operand->object)->object;
    due_settle_object(core->rank, object);
    return core->rank->object[object].data + word[GM_OFFSET];
}

void *element_address(struct core *core, const struct ready_operand *operand, uint8_t *dtype)
{
    if (operand->kind == PTO_O_LOCAL) {
        *dtype = PTO_I64;
        return local_element(core, operand);
    }
    *dtype = operand->view.dtype;
    return operand->kind == PTO_O_TILE ? tile_element(core, operand) : gm_element(core, operand);
}
