#include "sync/line.h"

#include "arithmetic.h"
#include "dtype.h"

enum {
    LINE_BYTES = 64,
    MOST_STEPS = 4, /* instructions that an index is followed through */
    MOST_WAY = 64   /* instructions from a store to its dcci */
};

static const struct pto_gm_ref *element_of(const struct pto_insn *insn)
{
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_GM)
            return &insn->operand[i].gm;
    return NULL;
}

/* Does it keep one value during a launch? */
static bool is_fixed(const struct order *o, const struct pto_scalar *scalar)
{
    return scalar->kind != PTO_S_REG || !o->assigned[scalar->reg];
}

/* Of scalars that are read at two places of one straight way: are they one value?  Registers are if
 * they are computed alike. */
static bool is_same(const struct order *o, uint32_t first, const struct pto_scalar *x,
                    uint32_t second, const struct pto_scalar *y, unsigned steps)
{
    const struct pto_insn *a, *b;
    int64_t from, to;

    if (x->kind != PTO_S_REG || y->kind != PTO_S_REG)
        return pto_scalar_same(x, y);
    if (x->reg == y->reg && !slots_assigned_in(&o->slots, x->reg, first, second))
        return true;
    from = slots_assigned_before(&o->slots, first, x->reg);
    to = slots_assigned_before(&o->slots, second, y->reg);
    if (from < 0 || to < 0 || !steps)
        return false;
    a = &o->core->code.insn[from];
    b = &o->core->code.insn[to];
    if (a->op != b->op || a->operands != b->operands ||
        !(a->op == PTO_OP_MOV || pto_arith_is(a->op)))
        return false;
    for (unsigned i = 1; i < a->operands; i++)
        if (!is_same(o, (uint32_t)from, &a->operand[i].scalar, (uint32_t)to,
                     &b->operand[i].scalar, steps - 1))
            return false;
    return true;
}

/* Does every execution of `from` come to `to` soon, and nobody else? */
static bool is_straight(const struct order *o, uint32_t from, uint32_t to)
{
    if (to - from > MOST_WAY)
        return false;
    for (uint32_t at = from; at < to; at++)
        if (blocks_target(o->core, at) >= 0 || blocks_leaves(o->core, at) || o->joins[at + 1])
            return false;
    return from < to;
}

/* Literal indices of one dimension, in one line? */
static bool is_near(const struct order *o, const struct pto_gm_ref *x, const struct pto_gm_ref *y)
{
    const struct pto_object *object = &o->touch.kernel->object[x->object];
    int64_t size = pto_dtype_size(object->dtype);

    return object->dims == 1 && object->base == PTO_NONE && x->index[0].kind == PTO_S_INT &&
           y->index[0].kind == PTO_S_INT &&
           x->index[0].i * size / LINE_BYTES == y->index[0].i * size / LINE_BYTES;
}

/* Does a dcci at `at` mean the line of `access`, whichever of the two comes first? */
static bool is_line_of(const struct order *o, uint32_t access, uint32_t at, bool behind)
{
    const struct pto_insn *insn = &o->core->code.insn[at];
    const struct pto_gm_ref *x = element_of(&o->core->code.insn[access]), *y = element_of(insn);
    uint32_t first = behind ? access : at, second = behind ? at : access;
    bool fixed = true;

    if (insn->op != PTO_OP_DCCI_AT || insn->operand[1].value == PTO_CACHE_ALL)
        return insn->op == PTO_OP_DCCI || insn->op == PTO_OP_DCCI_AT;
    if (!x || !y || x->object != y->object || x->rank.kind != PTO_S_NONE ||
        x->indices != y->indices)
        return false;
    if (is_near(o, x, y))
        return true;
    for (unsigned i = 0; i < x->indices; i++)
        fixed = fixed && pto_scalar_same(&x->index[i], &y->index[i]) && is_fixed(o, &x->index[i]);
    if (fixed || !is_straight(o, first, second))
        return fixed;
    for (unsigned i = 0; i < x->indices; i++)
        if (!is_same(o, first, &(behind ? x : y)->index[i], second, &(behind ? y : x)->index[i],
                     MOST_STEPS))
            return false;
    return true;
}

bool line_is_back(const struct order *o, uint32_t store, uint32_t at)
{
    return is_line_of(o, store, at, true);
}

bool line_is_fresh(const struct order *o, uint32_t at, uint32_t load)
{
    return is_line_of(o, load, at, false);
}
