#include "sync/sync.h"

#include <stdlib.h>

static bool is_sync(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_SET_FLAG || insn->op == PTO_OP_WAIT_FLAG ||
           insn->op == PTO_OP_PIPE_BARRIER || insn->op == PTO_OP_TSYNC;
}

static bool runs_on_pipe(const struct pto_insn *insn)
{
    enum pto_class class = pto_op_info(insn->op)->class;

    return class == PTO_TILE || class == PTO_MACRO;
}

static struct pto_insn barrier(struct pto_module *module, uint32_t pos)
{
    struct pto_insn insn = {.op = PTO_OP_PIPE_BARRIER, .operands = 1, .pos = pos};

    insn.operand = pto_arena_array(&module->arena, 1, sizeof *insn.operand);
    insn.operand[0] = (struct pto_operand){.kind = PTO_O_ENUM, .value = PTO_PIPE_ALL};
    return insn;
}

/* Branch targets and labels: where what stood there stands now. */
static void move_targets(struct pto_core_code *core, const uint32_t *moved)
{
    for (uint32_t i = 0; i < core->code.insns; i++) {
        struct pto_insn *insn = &core->code.insn[i];

        for (unsigned k = 0; k < insn->operands; k++)
            if (insn->operand[k].kind == PTO_O_LABEL)
                insn->operand[k].value = moved[insn->operand[k].value];
    }
    for (uint32_t i = 0; i < core->labels; i++)
        core->label[i].insn = moved[core->label[i].insn];
}

static void rewrite(struct pto_module *module, struct pto_core_code *core, bool in_order)
{
    uint32_t count = core->code.insns, out = 0;
    uint32_t *moved = pto_xcalloc((size_t)count + 1, sizeof *moved);
    struct pto_insn *insn = pto_arena_array(&module->arena, 2 * (size_t)count + 1, sizeof *insn);

    for (uint32_t i = 0; i < count; i++) {
        moved[i] = out;
        if (is_sync(&core->code.insn[i]))
            continue;
        insn[out++] = core->code.insn[i];
        if (in_order && runs_on_pipe(&core->code.insn[i]))
            insn[out++] = barrier(module, core->code.insn[i].pos);
    }
    moved[count] = out;
    core->code.insn = insn;
    core->code.insns = out;
    move_targets(core, moved);
    free(moved);
}

static void rewrite_all(struct pto_module *module, bool in_order)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            if (module->kernel[k].core[kind].present)
                rewrite(module, &module->kernel[k].core[kind], in_order);
}

void sync_remove(struct pto_module *module)
{
    rewrite_all(module, false);
}

void sync_in_order(struct pto_module *module)
{
    rewrite_all(module, true);
}
