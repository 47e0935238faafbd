#include "sync/place.h"

#include <string.h>

#include "sync/touch.h"

static bool is_reg(const struct pto_operand *operand, uint16_t reg)
{
    return operand->kind == PTO_O_SCALAR && operand->scalar.kind == PTO_S_REG &&
           operand->scalar.reg == reg;
}

bool place_grows(const struct pto_insn *insn, uint16_t reg)
{
    return insn->op == PTO_OP_IADD && is_reg(&insn->operand[0], reg) &&
           is_reg(&insn->operand[1], reg) && !is_reg(&insn->operand[2], reg);
}

static int64_t least_of_reg(const struct pto_core_code *core, uint16_t reg);

/* A number that the scalar is not below, if it is positive for certain; else 0. */
static int64_t least(const struct pto_core_code *core, const struct pto_scalar *scalar)
{
    if (scalar->kind == PTO_S_INT)
        return scalar->i > 0 ? scalar->i : 0;
    if (scalar->kind == PTO_S_SYS)
        return scalar->reg == PTO_SYS_BLOCK_NUM || scalar->reg == PTO_SYS_SUB_NUM ||
               scalar->reg == PTO_SYS_VEC_COUNT || scalar->reg == PTO_SYS_NRANKS;
    return scalar->kind == PTO_S_REG ? least_of_reg(core, scalar->reg) : 0;
}

/* The same of a register that is only ever assigned products of such numbers with literals. */
static int64_t least_of_reg(const struct pto_core_code *core, uint16_t reg)
{
    int64_t smallest = 0;

    for (uint32_t at = 0; at < core->code.insns; at++) {
        const struct pto_insn *insn = &core->code.insn[at];
        const struct pto_scalar *a, *b;
        int64_t value;

        if (slots_assigned(insn) != (int)reg)
            continue;
        if (insn->op != PTO_OP_IMUL)
            return 0;
        a = &insn->operand[1].scalar;
        b = &insn->operand[2].scalar;
        if (a->kind == PTO_S_REG || b->kind == PTO_S_REG)
            return 0;
        value = least(core, a) < INT32_MAX && least(core, b) < INT32_MAX
                    ? least(core, a) * least(core, b)
                    : 0;
        if (!value)
            return 0;
        if (!smallest || value < smallest)
            smallest = value;
    }
    return smallest;
}

void place_find_steps(const struct pto_core_code *core, int64_t steps[PTO_MAX_REGISTERS])
{
    bool grows[PTO_MAX_REGISTERS] = {false};

    memset(steps, 0, PTO_MAX_REGISTERS * sizeof *steps);
    for (uint32_t at = 0; at < core->code.insns; at++) {
        const struct pto_insn *insn = &core->code.insn[at];
        int reg = slots_assigned(insn);
        int64_t step;

        if (reg < 0 || !place_grows(insn, (uint16_t)reg))
            continue;
        step = least(core, &insn->operand[2].scalar);
        if (!grows[reg] || step < steps[reg])
            steps[reg] = step;
        grows[reg] = true;
    }
}

/* Most rows, or columns, of the window of a load or store; 0: not known. */
static uint32_t extent(const struct pto_core_code *core, const struct pto_insn *insn,
                       const struct pto_gm_ref *ref, bool rows)
{
    const struct pto_tile_ref *tile;
    const struct pto_scalar *own = rows ? &ref->rows : &ref->cols;

    if (own->kind == PTO_S_INT && own->i >= 0 && own->i <= PTO_MAX_TILE_SIDE)
        return (uint32_t)own->i;
    if (own->kind != PTO_S_NONE || (insn->op != PTO_OP_TLOAD && insn->op != PTO_OP_TSTORE))
        return 0;
    tile = &insn->operand[insn->op == PTO_OP_TLOAD ? 0 : 1].tile;
    own = rows ? &tile->rows : &tile->cols;
    if (own->kind == PTO_S_INT && own->i >= 0 && own->i <= PTO_MAX_TILE_SIDE)
        return (uint32_t)own->i;
    return rows ? core->tile[tile->tile].rows : core->tile[tile->tile].cols;
}

static const struct pto_scalar *index_of(const struct pto_gm_ref *ref, unsigned dim)
{
    static const struct pto_scalar start = {.kind = PTO_S_INT};

    return ref->indices ? &ref->index[dim] : &start;
}

/* Does S load an element?  What it stores is written back by lines, with what is beside it. */
static bool is_element(const struct pto_insn *insn)
{
    return pto_op_info(insn->op)->class == PTO_ACCESS && !sync_writes(insn, PTO_O_GM);
}

/* Extent of a window in a dimension of its object; 0: not known. */
static uint32_t extent_in(const struct pto_core_code *core, const struct pto_insn *insn,
                          const struct pto_gm_ref *ref, unsigned dim, unsigned dims)
{
    if (dim + 2 < dims || is_element(insn))
        return 1;
    if (dim + 1 < dims)
        return extent(core, insn, ref, true);
    return dims > 1 || extent(core, insn, ref, true) == 1 ? extent(core, insn, ref, false) : 0;
}

static bool comparable(const struct pto_kernel *kernel, const struct pto_gm_ref *x,
                       const struct pto_gm_ref *y)
{
    return x->object == y->object && !kernel->object[x->object].strided &&
           x->rank.kind == PTO_S_NONE && y->rank.kind == PTO_S_NONE;
}

static bool is_move(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_TLOAD || insn->op == PTO_OP_TSTORE;
}

enum place_kind place_compare(const struct pto_kernel *kernel, const struct pto_core_code *core,
                              const struct pto_insn *a, const struct pto_gm_ref *x,
                              const struct pto_insn *b, const struct pto_gm_ref *y,
                              const int64_t *steps, uint16_t *reg)
{
    enum place_kind kind = PLACE_ANY;
    unsigned dims = kernel->object[x->object].dims;

    if (!comparable(kernel, x, y) || !(is_move(a) || is_element(a)) ||
        !(is_move(b) || is_element(b)))
        return PLACE_ANY;
    for (unsigned dim = 0; dim < dims; dim++) {
        const struct pto_scalar *i = index_of(x, dim), *k = index_of(y, dim);
        int64_t m = extent_in(core, a, x, dim, dims), n = extent_in(core, b, y, dim, dims);

        if (!m || !n)
            continue;
        if (i->kind == PTO_S_INT && k->kind == PTO_S_INT && i->i >= 0 && k->i >= 0 &&
            (i->i > k->i ? i->i - k->i >= n : k->i - i->i >= m))
            return PLACE_APART;
        if (is_move(a) && is_move(b) && i->kind == PTO_S_REG && pto_scalar_same(i, k) &&
            steps[i->reg] >= (m > n ? m : n)) {
            kind = PLACE_BY_REGISTER;
            *reg = i->reg;
        }
    }
    return kind;
}
