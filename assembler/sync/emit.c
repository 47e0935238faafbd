#include <string.h>

#include "sync/order.h"

/* A register of the program's own for each sync that needs one. */
static void add_registers(struct order *o, struct pto_module *module)
{
    struct pto_code *code = &o->core->code;
    struct pto_register *reg =
        pto_arena_array(&module->arena, (size_t)code->regs + o->syncs, sizeof *reg);

    memcpy(reg, code->reg, code->regs * sizeof *reg);
    for (uint32_t c = 0; c < o->syncs; c++) {
        struct sync *sync = &o->sync[c];

        if (sync->off || !order_keeps_event(o, sync))
            continue;
        sync->reg = (uint16_t)code->regs;
        reg[code->regs++].name = pto_arena_printf(&module->arena, "_event%u", (unsigned)c);
    }
    code->reg = reg;
}

static void emit_flags(const struct order *o, struct sync_code *code, const struct mark *mark,
                       unsigned op)
{
    const struct sync *sync = &o->sync[mark->sync];
    unsigned count = sync->slot ? o->slots.slot[sync->slot].count : 1;

    for (unsigned i = 0; i < count; i++)
        sync_flag(code, mark->pos, op, sync->from, sync->to,
                  (struct pto_scalar){.kind = PTO_S_INT, .i = sync->event + i});
}

/* The event of a slot is computed where the token is taken, of a pair where it is set. */
static void emit_flag(const struct order *o, struct sync_code *code, const struct mark *mark,
                      unsigned op)
{
    const struct sync *sync = &o->sync[mark->sync];
    const struct slot *slot = &o->slots.slot[sync->slot];
    struct pto_scalar event = {.kind = PTO_S_REG, .reg = sync->reg};

    if (!sync->slot) {
        emit_flags(o, code, mark, op);
        return;
    }
    if (!sync->reg)
        event.reg = slot->leaf[0];
    else if ((op == PTO_OP_WAIT_FLAG) == (sync->kind == SYNC_CHANNEL))
        slots_emit(slot, code, mark->pos, sync->reg, sync->event);
    sync_flag(code, mark->pos, op, sync->from, sync->to, event);
}

static void emit_mark(const struct order *o, struct sync_code *code, const struct mark *mark)
{
    if (o->sync[mark->sync].off)
        return;
    switch (mark->kind) {
    case MARK_BARRIER:
        if (o->sync[mark->sync].to == PTO_PIPE_S)
            sync_fence(code, mark->pos);
        else
            sync_barrier(code, mark->pos, o->sync[mark->sync].to);
        break;
    case MARK_INIT:
        emit_flags(o, code, mark, PTO_OP_SET_FLAG);
        break;
    case MARK_DRAIN:
        emit_flags(o, code, mark, PTO_OP_WAIT_FLAG);
        break;
    default:
        emit_flag(o, code, mark,
                  mark->kind == MARK_SET ? PTO_OP_SET_FLAG : PTO_OP_WAIT_FLAG);
    }
}

/* Branches that come in front of a mark go there. */
static void land(const struct order *o, struct sync_code *code, uint32_t first, uint32_t mark)
{
    uint32_t at = o->mark[mark].at;

    for (uint32_t from = o->comes[at]; from != SYNC_NOWHERE; from = o->comes_next[from])
        if (order_comes_at(o, at, first, mark, from))
            sync_land(code, from);
}

/* An `end` in the middle goes to where what is still pending is taken out. */
static void emit_insn(const struct order *o, struct sync_code *code, uint32_t at)
{
    const struct pto_insn *insn = &o->core->code.insn[at];
    struct pto_insn jump = {.op = PTO_OP_JUMP, .operands = 1, .pos = insn->pos};
    uint32_t last = o->core->code.insns - 1;

    if (o->stale[at])
        sync_drop_cache(code, insn->pos);
    if (insn->op != PTO_OP_END || at == last || order_first_mark(o, last) == o->marks) {
        sync_emit_from(code, insn, at);
        return;
    }
    jump.operand = pto_arena_array(&code->module->arena, 1, sizeof *jump.operand);
    jump.operand[0] = (struct pto_operand){.kind = PTO_O_LABEL, .value = last};
    sync_emit_from(code, &jump, at);
}

void order_emit(struct order *o, struct pto_module *module)
{
    struct sync_code code;
    uint32_t mark = 0;

    add_registers(o, module);
    sync_begin(&code, module, o->core);
    for (uint32_t at = 0; at < o->core->code.insns; at++) {
        for (uint32_t first = mark; mark < o->marks && o->mark[mark].at == at; mark++) {
            land(o, &code, first, mark);
            emit_mark(o, &code, &o->mark[mark]);
        }
        sync_at(&code, at);
        emit_insn(o, &code, at);
    }
    sync_end(&code);
}
