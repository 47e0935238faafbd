/* What instructions take of their tiles.  The words of an entry decide it, and mostly they come
 * again: so what they have come to is kept. */
#ifndef PTO_CHECK_PLAN_H
#define PTO_CHECK_PLAN_H

#include "check/internal.h"

enum { PLAN_WORDS = 6, PLAN_USES = 6, PLANS_KEPT = 256 };

/* A use of an operand: of these bytes of its space through this tile (struct touch). */
struct plan_use {
    uint32_t offset, length; /* length 0: it has to be asked for */
    uint32_t tile;
    uint8_t operand, space;
    bool write;
};

/* All uses of an instruction, in their order. */
struct plan {
    const struct ready_op *op;
    uint64_t word[PLAN_WORDS];
    uint16_t decide; /* a bit for each word of the entry that decides */
    uint8_t uses;    /* 0: there is no plan */
    struct plan_use use[PLAN_USES];
};

/* plan.c: fill in the plan of the entry, whose operands are `args`. */
void plan_make(struct plan *plan, const struct core *core, const struct entry *entry,
               const struct op_args *args);

static inline bool plan_fits(const struct plan *plan, const struct entry *entry)
{
    const uint64_t *word = plan->word;

    if (plan->op != entry->op)
        return false;
    for (uint32_t left = plan->decide; left; left &= left - 1)
        if (entry->word[__builtin_ctz(left)] != *word++)
            return false;
    return true;
}

static inline const struct plan *plan_of(struct pto_check *check, const struct core *core,
                                         const struct entry *entry, const struct op_args *args)
{
    uint64_t name = (uintptr_t)entry->op / sizeof(struct ready_operand) ^ entry->word[0] / 32;
    struct plan *plan = &check->plan[name % PLANS_KEPT];

    if (!plan_fits(plan, entry))
        plan_make(plan, core, entry, args);
    return plan;
}

#endif
