#include "sync/blocks.h"

#include <stdlib.h>
#include <string.h>

int64_t blocks_target(const struct pto_core_code *core, uint32_t at)
{
    const struct pto_insn *insn = &core->code.insn[at];

    if (insn->op == PTO_OP_END && at + 1 < core->code.insns)
        return core->code.insns - 1;
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_LABEL)
            return insn->operand[i].value;
    return -1;
}

bool blocks_leaves(const struct pto_core_code *core, uint32_t at)
{
    unsigned op = core->code.insn[at].op;

    return op == PTO_OP_JUMP || op == PTO_OP_END;
}

static void find_live(struct blocks *b)
{
    uint32_t *work = pto_xcalloc((size_t)b->core->code.insns + 1, sizeof *work), works = 1;

    b->live[0] = true;
    while (works) {
        uint32_t at = work[--works];
        int64_t next[2] = {blocks_leaves(b->core, at) ? -1 : (int64_t)at + 1,
                           blocks_target(b->core, at)};

        for (unsigned i = 0; i < 2; i++)
            if (next[i] >= 0 && next[i] < b->core->code.insns && !b->live[next[i]]) {
                b->live[next[i]] = true;
                work[works++] = (uint32_t)next[i];
            }
    }
    free(work);
}

static void find_loops(struct blocks *b)
{
    for (uint32_t at = 0; at < b->core->code.insns; at++) {
        int64_t target = b->live[at] ? blocks_target(b->core, at) : -1;

        if (target < 0 || target > at)
            continue;
        b->twice[target] = b->again[target] > 0;
        b->again[target] = at ? at : 1;
    }
}

static uint32_t add_block(struct blocks *b, struct block block)
{
    block.depth = b->blocks ? b->block[block.parent].depth + 1 : 0;
    PTO_GROW(b->block, b->blocks, b->capacity);
    b->block[b->blocks] = block;
    return b->blocks++;
}

static bool find_in(struct blocks *b, uint32_t block, uint32_t from, uint32_t to);

/* Give all of it to a block that has no structure; false: it is left for somewhere beyond `to`, or
 * backward. */
static bool make_opaque(struct blocks *b, uint32_t block, uint32_t to)
{
    struct block *it = &b->block[block];

    it->opaque = true;
    for (uint32_t at = it->start; at < it->end; at++) {
        int64_t target = b->live[at] ? blocks_target(b->core, at) : -1;

        b->of[at] = block;
        if (target > to || (target >= 0 && target < it->start))
            return false;
        if (target > it->end)
            it->end = (uint32_t)target;
    }
    it->last = it->end;
    return true;
}

/* The loop that begins at `at`; returns where it ends, 0: not before `to`. */
static uint32_t find_loop(struct blocks *b, uint32_t parent, uint32_t at, uint32_t to)
{
    uint32_t end = b->again[at] + 1, block;

    if (end > to)
        return 0;
    block = add_block(b, (struct block){.start = at, .end = end, .first = at, .last = end,
                                        .parent = parent, .loop = true});
    if (!b->twice[at] && find_in(b, block, at, end))
        return end;
    b->blocks = block + 1;
    return make_opaque(b, block, to) ? b->block[block].end : 0;
}

/* The instruction that an arm ends with, if it leaves for behind the arm; else the arm's end. */
static uint32_t arm_exit(const struct blocks *b, uint32_t start, uint32_t end)
{
    for (uint32_t at = end; at-- > start;) {
        if (!b->live[at])
            continue;
        return blocks_leaves(b->core, at) && blocks_target(b->core, at) > end ? at : end;
    }
    return end;
}

/* The choice that the branch at `at` opens, up to `to`; returns where it ends, 0: not there. */
static uint32_t find_choice(struct blocks *b, uint32_t parent, uint32_t at, uint32_t to)
{
    uint32_t first = b->blocks, start = at + 1, end = (uint32_t)blocks_target(b->core, at), exit;

    if (end > to || blocks_leaves(b->core, at))
        return 0;
    do {
        uint32_t block = add_block(b, (struct block){.start = start, .end = end, .first = at,
                                                     .parent = parent});

        exit = arm_exit(b, start, end);
        for (uint32_t i = exit; i < end; i++)
            b->of[i] = block;
        if (!find_in(b, block, start, exit))
            return 0;
        start = end;
        if (exit < end)
            end = (uint32_t)blocks_target(b->core, exit);
        if (end > to)
            return 0;
    } while (start < end);
    for (uint32_t i = first; i < b->blocks; i++)
        if (b->block[i].parent == parent)
            b->block[i].last = end;
    return end;
}

/* The structure of instructions from..to-1 of a block; false: they have none. */
static bool find_in(struct blocks *b, uint32_t block, uint32_t from, uint32_t to)
{
    for (uint32_t at = from, end; at < to; at = end) {
        int64_t target = b->live[at] ? blocks_target(b->core, at) : -1;
        bool own = b->block[block].loop && b->block[block].start == at;

        b->of[at] = block;
        end = at + 1;
        if (b->again[at] && !own)
            end = find_loop(b, block, at, to);
        else if (target > at && !(target == to && end == to))
            end = find_choice(b, block, at, to);
        else if (target >= 0 && !(b->block[block].loop && b->block[block].start == target &&
                                  at + 1 == b->block[block].end))
            end = 0;
        if (!end)
            return false;
    }
    return true;
}

void blocks_find(struct blocks *b, const struct pto_core_code *core)
{
    size_t count = (size_t)core->code.insns + 1;

    *b = (struct blocks){.core = core,
                         .of = pto_xcalloc(count, sizeof *b->of),
                         .live = pto_xcalloc(count, sizeof *b->live),
                         .again = pto_xcalloc(count, sizeof *b->again),
                         .twice = pto_xcalloc(count, sizeof *b->twice)};
    find_live(b);
    find_loops(b);
    add_block(b, (struct block){.end = core->code.insns, .last = core->code.insns});
    if (find_in(b, 0, 0, core->code.insns))
        return;
    b->blocks = 1;
    make_opaque(b, 0, core->code.insns);
}

void blocks_free(struct blocks *b)
{
    free(b->block);
    free(b->of);
    free(b->live);
    free(b->again);
    free(b->twice);
}

uint32_t blocks_common(const struct blocks *b, uint32_t x, uint32_t y)
{
    while (x != y) {
        if (b->block[x].depth < b->block[y].depth) {
            y = b->block[y].parent;
        } else {
            x = b->block[x].parent;
        }
    }
    return x;
}

struct span blocks_item(const struct blocks *b, uint32_t block, uint32_t inner, uint32_t at)
{
    if (inner == block)
        return (struct span){at, at + 1};
    while (b->block[inner].parent != block)
        inner = b->block[inner].parent;
    return (struct span){b->block[inner].first, b->block[inner].last};
}

bool blocks_repeats(const struct blocks *b, uint32_t block)
{
    for (; block; block = b->block[block].parent)
        if (b->block[block].loop)
            return true;
    return b->block[0].opaque;
}

bool blocks_holds(const struct blocks *b, uint32_t outer, uint32_t inner)
{
    return blocks_common(b, outer, inner) == outer;
}
