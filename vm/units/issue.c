#include "issue.h"

#include "machine/cost.h"
#include "machine/fault.h"
#include "machine/memory.h"
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

static bool resolve_operands(struct core *core, const struct ready_op *op, struct entry *entry)
{
    const struct extent none = {NOT_GIVEN, NOT_GIVEN};
    struct extent extent = none;

    if (op->extent_gm >= 0 && !transfer_extent(core, op, &extent))
        return false;
    if (op->operand[0].access & PTO_WINDOW)
        extent = source_extent(core, &op->operand[1]);
    for (unsigned i = 0; i < op->operands; i++) {
        bool side = (int)i == op->extent_gm || (int)i == op->extent_tile;

        if (!resolve_operand(core, op, &op->operand[i], side ? extent : none,
                             &entry->word[op->operand[i].word]))
            return false;
    }
    return true;
}

/* A tile with a slot or a valid region; false: it has none such, and resolve_operands says so. */
static bool take_region(const struct core *core, const struct ready_word *from, uint64_t *word)
{
    uint64_t slot = from->reg == NO_REGISTER ? 0 : core->reg[from->reg];
    uint64_t region = from->declared;

    if (slot >= from->slots)
        return false;
    if (from->rows != NO_REGISTER) {
        uint64_t rows = core->reg[from->rows];
        uint64_t cols = from->cols == NO_REGISTER ? 1 : core->reg[from->cols];

        if (rows > tile_rows(region) || cols > tile_cols(region))
            return false;
        region = tile_word(0, (uint32_t)rows, (uint32_t)cols);
    }
    *word = region | (core->tile_address[from->tile] + (uint32_t)slot * from->stride);
    return true;
}

/* The window of a transfer, as large as its tile.  False: it is none inside of the object, or an
 * empty one, and resolve_operands says what is wrong. */
static bool take_window(const struct core *core, const struct ready_op *op, uint64_t *words)
{
    const struct ready_operand *operand = &op->operand[op->extent_gm];
    const struct bound_object *object = memory_object(core, operand->object);
    const uint64_t tile = words[op->operand[op->extent_tile].word];
    uint64_t *word = &words[operand->word], offset = object->offset;
    uint64_t rows = 1, cols = 1; /* what is left of the last two dimensions */

    if (!object->present)
        return false;
    for (unsigned i = 0; i < object->dims; i++) {
        uint64_t index = i < operand->indices ? core->reg[operand->index[i]] : 0;

        if (index >= object->dim[i])
            return false;
        rows = cols;
        cols = object->dim[i] - index;
        offset += index * (uint64_t)object->stride[i];
    }
    if (tile_rows(tile) > rows || tile_cols(tile) > cols)
        return false;
    word[GM_OFFSET] = offset;
    word[GM_EXTENT] = gm_extent(tile_rows(tile), tile_cols(tile));
    word[GM_WHERE] = operand->object | (uint64_t)core->rank->number << 32;
    return true;
}

/* Registers become words without a look at the operands. */
static bool take_words(const struct core *core, const struct ready_op *op, uint64_t *words)
{
    const struct ready_word *from = op->word;

    for (unsigned i = 0; i < op->words; i++, from++) {
        if (from->kind == WORD_DECLARED)
            words[i] = from->declared | core->tile_address[from->tile];
        else if (from->kind == WORD_SCALAR)
            words[i] = core->reg[from->reg];
        else if (from->kind == WORD_REGION && !take_region(core, from, &words[i]))
            return false;
    }
    return op->extent_gm < 0 || take_window(core, op, words);
}

enum issue_result issue_tile(struct core *core, const struct ready_op *op, struct entry *entry)
{
    if (!(op->word && take_words(core, op, entry->word)) && !resolve_operands(core, op, entry))
        return ISSUE_FAULT;
    entry->op = op;
    queue_push(core, op->pipe);
    core->time += cost_of(core, COST_ISSUE);
    return ISSUE_DONE;
}

enum issue_result issue_flag(struct core *core, const struct ready_op *op)
{
    uint64_t event = op->event == NO_REGISTER ? 0 : core->reg[op->event];
    struct entry *entry;

    if (!issue_check_event(core, event))
        return ISSUE_FAULT;
    entry = queue_entry(core, op->pipe, (enum entry_kind)op->entry);
    if (!entry)
        return ISSUE_STALL;
    entry->flag_src = op->src;
    entry->flag_dst = op->dst;
    entry->flag_id = (uint8_t)event;
    queue_push(core, op->pipe);
    return ISSUE_DONE;
}

bool issue_check_event(struct core *core, uint64_t event)
{
    uint32_t events = core->rank->vm->profile.events;

    if (__builtin_expect(event < events, 1))
        return true;
    return FAULT_HERE(core, NULL, "event %lld: a pair of pipes has events 0 to %u",
                      (long long)event, events - 1);
}
