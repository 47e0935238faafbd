#include "sync/sync.h"

#include <stdlib.h>

#include "sync/blocks.h"
#include "sync/code.h"
#include "sync/publish.h"
#include "sync/stale.h"
#include "sync/touch.h"

static bool runs_on_pipe(const struct pto_insn *insn)
{
    enum pto_class class = pto_op_info(insn->op)->class;

    return class == PTO_TILE || class == PTO_MACRO;
}

static void put_publish(struct sync_code *code, uint32_t at, unsigned what)
{
    uint32_t pos = code->core->code.insn[at].pos;

    if (what & PUBLISH_CACHE)
        sync_fence(code, pos);
    else
        sync_dsb(code, pos);
}

/* The branches of the loop itself come behind it. */
static void publish_before_loop(struct sync_code *code, uint32_t at, unsigned what)
{
    for (uint32_t from = 0; from < at; from++)
        if (blocks_target(code->core, from) == at)
            sync_land(code, from);
    put_publish(code, at, what);
}

void sync_rewrite(struct pto_module *module, const struct pto_kernel *kernel,
                  struct pto_core_code *core, unsigned how)
{
    uint8_t *publish = how & SYNC_PUBLISH ? publish_find(kernel, core) : NULL;
    bool in_order = how & SYNC_IN_ORDER;
    struct sync_code code;

    sync_begin(&code, module, core);
    for (uint32_t i = 0; i < core->code.insns; i++) {
        const struct pto_insn *insn = &core->code.insn[i];

        if (publish && publish[i] & PUBLISH_BEFORE_LOOP)
            publish_before_loop(&code, i, publish[i]);
        sync_at(&code, i);
        if (publish && publish[i] & PUBLISH_HERE)
            put_publish(&code, i, publish[i]);
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
    free(publish);
}

static void rewrite_all(struct pto_module *module, unsigned how)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            if (module->kernel[k].core[kind].present)
                sync_rewrite(module, &module->kernel[k], &module->kernel[k].core[kind], how);
}

void sync_remove(struct pto_module *module)
{
    rewrite_all(module, SYNC_BARE);
}

void sync_in_order(struct pto_module *module, bool publish)
{
    rewrite_all(module, SYNC_IN_ORDER | (publish ? SYNC_PUBLISH : SYNC_BARE));
}
