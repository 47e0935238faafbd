/* Flags put in by a static happens-before, along the text of a program.
 *
 * What is not ordered is found (flow.c) and ordered (plan.c) until nothing is left; then whatever
 * the rest makes unnecessary is left out again (thin.c), and events are given.  As all is judged by
 * the same rules, which look at the flags as they stand, how they were found is of no account to
 * whether they are right. */
#include "sync/order.h"
#include "sync/sync.h"

enum {
    MOST_BITS = 10000, /* instructions on pipes; larger programs are executed in order */
    MOST_ROUNDS = 400  /* of finding and ordering */
};

static bool settle(struct order *o)
{
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        uint32_t marks;

        flow_check(o, NULL);
        if (!o->needs)
            return true;
        marks = o->marks;
        for (uint32_t i = 0; i < o->needs; i++)
            if (!o->need[i].event || o->marks == marks)
                plan_need(o, &o->need[i]);
    }
    return false;
}

static bool holds_work(const struct order *o, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i <= to; i++)
        if (o->pipe[i] != SYNC_NO_PIPE)
            return true;
    return false;
}

/* Nothing is open when a loop without structure begins again, and behind an instruction of several
 * pipes. */
static void complete(struct order *o)
{
    for (uint32_t at = 0; at < o->core->code.insns; at++) {
        int64_t target = blocks_target(o->core, at);

        if (!o->blocks.live[at])
            continue;
        if (pto_op_info(o->core->code.insn[at].op)->class == PTO_MACRO)
            plan_fixed(o, at, true);
        if (target >= 0 && target <= at && o->blocks.block[o->blocks.of[at]].opaque &&
            holds_work(o, (uint32_t)target, at))
            plan_fixed(o, at, false);
    }
}

static bool find_order(struct order *o)
{
    uint32_t kept = 0;

    complete(o);
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        if (!settle(o))
            return false;
        thin_out(o, kept);
        kept = o->syncs;
        if (events_assign(o) && balance_prove(o))
            return true;
    }
    return false;
}

static unsigned on_pipes(const struct pto_profile *profile, const struct pto_core_code *core)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < core->code.insns; i++)
        count += sync_pipe(profile, core, &core->code.insn[i]) != SYNC_NO_PIPE;
    return count;
}

static void order_core(struct pto_module *module, const struct pto_profile *profile,
                       const struct pto_kernel *kernel, struct pto_core_code *core, bool publish)
{
    unsigned how = publish ? SYNC_PUBLISH : SYNC_BARE;
    struct order order;
    bool found;

    if (on_pipes(profile, core) > MOST_BITS) {
        sync_rewrite(module, kernel, core, SYNC_IN_ORDER | how);
        return;
    }
    sync_rewrite(module, kernel, core, how);
    order_begin(&order, profile, kernel, core, publish);
    found = find_order(&order);
    if (found)
        order_emit(&order, module);
    order_free(&order);
    if (!found)
        sync_rewrite(module, kernel, core, SYNC_IN_ORDER | how);
}

void sync_automatic(struct pto_module *module, const struct pto_profile *profile, bool publish)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            if (module->kernel[k].core[kind].present)
                order_core(module, profile, &module->kernel[k], &module->kernel[k].core[kind],
                           publish);
}
