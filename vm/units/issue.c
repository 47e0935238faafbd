#include "issue.h"

#include "machine/cost.h"
#include "machine/fault.h"
#include "machine/resolve.h"
#include "queue.h"

/* The extent of a transfer: named by the tile, by the global operand, or by both alike; else the
 * whole tile. */
static bool transfer_extent(struct core *core, const struct ready_op *op, struct extent *extent)
{
    struct extent tile = resolve_extent(core, &op->operand[op->extent_tile]);
    struct extent gm = resolve_extent(core, &op->operand[op->extent_gm]);
    const struct pto_tile *shape = op->operand[op->extent_tile].tile;

    *extent = tile.rows == NOT_GIVEN ? gm : tile;
    if (tile.rows == NOT_GIVEN && gm.rows == NOT_GIVEN)
        *extent = (struct extent){shape->rows, shape->cols};
    else if (tile.rows != NOT_GIVEN && gm.rows != NOT_GIVEN &&
             (tile.rows != gm.rows || tile.cols != gm.cols))
        return FAULT_HERE(core, "name the extent once, at the tile or at the global object",
                          "extents {%lld, %lld} of the tile and {%lld, %lld} of the object differ",
                          (long long)tile.rows, (long long)tile.cols, (long long)gm.rows,
                          (long long)gm.cols);
    return true;
}

/* A window written at an offset is as large as its source. */
static struct extent source_extent(const struct core *core, const struct ready_operand *source)
{
    struct extent extent = resolve_extent(core, source);

    return extent.rows == NOT_GIVEN ? (struct extent){source->tile->rows, source->tile->cols}
                                    : extent;
}

static bool resolve_operand(struct core *core, const struct ready_op *op,
                            const struct ready_operand *operand, struct extent extent,
                            uint64_t *word)
{
    switch (operand->kind) {
    case PTO_O_TILE:
        return resolve_tile(core, operand, extent, word);
    case PTO_O_GM:
        return op->extent_gm < 0 ? resolve_table(core, operand, word)
                                 : resolve_gm(core, operand, extent, word);
    case PTO_O_SCALAR:
        *word = core->reg[operand->reg];
        return true;
    default:
        return true;
    }
}

enum issue_result issue_tile(struct core *core, const struct ready_op *op)
{
    const struct extent none = {NOT_GIVEN, NOT_GIVEN};
    struct extent extent = none;
    struct entry *entry = queue_entry(core, op->pipe, ENTRY_TILE);

    if (!entry)
        return ISSUE_STALL;
    if (op->extent_gm >= 0 && !transfer_extent(core, op, &extent))
        return ISSUE_FAULT;
    if (op->operand[0].access & PTO_WINDOW)
        extent = source_extent(core, &op->operand[1]);
    for (unsigned i = 0; i < op->operands; i++) {
        bool side = (int)i == op->extent_gm || (int)i == op->extent_tile;

        if (!resolve_operand(core, op, &op->operand[i], side ? extent : none,
                             &entry->word[op->operand[i].word]))
            return ISSUE_FAULT;
    }
    entry->op = op;
    queue_push(core, op->pipe);
    core->time += cost_of(core, COST_ISSUE);
    return ISSUE_DONE;
}
