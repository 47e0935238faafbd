#include "sync/publish.h"

#include <stdlib.h>
#include <string.h>

#include "sync/blocks.h"
#include "sync/touch.h"

/* What is not published yet: stores to this rank's memory, to other ranks'; those of S, in its
 * cache or written back. */
enum { OWN = 1, FAR = 2, CACHED = 4, BACK = 8 };

struct search {
    const struct pto_core_code *core;
    struct blocks blocks;
    bool others_store, anyone_notifies; /* in the kernel, whatever sub-core */
    uint8_t *open; /* by instruction, and behind the last one: what is not published in front */
    uint8_t *dsb;  /* by instruction: mask of enum publish_place */
};

bool publish_tells(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_TNOTIFY || insn->op == PTO_OP_SYNC_ALL ||
           insn->op == PTO_OP_SET_FLAG_DEV || insn->op == PTO_OP_SET_INTRA_BLOCK;
}

static bool hears_of_others(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_SYNC_ALL || insn->op == PTO_OP_WAIT_FLAG_DEV ||
           insn->op == PTO_OP_WAIT_INTRA_BLOCK;
}

static unsigned stores_of(const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    unsigned stores = 0;

    if (sync_is_store(insn))
        return sync_writes(insn, PTO_O_GM) ? CACHED : 0;
    if (info->class != PTO_TILE && info->class != PTO_MACRO)
        return 0;
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_GM && info->operand[i].access & PTO_WRITE)
            stores |= insn->operand[i].gm.rank.kind != PTO_S_NONE || info->class == PTO_MACRO
                          ? OWN | FAR : OWN;
    return stores;
}

/* What an instruction leaves to be published. */
static unsigned opened_by(const struct search *s, const struct pto_insn *insn)
{
    return s->others_store && hears_of_others(insn) ? OWN : stores_of(insn);
}

static bool needs_dsb(const struct search *s, uint32_t at)
{
    const struct pto_insn *insn = &s->core->code.insn[at];

    if (!publish_tells(insn))
        return false;
    if (insn->op == PTO_OP_TNOTIFY)
        return s->open[at] != 0;
    return s->open[at] & (CACHED | BACK | (s->anyone_notifies ? FAR : 0));
}

/* What is left behind an instruction.  A dcci with an element may leave stores in the cache: flow.c
 * looks at that. */
static unsigned behind(const struct search *s, uint32_t at)
{
    const struct pto_insn *insn = &s->core->code.insn[at];
    unsigned open = s->dsb[at] ? 0 : s->open[at];

    if (insn->op == PTO_OP_DSB)
        open &= CACHED;
    else if ((insn->op == PTO_OP_DCCI || insn->op == PTO_OP_DCCI_AT) && open & CACHED)
        open = (open & ~(unsigned)CACHED) | BACK;
    return open | opened_by(s, insn);
}

static void look_at_kernel(struct search *s, const struct pto_kernel *kernel)
{
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        for (uint32_t i = 0; kernel->core[kind].present && i < kernel->core[kind].code.insns; i++) {
            const struct pto_insn *insn = &kernel->core[kind].code.insn[i];

            s->others_store = s->others_store || stores_of(insn);
            s->anyone_notifies = s->anyone_notifies || insn->op == PTO_OP_TNOTIFY;
        }
}

/* False: it was known already. */
static bool carry(struct search *s, uint32_t to, unsigned open)
{
    bool news = open & ~(unsigned)s->open[to];

    s->open[to] |= (uint8_t)open;
    return news;
}

/* True: another turn may say more. */
static bool go_through(struct search *s)
{
    bool again = false;

    for (uint32_t at = 0; at < s->core->code.insns; at++) {
        int64_t target = blocks_target(s->core, at);
        unsigned open = behind(s, at);

        if (target >= 0 && carry(s, (uint32_t)target, open) && target <= at)
            again = true;
        if (!blocks_leaves(s->core, at))
            carry(s, at + 1, open);
    }
    return again;
}

static bool opens(const struct search *s, const struct block *block)
{
    for (uint32_t at = block->start; at < block->end; at++)
        if (opened_by(s, &s->core->code.insn[at]))
            return true;
    return false;
}

/* The outermost loop round `at` that stores nothing itself, NULL: none. */
static const struct block *quiet_loop(const struct search *s, uint32_t at)
{
    const struct block *found = NULL;

    for (uint32_t b = s->blocks.of[at]; s->blocks.block[b].parent != b;
         b = s->blocks.block[b].parent) {
        const struct block *block = &s->blocks.block[b];

        if (block->opaque || opens(s, block))
            break;
        if (block->loop)
            found = block;
    }
    return found;
}

static void put_in(struct search *s, uint32_t at)
{
    const struct block *loop = quiet_loop(s, at);
    unsigned cache = s->open[at] & CACHED ? PUBLISH_CACHE : 0;

    if (loop && !s->dsb[loop->first])
        s->dsb[loop->first] = (uint8_t)(
            cache | (loop->first == loop->start ? PUBLISH_BEFORE_LOOP : PUBLISH_HERE));
    else
        s->dsb[at] = (uint8_t)(cache | PUBLISH_HERE);
}

/* False: nothing is missing. */
static bool put_in_one(struct search *s)
{
    for (uint32_t at = 0; at < s->core->code.insns; at++)
        if (!s->dsb[at] && s->blocks.live[at] && needs_dsb(s, at)) {
            put_in(s, at);
            return true;
        }
    return false;
}

uint8_t *publish_find(const struct pto_kernel *kernel, const struct pto_core_code *core)
{
    size_t count = (size_t)core->code.insns + 1;
    struct search s = {.core = core, .open = pto_xmalloc(count), .dsb = pto_xcalloc(count, 1)};

    look_at_kernel(&s, kernel);
    blocks_find(&s.blocks, core);
    do {
        memset(s.open, 0, count);
        while (go_through(&s))
            continue;
    } while (put_in_one(&s));
    blocks_free(&s.blocks);
    free(s.open);
    return s.dsb;
}
