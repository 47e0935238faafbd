#include "sync/slots.h"

#include <string.h>

int slots_assigned(const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    unsigned kind = info->operands ? info->operand[0].kind : PTO_K_NONE;

    if (kind != PTO_K_INT_REG && kind != PTO_K_FLOAT_REG && kind != PTO_K_ANY_REG)
        return -1;
    return insn->operand[0].scalar.reg;
}

bool slots_kills(const struct slot *slot, const struct pto_insn *insn)
{
    int reg = slots_assigned(insn);

    for (unsigned i = 0; i < slot->leaves; i++)
        if (reg == slot->leaf[i])
            return true;
    return false;
}

static bool is_temporary(const struct pto_core_code *core, unsigned reg)
{
    return core->code.reg[reg].name[0] == '_';
}

bool slots_assigned_in(const struct slots *slots, unsigned reg, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at < to; at++)
        if (slots_assigned(&slots->core->code.insn[at]) == (int)reg)
            return true;
    return false;
}

int64_t slots_assigned_before(const struct slots *slots, uint32_t at, unsigned reg)
{
    while (at > 0 && !slots->joins[at]) {
        const struct pto_insn *insn = &slots->core->code.insn[--at];

        if (slots_assigned(insn) == (int)reg)
            return pto_op_info(insn->op)->class == PTO_SCALAR ? (int64_t)at : -1;
    }
    return -1;
}

static bool add_leaf(struct slot *slot, unsigned reg)
{
    for (unsigned i = 0; i < slot->leaves; i++)
        if (slot->leaf[i] == reg)
            return true;
    if (slot->leaves == SYNC_LEAVES)
        return false;
    slot->leaf[slot->leaves++] = (uint16_t)reg;
    return true;
}

/* The expression as the steps that compute `reg` before instruction `at`: those in temporaries,
 * one of them in each step. */
static bool read_steps(const struct slots *slots, uint32_t at, unsigned reg, struct slot *slot)
{
    const struct pto_insn *insn;
    int64_t from;
    int inner = -1;

    if (!is_temporary(slots->core, reg))
        return add_leaf(slot, reg);
    from = slots_assigned_before(slots, at, reg);
    if (from < 0)
        return false;
    insn = &slots->core->code.insn[from];
    for (unsigned i = 1; i < insn->operands; i++) {
        const struct pto_operand *operand = &insn->operand[i];

        if (operand->kind != PTO_O_SCALAR)
            return false;
        if (operand->scalar.kind != PTO_S_REG)
            continue;
        if (!is_temporary(slots->core, operand->scalar.reg)) {
            if (!add_leaf(slot, operand->scalar.reg))
                return false;
        } else if (inner >= 0 && inner != operand->scalar.reg) {
            return false;
        } else {
            inner = operand->scalar.reg;
        }
    }
    if (inner >= 0 && !read_steps(slots, (uint32_t)from, (unsigned)inner, slot))
        return false;
    if (slot->steps == SYNC_STEPS)
        return false;
    slot->step[slot->steps++] = *insn;
    return true;
}

/* Alike in what they compute; temporaries may have other names. */
static bool same_step(const struct slots *slots, const struct pto_insn *a,
                      const struct pto_insn *b)
{
    if (a->op != b->op || a->operands != b->operands)
        return false;
    for (unsigned i = 1; i < a->operands; i++) {
        const struct pto_scalar *x = &a->operand[i].scalar, *y = &b->operand[i].scalar;
        bool inner = x->kind == PTO_S_REG && y->kind == PTO_S_REG &&
                     is_temporary(slots->core, x->reg) && is_temporary(slots->core, y->reg);

        if (!inner && !pto_scalar_same(x, y))
            return false;
    }
    return true;
}

static bool same_slot(const struct slots *slots, const struct slot *a, const struct slot *b)
{
    if (a->steps != b->steps || a->leaves != b->leaves ||
        memcmp(a->leaf, b->leaf, a->leaves * sizeof *a->leaf) != 0)
        return false;
    for (unsigned i = 0; i < a->steps; i++)
        if (!same_step(slots, &a->step[i], &b->step[i]))
            return false;
    return true;
}

unsigned slots_of(struct slots *slots, uint32_t at, const struct pto_tile_ref *ref)
{
    const struct pto_tile *tile = &slots->core->tile[ref->tile];
    struct slot slot = {.count = 0};

    while (tile->parent != PTO_NONE)
        tile = &slots->core->tile[tile->parent];
    if (ref->slot.kind != PTO_S_REG || tile->slots > PTO_EVENT_LIMIT ||
        !read_steps(slots, at, ref->slot.reg, &slot))
        return SYNC_NO_SLOT;
    slot.result = ref->slot.reg;
    slot.count = tile->slots;
    for (unsigned i = 1; i <= slots->slots; i++)
        if (slots->slot[i].kind == SLOT_CHOICE && slots->slot[i].count == slot.count &&
            same_slot(slots, &slots->slot[i], &slot))
            return i;
    if (slots->slots == SYNC_SLOTS)
        return SYNC_NO_SLOT;
    slots->slot[++slots->slots] = slot;
    return slots->slots;
}

unsigned slots_of_place(struct slots *slots, uint16_t reg)
{
    struct slot slot = {.kind = SLOT_PLACE, .leaf = {reg}, .leaves = 1, .result = reg};

    for (unsigned i = 1; i <= slots->slots; i++)
        if (slots->slot[i].kind == SLOT_PLACE && slots->slot[i].leaf[0] == reg)
            return i;
    if (slots->slots + 2 > SYNC_SLOTS)
        return SYNC_NO_SLOT;
    slots->slot[++slots->slots] = slot;
    slot.kind = SLOT_BEFORE;
    slots->slot[++slots->slots] = slot;
    return slots->slots - 1;
}

static void emit_scalar(struct sync_code *code, uint32_t pos, const struct pto_insn *like,
                        uint16_t into, bool chained)
{
    struct pto_insn insn = *like;

    insn.pos = pos;
    insn.operand = pto_arena_array(&code->module->arena, like->operands, sizeof *insn.operand);
    memcpy(insn.operand, like->operand, like->operands * sizeof *insn.operand);
    insn.operand[0].scalar.reg = into;
    for (unsigned i = 1; chained && i < insn.operands; i++) {
        struct pto_scalar *scalar = &insn.operand[i].scalar;

        if (scalar->kind == PTO_S_REG && is_temporary(code->core, scalar->reg))
            scalar->reg = into;
    }
    sync_emit(code, &insn);
}

void slots_emit(const struct slot *slot, struct sync_code *code, uint32_t pos, uint16_t into,
                unsigned base)
{
    struct pto_operand sum[3] = {
        {.kind = PTO_O_SCALAR, .scalar = {.kind = PTO_S_REG, .reg = into}},
        {.kind = PTO_O_SCALAR, .scalar = {.kind = PTO_S_REG, .reg = into}},
        {.kind = PTO_O_SCALAR, .scalar = {.kind = PTO_S_INT, .i = base}}};
    const struct pto_insn add = {.op = PTO_OP_IADD, .operands = 3, .operand = sum};

    for (unsigned i = 0; i < slot->steps; i++)
        emit_scalar(code, pos, &slot->step[i], into, true);
    if (!slot->steps)
        sum[1].scalar.reg = slot->leaf[0];
    if (!slot->steps || base)
        emit_scalar(code, pos, &add, into, false);
}

