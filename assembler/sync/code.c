#include "sync/code.h"

#include <stdlib.h>
#include <string.h>

bool sync_is_own(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_SET_FLAG || insn->op == PTO_OP_WAIT_FLAG ||
           insn->op == PTO_OP_PIPE_BARRIER || insn->op == PTO_OP_TSYNC;
}

void sync_begin(struct sync_code *code, struct pto_module *module, struct pto_core_code *core)
{
    *code = (struct sync_code){.module = module, .core = core};
    code->moved = pto_xcalloc((size_t)core->code.insns + 1, sizeof *code->moved);
    code->lands = pto_xcalloc((size_t)core->code.insns + 1, sizeof *code->lands);
}

void sync_at(struct sync_code *code, uint32_t at)
{
    code->moved[at] = code->insns;
}

void sync_land(struct sync_code *code, uint32_t from)
{
    code->lands[from] = code->insns;
}

static void emit(struct sync_code *code, const struct pto_insn *insn, uint32_t from)
{
    PTO_GROW(code->from, code->insns, code->from_room);
    PTO_GROW(code->insn, code->insns, code->capacity);
    code->from[code->insns] = from;
    code->insn[code->insns++] = *insn;
}

void sync_emit(struct sync_code *code, const struct pto_insn *insn)
{
    emit(code, insn, 0);
}

void sync_emit_from(struct sync_code *code, const struct pto_insn *insn, uint32_t from)
{
    emit(code, insn, from + 1);
}

static struct pto_insn new_insn(struct sync_code *code, unsigned op, uint32_t pos,
                                unsigned operands)
{
    struct pto_insn insn = {.op = (uint16_t)op, .operands = (uint8_t)operands, .pos = pos};

    insn.operand = pto_arena_array(&code->module->arena, operands, sizeof *insn.operand);
    return insn;
}

void sync_barrier(struct sync_code *code, uint32_t pos, unsigned pipe)
{
    struct pto_insn insn = new_insn(code, PTO_OP_PIPE_BARRIER, pos, 1);

    insn.operand[0] = (struct pto_operand){.kind = PTO_O_ENUM, .value = pipe};
    sync_emit(code, &insn);
}

void sync_drop_cache(struct sync_code *code, uint32_t pos)
{
    struct pto_insn dcci = new_insn(code, PTO_OP_DCCI, pos, 1);

    dcci.operand[0] = (struct pto_operand){.kind = PTO_O_ENUM, .value = PTO_CACHE_ALL};
    sync_emit(code, &dcci);
}

void sync_dsb(struct sync_code *code, uint32_t pos)
{
    struct pto_insn dsb = new_insn(code, PTO_OP_DSB, pos, 0);

    sync_emit(code, &dsb);
}

void sync_fence(struct sync_code *code, uint32_t pos)
{
    sync_drop_cache(code, pos);
    sync_dsb(code, pos);
}

void sync_flag(struct sync_code *code, uint32_t pos, unsigned op, unsigned from, unsigned to,
               struct pto_scalar event)
{
    struct pto_insn insn = new_insn(code, op, pos, 3);

    insn.operand[0] = (struct pto_operand){.kind = PTO_O_ENUM, .value = from};
    insn.operand[1] = (struct pto_operand){.kind = PTO_O_ENUM, .value = to};
    insn.operand[2] = (struct pto_operand){.kind = PTO_O_SCALAR, .scalar = event};
    sync_emit(code, &insn);
}

/* Where a branch goes now. */
static uint32_t landing(const struct sync_code *code, uint32_t insn, uint32_t target)
{
    uint32_t from = code->from[insn], lands = from ? code->lands[from - 1] : 0;

    return lands ? lands : code->moved[target];
}

void sync_end(struct sync_code *code)
{
    struct pto_core_code *core = code->core;
    struct pto_insn *insn = pto_arena_array(&code->module->arena, code->insns, sizeof *insn);

    code->moved[core->code.insns] = code->insns;
    memcpy(insn, code->insn, code->insns * sizeof *insn);
    core->code.insn = insn;
    core->code.insns = code->insns;
    for (uint32_t i = 0; i < core->code.insns; i++)
        for (unsigned k = 0; k < insn[i].operands; k++)
            if (insn[i].operand[k].kind == PTO_O_LABEL)
                insn[i].operand[k].value = landing(code, i, insn[i].operand[k].value);
    for (uint32_t i = 0; i < core->labels; i++)
        core->label[i].insn = code->moved[core->label[i].insn];
    free(code->insn);
    free(code->from);
    free(code->moved);
    free(code->lands);
}
