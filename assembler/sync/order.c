#include "sync/order.h"

#include <stdlib.h>
#include <string.h>

#include "sync/place.h"
#include "sync/stale.h"

bool order_wants_all(const struct pto_insn *insn)
{
    enum pto_class class = pto_op_info(insn->op)->class;

    return class == PTO_MACRO || class == PTO_ASYNC || insn->op == PTO_OP_TNOTIFY ||
           insn->op == PTO_OP_SYNC_ALL || insn->op == PTO_OP_DSB;
}

static void find_joins(struct order *o)
{
    for (uint32_t at = 0; at < o->core->code.insns; at++) {
        int64_t target = blocks_target(o->core, at);

        if (target >= 0)
            o->joins[target] = true;
    }
}

static void find_moves(struct order *o)
{
    for (uint32_t at = 0; at < o->core->code.insns; at++) {
        const struct pto_insn *insn = &o->core->code.insn[at];
        uint32_t tile;

        if (insn->op != PTO_OP_TASSIGN)
            continue;
        tile = insn->operand[0].tile.tile;
        while (o->core->tile[tile].parent != PTO_NONE)
            tile = (uint32_t)o->core->tile[tile].parent;
        o->moves[tile] = true;
    }
}

static void find_facts(struct order *o)
{
    const struct pto_code *code = &o->core->code;

    for (uint32_t at = 0; at < code->insns; at++) {
        int reg = slots_assigned(&code->insn[at]);

        if (reg >= 0)
            o->assigned[reg] = true;
        o->pipe[at] = (uint8_t)sync_pipe(o->profile, o->core, &code->insn[at]);
        if (!o->blocks.live[at])
            o->pipe[at] = SYNC_NO_PIPE;
        if (o->pipe[at] == SYNC_NO_PIPE)
            continue;
        o->keys[at] = (uint8_t)sync_keys(&o->touch, at);
        o->bit[at] = o->bits;
        o->at[o->bits++] = at;
    }
}

/* What begins anew, and is more than a register that grows. */
static void find_kills(struct order *o)
{
    for (uint32_t at = 0; at < o->core->code.insns; at++)
        for (unsigned i = 1; i <= o->slots.slots; i++) {
            const struct slot *slot = &o->slots.slot[i];
            const struct pto_insn *insn = &o->core->code.insn[at];

            if (slots_kills(slot, insn) &&
                !(slot->kind == SLOT_BEFORE && place_grows(insn, slot->leaf[0])))
                o->kills[at] |= (uint8_t)(1u << i);
        }
}

static void find_conflicts(struct order *o)
{
    o->kinds = pto_xcalloc((size_t)o->bits * o->bits + 1, 1);
    o->tried = pto_xcalloc((size_t)o->bits * o->bits + 1, 1);
    for (uint32_t i = 0; i < o->bits; i++)
        for (uint32_t k = 0; k <= i; k++) {
            unsigned kinds = sync_conflict(&o->touch, o->at[i], o->at[k]);

            o->kinds[(size_t)i * o->bits + k] = (uint8_t)kinds;
            o->kinds[(size_t)k * o->bits + i] = (uint8_t)kinds;
        }
}

void order_begin(struct order *o, const struct pto_profile *profile,
                 const struct pto_kernel *kernel, struct pto_core_code *core)
{
    size_t count = (size_t)core->code.insns + 1;

    *o = (struct order){.profile = profile,
                        .core = core,
                        .joins = pto_xcalloc(count, sizeof *o->joins),
                        .moves = pto_xcalloc((size_t)core->tiles + 1, sizeof *o->moves),
                        .pipe = pto_xcalloc(count, 1),
                        .keys = pto_xcalloc(count, 1),
                        .kills = pto_xcalloc(count, 1),
                        .bit = pto_xcalloc(count, sizeof *o->bit),
                        .at = pto_xcalloc(count, sizeof *o->at)};
    blocks_find(&o->blocks, core);
    find_joins(o);
    find_moves(o);
    o->slots = (struct slots){.core = core, .joins = o->joins};
    o->touch = (struct touch){kernel, core, &o->slots, o->moves};
    find_facts(o);
    find_conflicts(o);
    find_kills(o);
    o->stale = stale_find(o);
}

void order_free(struct order *o)
{
    blocks_free(&o->blocks);
    free(o->joins);
    free(o->moves);
    free(o->stale);
    free(o->pipe);
    free(o->keys);
    free(o->kills);
    free(o->bit);
    free(o->at);
    free(o->kinds);
    free(o->tried);
    free(o->sync);
    free(o->mark);
    free(o->need);
}

/* At the end of its block a mark is passed on the way out, inner blocks first; everywhere else on
 * the way in. */
static bool at_end(const struct order *o, const struct mark *mark)
{
    const struct block *block = &o->blocks.block[mark->block];

    return mark->at == block->end && mark->at != block->start;
}

static bool stands_before(const struct order *o, const struct mark *a, const struct mark *b)
{
    unsigned x = o->blocks.block[a->block].depth, y = o->blocks.block[b->block].depth;
    bool ends = at_end(o, a);

    if (a->at != b->at)
        return a->at < b->at;
    if (ends != at_end(o, b))
        return ends;
    if (a->block != b->block && x != y)
        return ends ? x > y : x < y;
    return a->rank < b->rank;
}

bool order_lands_before(const struct order *o, const struct mark *mark, uint32_t from)
{
    const struct block *block = &o->blocks.block[mark->block];
    uint32_t loop;

    if (from < mark->at)
        return from >= block->start || mark->at == block->start;
    loop = blocks_common(&o->blocks, o->blocks.of[from], o->blocks.of[mark->at]);
    return !at_end(o, mark) && blocks_holds(&o->blocks, loop, mark->block);
}

uint32_t order_first_mark(const struct order *o, uint32_t at)
{
    uint32_t low = 0, high = o->marks;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (o->mark[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void order_add_mark(struct order *o, struct mark mark)
{
    uint32_t i;

    PTO_GROW(o->mark, o->marks, o->mark_room);
    for (i = o->marks++; i > 0 && stands_before(o, &mark, &o->mark[i - 1]); i--)
        o->mark[i] = o->mark[i - 1];
    o->mark[i] = mark;
}

void order_remove_marks(struct order *o, uint32_t sync, uint32_t site)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < o->marks; i++)
        if (o->mark[i].sync != sync || o->mark[i].site != site)
            o->mark[kept++] = o->mark[i];
    o->marks = kept;
}

void order_forget_off(struct order *o)
{
    uint32_t *number = pto_xcalloc((size_t)o->syncs + 1, sizeof *number), kept = 0, marks = 0;

    for (uint32_t i = 0; i < o->marks; i++)
        if (!o->sync[o->mark[i].sync].off)
            o->mark[marks++] = o->mark[i];
    o->marks = marks;
    for (uint32_t c = 0; c < o->syncs; c++)
        if (!o->sync[c].off) {
            number[c] = kept;
            o->sync[kept++] = o->sync[c];
        }
    o->syncs = kept;
    for (uint32_t i = 0; i < o->marks; i++)
        o->mark[i].sync = number[o->mark[i].sync];
    free(number);
}
