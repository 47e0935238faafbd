/* Tiles: which bytes they share, and whether something is written before it is read. */
#include "core.h"
#include "core_name.h"
#include "fit_tile.h"

#include <stdlib.h>

enum { MOST_WORK = 1 << 27 /* steps of looking for writes before reads, of one program */ };

/* Hull of all slots. */
struct range {
    uint8_t space;
    uint64_t from, to;
    uint32_t tile;
};

struct tiles {
    struct lint *lint;
    struct range *range; /* of tiles that are no views, by space and address */
    uint32_t ranges;
    uint32_t *group; /* by tile: tiles that share bytes have one group */
    uint32_t groups;
    bool moved[PTO_SPACE_COUNT]; /* TASSIGN places tiles of this space at run time */
};

static uint32_t root_of(const struct lint *lint, uint32_t tile)
{
    while (lint->core->tile[tile].parent != PTO_NONE)
        tile = (uint32_t)lint->core->tile[tile].parent;
    return tile;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    if (x->space != y->space)
        return x->space < y->space ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->tile < y->tile ? -1 : 1;
}

static void report_overlap(struct tiles *t, const struct range *a, const struct range *b)
{
    const struct lint *lint = t->lint;
    const struct pto_tile *later = &lint->core->tile[a->tile > b->tile ? a->tile : b->tile];

    lint_hint(t->lint,
              lint_report(t->lint, PTO_LINT_TILE_OVERLAP, PTO_WARNING, PTO_LINT_YES,
                          later->pos, "tiles '%s' and '%s' of .core %s share bytes %llu "
                          "to %llu of %s", lint->core->tile[a->tile].name,
                          lint->core->tile[b->tile].name, pto_core_names[lint->core_kind],
                          (unsigned long long)b->from,
                          (unsigned long long)(a->to < b->to ? a->to : b->to) - 1,
                          pto_space_name(a->space)),
              "if that is meant, declare one as a view: .tile NAME : ... of OTHER");
}

/* Account for the bytes of a memory that tiles take. */
static void add_memory(struct tiles *t, uint8_t space, uint64_t bytes)
{
    struct pto_lint *result = t->lint->result;
    struct pto_lint_memory *last =
        result->memories ? &result->memory[result->memories - 1] : NULL;

    if (!last || last->kernel != t->lint->kernel || last->core != t->lint->core_kind ||
        last->space != space) {
        PTO_GROW(result->memory, result->memories, result->memory_capacity);
        last = &result->memory[result->memories++];
        *last = (struct pto_lint_memory){.kernel = t->lint->kernel, .core = t->lint->core_kind,
                                         .space = space,
                                         .capacity = t->lint->profile->capacity[space]};
    }
    last->used += bytes;
}

/* Sort the tiles by place, group those that share bytes, and report each that shares bytes with
 * one before it. */
static void group_tiles(struct tiles *t)
{
    const struct pto_core_code *core = t->lint->core;
    const struct range *last = NULL; /* the one that reaches furthest */

    for (uint32_t i = 0; i < core->tiles; i++) {
        const struct pto_tile *tile = &core->tile[i];

        if (tile->parent == PTO_NONE)
            t->range[t->ranges++] = (struct range){
                tile->space, tile->address,
                tile->address + (uint64_t)(tile->slots - 1) * tile->slot_stride +
                    pto_tile_bytes(tile), i};
    }
    if (t->ranges)
        qsort(t->range, t->ranges, sizeof *t->range, compare_ranges);
    for (uint32_t i = 0; i < t->ranges; i++) {
        struct range *range = &t->range[i];
        bool shares = last && last->space == range->space && range->from < last->to;

        if (shares && !t->moved[range->space])
            report_overlap(t, last, range);
        add_memory(t, range->space, !shares ? range->to - range->from
                                   : range->to > last->to ? range->to - last->to : 0);
        t->groups += !shares;
        t->group[range->tile] = t->groups - 1;
        if (!shares || range->to > last->to)
            last = range;
    }
    for (uint32_t i = 0; i < core->tiles; i++)
        t->group[i] = t->group[root_of(t->lint, i)];
}

/* ---- read before written ---- */

/* How an instruction touches a group: PTO_READ and PTO_WRITE.  What it both reads and writes
 * through one operand may be read only if a flag says so: that is no read here. */
static unsigned touches(const struct tiles *t, const struct pto_insn *insn, uint32_t group)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    unsigned access = 0;

    for (unsigned i = 0; i < insn->operands && i < info->operands; i++) {
        unsigned how = info->operand[i].access & (PTO_READ | PTO_WRITE);

        if (insn->operand[i].kind == PTO_O_TILE && t->group[insn->operand[i].tile.tile] == group)
            access |= how == (PTO_READ | PTO_WRITE) ? PTO_WRITE : how;
    }
    return access;
}

static const char *read_tile(const struct tiles *t, const struct pto_insn *insn, uint32_t group)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < insn->operands && i < info->operands; i++)
        if (insn->operand[i].kind == PTO_O_TILE && !(info->operand[i].access & PTO_WRITE) &&
            t->group[insn->operand[i].tile.tile] == group)
            return t->lint->core->tile[insn->operand[i].tile.tile].name;
    return "";
}

/* Report the first read of a group that no write can have come before. */
static void look_at_group(struct tiles *t, uint32_t group)
{
    const struct pto_code *code = t->lint->code;
    const bool *reachable = t->lint->reachable[t->lint->core_kind];
    bool *after = pto_xcalloc(code->insns, sizeof *after);
    uint32_t *todo = pto_xcalloc((size_t)code->insns + 1, sizeof *todo);

    for (uint32_t i = 0; i < code->insns; i++)
        if (reachable[i] && !after[i] && (touches(t, &code->insn[i], group) & PTO_WRITE))
            lint_flood(code, i, after, todo);
    for (uint32_t i = 0; i < code->insns; i++) {
        const struct pto_insn *insn = &code->insn[i];

        if (!reachable[i] || after[i] || !(touches(t, insn, group) & PTO_READ))
            continue;
        lint_report(t->lint, PTO_LINT_TILE_UNWRITTEN, PTO_WARNING, PTO_LINT_YES, insn->pos,
                    "%s reads tile '%s', which nothing has written before, on any path",
                    pto_op_info(insn->op)->mnemonic, read_tile(t, insn, group));
        break;
    }
    free(after);
    free(todo);
}

/* Does the other program send into the bytes of a tile?  When, only flags between the two say. */
static bool is_sent(const struct tiles *t, const struct pto_tile *tile)
{
    const struct pto_core_code *other = &t->lint->kernel->core[!t->lint->core_kind];

    for (uint32_t i = 0; other->present && i < other->tiles; i++)
        if (other->tile[i].space == tile->space &&
            other->tile[i].address < tile->address + pto_tile_extent(tile) &&
            tile->address < other->tile[i].address + pto_tile_extent(&other->tile[i]))
            return true;
    return false;
}

static void look_at_reads(struct tiles *t)
{
    bool *moved = pto_xcalloc((size_t)t->groups + 1, sizeof *moved);

    for (uint32_t i = 0; i < t->lint->core->tiles; i++)
        if (t->moved[t->lint->core->tile[i].space] || is_sent(t, &t->lint->core->tile[i]))
            moved[t->group[i]] = true;
    for (uint32_t group = 0; group < t->groups; group++)
        if (!moved[group] && (uint64_t)(group + 1) * t->lint->code->insns < MOST_WORK)
            look_at_group(t, group);
    free(moved);
}

/* ---- staging tiles ---- */

/* Do the windows begin at the same byte, or share bytes whatever their slots are? */
static bool shares_bytes(const struct lint *lint, const struct pto_tile_ref *a,
                         const struct pto_tile_ref *b)
{
    const struct pto_tile *x = &lint->core->tile[a->tile], *y = &lint->core->tile[b->tile];

    if (a->byte.kind != PTO_S_NONE || b->byte.kind != PTO_S_NONE)
        return false;
    if (a->tile == b->tile || (x->address == y->address && x->slot_stride == y->slot_stride))
        return x->space == y->space && lint_same_slot(&a->slot, &b->slot);
    return x->slots == 1 && y->slots == 1 && x->space == y->space &&
           x->address < y->address + pto_tile_bytes(y) &&
           y->address < x->address + pto_tile_bytes(x);
}

/* The staging tiles of one transfer hold different chunks at a time. */
static void look_at_staging(struct lint *lint, const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < insn->operands && i < info->operands; i++) {
        for (unsigned k = i + 1; k < insn->operands && k < info->operands; k++) {
            if (insn->operand[i].kind != PTO_O_TILE || insn->operand[k].kind != PTO_O_TILE ||
                !shares_bytes(lint, &insn->operand[i].tile, &insn->operand[k].tile))
                continue;
            lint_hint(lint,
                      lint_report(lint, PTO_LINT_STAGING, PTO_WARNING, PTO_LINT_YES, insn->pos,
                                  "%s and %s of this %s are the same bytes",
                                  info->operand[i].name, info->operand[k].name, info->mnemonic),
                      "give each a tile or a slot of its own, or leave the second one out");
        }
    }
}

void lint_tiles(struct lint *lint)
{
    const struct pto_code *code = lint->code;
    uint32_t tiles = lint->core->tiles;
    struct tiles t = {.lint = lint};

    for (uint32_t i = 0; i < code->insns; i++) {
        if (code->insn[i].op == PTO_OP_TASSIGN)
            t.moved[lint->core->tile[code->insn[i].operand[0].tile.tile].space] = true;
        if (pto_op_info(code->insn[i].op)->class == PTO_MACRO &&
            lint->reachable[lint->core_kind][i])
            look_at_staging(lint, &code->insn[i]);
    }
    t.range = pto_xcalloc((size_t)tiles + 1, sizeof *t.range);
    t.group = pto_xcalloc((size_t)tiles + 1, sizeof *t.group);
    group_tiles(&t);
    look_at_reads(&t);
    free(t.range);
    free(t.group);
}
