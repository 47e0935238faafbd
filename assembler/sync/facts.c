/* What is known of a program before anything is put in. */
#include <stdlib.h>
#include <string.h>

#include "sync/order.h"
#include "sync/place.h"
#include "sync/publish.h"
#include "sync/stale.h"

static unsigned traits_of(const struct pto_core_code *core, uint32_t at, bool publish)
{
    const struct pto_insn *insn = &core->code.insn[at];
    enum pto_class class = pto_op_info(insn->op)->class;
    unsigned traits = 0;

    if (class == PTO_MACRO || class == PTO_ASYNC)
        traits |= TRAIT_ALL | TRAIT_SERIES;
    if (insn->op == PTO_OP_TNOTIFY || insn->op == PTO_OP_SYNC_ALL)
        traits |= TRAIT_ALL;
    if (publish && publish_tells(insn))
        traits |= TRAIT_TELLS;
    if (insn->op == PTO_OP_DSB)
        traits |= TRAIT_ALL | TRAIT_DSB;
    if (insn->op == PTO_OP_DCCI || insn->op == PTO_OP_DCCI_AT)
        traits |= TRAIT_DCCI;
    if (blocks_leaves(core, at))
        traits |= TRAIT_LEAVES;
    return traits;
}

/* Branches, and by where they go to the branches that come there, in the order of the text. */
static void find_ways(struct order *o, bool publish)
{
    uint32_t insns = o->core->code.insns;

    for (uint32_t at = 0; at < insns; at++) {
        int64_t target = blocks_target(o->core, at);

        o->comes[at] = o->comes_next[at] = SYNC_NOWHERE;
        o->target[at] = target < 0 ? SYNC_NOWHERE : (uint32_t)target;
        o->traits[at] = (uint8_t)traits_of(o->core, at, publish);
    }
    for (uint32_t at = insns; at-- > 0;) {
        uint32_t target = o->target[at];

        if (target == SYNC_NOWHERE)
            continue;
        o->joins[target] = true;
        o->branch[at] = o->branches++;
        o->comes_next[at] = o->comes[target];
        o->comes[target] = at;
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

static void find_pipes(struct order *o)
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
    o->words = (o->bits + 63) / 64;
}

/* What begins anew, and is more than a register that grows. */
static void find_kills(struct order *o)
{
    for (uint32_t at = 0; at < o->core->code.insns; at++)
        for (unsigned i = 1; i <= o->slots.slots; i++) {
            const struct slot *slot = &o->slots.slot[i];
            const struct pto_insn *insn = &o->core->code.insn[at];

            if (slots_kills(slot, insn) &&
                !(slot->kind == SLOT_BEFORE && place_grows(insn, slot->leaf[0]))) {
                o->kills[at] |= (uint8_t)(1u << i);
                o->traits[at] |= TRAIT_KILLS;
            }
        }
}

static bool has(const struct order *o, const uint64_t *rows, uint32_t row, uint32_t bit)
{
    return rows[(size_t)row * o->words + bit / 64] >> (bit % 64) & 1;
}

static void add(const struct order *o, uint64_t *rows, uint32_t row, uint32_t bit)
{
    rows[(size_t)row * o->words + bit / 64] |= UINT64_C(1) << (bit % 64);
}

static uint64_t *new_rows(const struct order *o, uint32_t rows)
{
    return pto_xcalloc((size_t)rows * o->words + 1, sizeof(uint64_t));
}

static void add_kinds(struct order *o, uint32_t a, uint32_t b, unsigned kinds)
{
    for (unsigned n = 0; kinds >> n; n++) {
        if (!(kinds >> n & 1))
            continue;
        if (!o->meets[n])
            o->meets[n] = new_rows(o, o->bits);
        add(o, o->meets[n], a, b);
        add(o, o->meets[n], b, a);
    }
}

static int compare_reaches(const void *a, const void *b)
{
    const struct reach *x = a, *y = b;

    if (x->space != y->space)
        return x->space < y->space ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Which may touch the same bytes: from each one's first byte on, those that begin before its end.
 * The one that is later in the program has the other in its row. */
static uint64_t *find_overlaps(const struct order *o)
{
    const struct touch *touch = &o->touch;
    struct reach *reach = pto_xmalloc(((size_t)touch->reaches + 1) * sizeof *reach);
    uint64_t *rows = new_rows(o, o->bits);

    if (touch->reaches)
        memcpy(reach, touch->reach, touch->reaches * sizeof *reach);
    qsort(reach, touch->reaches, sizeof *reach, compare_reaches);
    for (uint32_t i = 0; i < touch->reaches; i++) {
        const struct reach *p = &reach[i], *q = p + 1;

        if (o->pipe[p->insn] == SYNC_NO_PIPE)
            continue;
        for (; q < reach + touch->reaches && q->space == p->space && q->first < p->end; q++)
            if (o->pipe[q->insn] != SYNC_NO_PIPE && (p->written || q->written))
                add(o, rows, o->bit[p->insn > q->insn ? p->insn : q->insn],
                    o->bit[p->insn > q->insn ? q->insn : p->insn]);
    }
    free(reach);
    return rows;
}

static void find_conflicts(struct order *o)
{
    uint64_t *overlaps = find_overlaps(o);

    for (unsigned way = 0; way < 2; way++)
        o->tried[way] = new_rows(o, o->bits);
    for (uint32_t i = 0; i < o->bits; i++) {
        add(o, overlaps, i, i);
        for (uint32_t w = 0; w <= i / 64; w++)
            for (uint64_t left = overlaps[(size_t)i * o->words + w]; left; left &= left - 1) {
                uint32_t k = 64 * w + (uint32_t)__builtin_ctzll(left);

                add_kinds(o, i, k, sync_conflict(&o->touch, o->at[i], o->at[k]));
            }
    }
    free(overlaps);
}

static void find_sets(struct order *o)
{
    for (unsigned q = 0; q < PTO_PIPE_COUNT; q++)
        o->by_pipe[q] = new_rows(o, 1);
    o->stores = new_rows(o, 1);
    o->far = new_rows(o, 1);
    o->publish = new_rows(o, 1);
    for (uint32_t i = 0; i < o->bits; i++) {
        const struct pto_insn *insn = &o->core->code.insn[o->at[i]];
        unsigned pipe = o->pipe[o->at[i]];
        bool far = sync_writes(insn, PTO_O_GM), store = sync_is_store(insn);

        add(o, o->by_pipe[pipe], 0, i);
        if (store)
            add(o, o->stores, 0, i);
        if (store && far)
            add(o, o->far, 0, i);
        if (pipe != PTO_PIPE_S && far)
            add(o, o->publish, 0, i);
    }
}

unsigned order_kinds(const struct order *o, uint32_t a, uint32_t b)
{
    unsigned kinds = 0;

    for (unsigned n = 0; n < SYNC_LAYERS; n++)
        kinds |= (unsigned)(o->meets[n] && has(o, o->meets[n], a, b)) << n;
    return kinds;
}

unsigned order_tried(const struct order *o, uint32_t from, uint32_t to)
{
    return has(o, o->tried[1], from, to) ? 2 : has(o, o->tried[0], from, to);
}

void order_set_tried(struct order *o, uint32_t from, uint32_t to, unsigned ways)
{
    add(o, o->tried[ways - 1], from, to);
}

void order_begin(struct order *o, const struct pto_profile *profile,
                 const struct pto_kernel *kernel, struct pto_core_code *core, bool publish)
{
    size_t count = (size_t)core->code.insns + 1;

    *o = (struct order){.profile = profile,
                        .core = core,
                        .joins = pto_xcalloc(count, sizeof *o->joins),
                        .moves = pto_xcalloc((size_t)core->tiles + 1, sizeof *o->moves),
                        .pipe = pto_xcalloc(count, 1),
                        .keys = pto_xcalloc(count, 1),
                        .kills = pto_xcalloc(count, 1),
                        .traits = pto_xcalloc(count, 1),
                        .bit = pto_xcalloc(count, sizeof *o->bit),
                        .target = pto_xcalloc(count, sizeof *o->target),
                        .branch = pto_xcalloc(count, sizeof *o->branch),
                        .comes = pto_xcalloc(count, sizeof *o->comes),
                        .comes_next = pto_xcalloc(count, sizeof *o->comes_next),
                        .at = pto_xcalloc(count, sizeof *o->at)};
    blocks_find(&o->blocks, core);
    find_ways(o, publish);
    find_moves(o);
    o->slots = (struct slots){.core = core, .joins = o->joins};
    touch_begin(&o->touch, kernel, core, &o->slots, o->moves);
    find_pipes(o);
    find_conflicts(o);
    find_sets(o);
    find_kills(o);
    o->stale = stale_find(o);
}

void order_free(struct order *o)
{
    blocks_free(&o->blocks);
    touch_free(&o->touch);
    free(o->joins);
    free(o->moves);
    free(o->stale);
    free(o->pipe);
    free(o->keys);
    free(o->kills);
    free(o->traits);
    free(o->bit);
    free(o->target);
    free(o->branch);
    free(o->comes);
    free(o->comes_next);
    free(o->at);
    for (unsigned n = 0; n < SYNC_LAYERS; n++)
        free(o->meets[n]);
    for (unsigned way = 0; way < 2; way++)
        free(o->tried[way]);
    for (unsigned q = 0; q < PTO_PIPE_COUNT; q++)
        free(o->by_pipe[q]);
    free(o->stores);
    free(o->far);
    free(o->publish);
    free(o->sync);
    free(o->mark);
    free(o->need);
}
