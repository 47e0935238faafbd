#include "check/plan.h"

#include "machine/effect.h"

/* A word that decides; false: there is no room for it. */
static bool add_word(struct plan *plan, const struct entry *entry, unsigned number)
{
    unsigned words = (unsigned)__builtin_popcount(plan->decide);

    if (words == PLAN_WORDS)
        return false;
    plan->decide |= (uint16_t)(1u << number);
    plan->word[words] = entry->word[number];
    return true;
}

/* Regions decide what operands take of each other, and addresses where. */
static bool add_words(struct plan *plan, const struct entry *entry)
{
    const struct ready_op *op = entry->op;
    uint32_t decide = 0;

    for (unsigned i = 0; i < op->operands; i++) {
        const struct ready_operand *operand = &op->operand[i];

        if (operand->kind == PTO_O_TILE)
            decide |= (operand->has_offset ? 3u : 1u) << operand->word;
        else if (operand->kind == PTO_O_GM)
            decide |= 1u << (operand->word + GM_EXTENT);
    }
    for (; decide; decide &= decide - 1)
        if (!add_word(plan, entry, (unsigned)__builtin_ctz(decide)))
            return false;
    return true;
}

static bool add_use(struct plan *plan, const struct core *core, const struct op_args *args,
                    unsigned i, bool write)
{
    const struct ready_operand *operand = &plan->op->operand[i];
    const unsigned space = operand->view.space;
    struct plan_use *use = &plan->use[plan->uses];
    struct effect_pieces piece;

    if (plan->uses == PLAN_USES)
        return false;
    plan->uses++;
    *use = (struct plan_use){.operand = (uint8_t)i, .write = write};
    if (operand->kind != PTO_O_TILE || operand->abroad || core->ready->tiles_move[space] ||
        !effect_is_piece(plan->op, args, i, &piece))
        return true;
    use->space = (uint8_t)space;
    use->tile = operand->root + 1;
    use->offset = (uint32_t)((uint64_t)(args->arg[i].view.data - core->chip->data[space]) +
                             piece.offset);
    use->length = (uint32_t)piece.length;
    return true;
}

static bool add_uses(struct plan *plan, const struct core *core, const struct op_args *args)
{
    for (unsigned i = 0; i < plan->op->operands; i++)
        if (plan->op->reads >> i & 1 && !add_use(plan, core, args, i, false))
            return false;
    for (unsigned i = 0; i < plan->op->operands; i++)
        if (plan->op->writes >> i & 1 && !add_use(plan, core, args, i, true))
            return false;
    return true;
}

/* Whether a product reads what it adds to depends on a scalar. */
void plan_make(struct plan *plan, const struct core *core, const struct entry *entry,
               const struct op_args *args)
{
    *plan = (struct plan){.op = entry->op};
    if (entry->op->insn->op != PTO_OP_TMMAD && add_words(plan, entry) &&
        add_uses(plan, core, args))
        return;
    *plan = (struct plan){.op = entry->op};
}
