#include "sync/sync.h"

#include "sync/code.h"
#include "sync/stale.h"
#include "sync/touch.h"

static bool runs_on_pipe(const struct pto_insn *insn)
{
    enum pto_class class = pto_op_info(insn->op)->class;

    return class == PTO_TILE || class == PTO_MACRO;
}

void sync_rewrite(struct pto_module *module, const struct pto_kernel *kernel,
                  struct pto_core_code *core, bool in_order)
{
    struct sync_code code;

    sync_begin(&code, module, core);
    for (uint32_t i = 0; i < core->code.insns; i++) {
        const struct pto_insn *insn = &core->code.insn[i];

        sync_at(&code, i);
        if (sync_is_own(insn))
            continue;
        if (in_order && stale_is_load(kernel, insn))
            sync_drop_cache(&code, insn->pos);
        sync_emit_from(&code, insn, i);
        if (in_order && runs_on_pipe(insn))
            sync_barrier(&code, insn->pos, PTO_PIPE_ALL);
        else if (in_order && sync_is_store(insn))
            sync_fence(&code, insn->pos);
    }
    sync_end(&code);
}

static void rewrite_all(struct pto_module *module, bool in_order)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            if (module->kernel[k].core[kind].present)
                sync_rewrite(module, &module->kernel[k], &module->kernel[k].core[kind], in_order);
}

void sync_remove(struct pto_module *module)
{
    rewrite_all(module, false);
}

void sync_in_order(struct pto_module *module)
{
    rewrite_all(module, true);
}
