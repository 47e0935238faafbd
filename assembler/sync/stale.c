#include "sync/stale.h"

#include <stdlib.h>
#include <string.h>

#include "sync/line.h"

static uint32_t root_of(const struct pto_kernel *kernel, uint32_t object)
{
    while (kernel->object[object].base != PTO_NONE)
        object = (uint32_t)kernel->object[object].base;
    return object;
}

static bool insn_writes(const struct pto_kernel *kernel, const struct pto_insn *insn,
                        uint32_t root)
{
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_GM &&
            pto_op_info(insn->op)->operand[i].access & PTO_WRITE &&
            root_of(kernel, insn->operand[i].gm.object) == root)
            return true;
    return false;
}

static bool kernel_writes(const struct pto_kernel *kernel, uint32_t root)
{
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        for (uint32_t i = 0; kernel->core[kind].present && i < kernel->core[kind].code.insns; i++)
            if (insn_writes(kernel, &kernel->core[kind].code.insn[i], root))
                return true;
    return false;
}

/* A load of S from global memory, NULL: none. */
static const struct pto_gm_ref *loaded(const struct pto_insn *insn)
{
    if (pto_op_info(insn->op)->class != PTO_ACCESS || sync_writes(insn, PTO_O_GM))
        return NULL;
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_GM)
            return &insn->operand[i].gm;
    return NULL;
}

bool stale_is_load(const struct pto_kernel *kernel, const struct pto_insn *insn)
{
    const struct pto_gm_ref *from = loaded(insn);

    return from && kernel_writes(kernel, root_of(kernel, from->object));
}

/* May what others have written be there behind it? */
static bool lets_in(const struct pto_insn *insn)
{
    return pto_op_info(insn->op)->class == PTO_SYNC && !sync_is_own(insn) &&
           insn->op != PTO_OP_DSB && insn->op != PTO_OP_DCCI && insn->op != PTO_OP_DCCI_AT &&
           insn->op != PTO_OP_SET_FLAG_DEV && insn->op != PTO_OP_SET_INTRA_BLOCK &&
           insn->op != PTO_OP_TNOTIFY;
}

static bool is_use(const struct order *o, uint32_t at)
{
    const struct pto_insn *insn = &o->core->code.insn[at];

    return o->blocks.live[at] &&
           (insn->op == PTO_OP_FETCH_ADD || stale_is_load(o->touch.kernel, insn));
}

static bool is_on_pipe(const struct order *o, uint32_t at)
{
    return o->pipe[at] != SYNC_NO_PIPE && o->pipe[at] != PTO_PIPE_S;
}

/* Does S, at `use`, need a dcci behind instruction `at`? */
static bool spoils(const struct order *o, uint32_t at, uint32_t use)
{
    const struct pto_insn *insn = &o->core->code.insn[at];
    bool adds = o->core->code.insn[use].op == PTO_OP_FETCH_ADD;

    if (!o->blocks.live[at])
        return false;
    if (lets_in(insn))
        return !adds;
    if (!sync_writes(insn, PTO_O_GM) || sync_is_store(insn) != adds)
        return false;
    if (o->pipe[at] == SYNC_NO_PIPE)
        return sync_conflict(&o->touch, at, use) != 0;
    return order_kinds(o, o->bit[at], o->bit[use]) != 0;
}

/* Is all of pipes that is awaited at `use` awaited at `other`, too? */
static bool waits_for_more(const struct order *o, uint32_t other, uint32_t use)
{
    for (uint32_t at = 0; at < o->core->code.insns; at++)
        if (is_on_pipe(o, at) && spoils(o, at, use) && !spoils(o, at, other))
            return false;
    return true;
}

/* What is in the way of one use. */
struct way {
    const struct order *order;
    const bool *stale;  /* those before it in the text are known */
    uint32_t use;
    bool pipes;         /* what pipes write, or all else */
    bool *spoiled, *old; /* by instruction: by it; in front of it */
};

/* Is the cache empty behind an instruction?  Waits for pipes are put in next to the use, so that a
 * dcci of the text's own may stand before them. */
static bool is_cleared(const struct way *w, uint32_t at)
{
    if (at == w->use)
        return true;
    if (w->stale[at])
        return !w->pipes || waits_for_more(w->order, at, w->use);
    return !w->pipes && line_is_fresh(w->order, at, w->use);
}

/* True: another turn may say more. */
static bool go_through(const struct way *w)
{
    const struct order *o = w->order;
    bool changed = false;

    for (uint32_t at = 0; at < o->core->code.insns; at++) {
        int64_t target = blocks_target(o->core, at);

        if (!w->spoiled[at] && (!w->old[at] || is_cleared(w, at)))
            continue;
        if (target >= 0 && !w->old[target])
            changed = w->old[target] = true;
        if (!blocks_leaves(o->core, at))
            w->old[at + 1] = true;
    }
    return changed;
}

static bool is_stale(const struct way *w)
{
    const struct order *o = w->order;
    bool any = false;

    memset(w->old, 0, (size_t)o->core->code.insns + 1);
    for (uint32_t at = 0; at < o->core->code.insns; at++) {
        w->spoiled[at] = is_on_pipe(o, at) == w->pipes && spoils(o, at, w->use);
        any = any || w->spoiled[at];
    }
    while (any && go_through(w))
        continue;
    return w->old[w->use];
}

bool *stale_find(const struct order *o)
{
    size_t count = (size_t)o->core->code.insns + 1;
    bool *stale = pto_xcalloc(count, 1), *spoiled = pto_xcalloc(count, 1);
    struct way way = {.order = o, .stale = stale, .spoiled = spoiled,
                      .old = pto_xcalloc(count, 1)};

    for (way.use = 0; way.use < o->core->code.insns; way.use++) {
        if (!is_use(o, way.use))
            continue;
        for (unsigned pipes = 0; pipes < 2; pipes++) {
            way.pipes = pipes;
            stale[way.use] = stale[way.use] || is_stale(&way);
        }
    }
    free(spoiled);
    free(way.old);
    return stale;
}
