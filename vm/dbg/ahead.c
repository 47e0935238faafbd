#include "dbg/ahead.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    const struct pto_code *code;
    bool *comes;
    uint32_t *todo, left;
};

static void come_to(struct walk *walk, uint32_t pc)
{
    if (pc >= walk->code->insns || walk->comes[pc])
        return;
    walk->comes[pc] = true;
    walk->todo[walk->left++] = pc;
}

/* Everywhere that S can come to from where it was taken, whatever its registers hold. */
static void follow(struct walk *walk)
{
    while (walk->left > 0) {
        uint32_t pc = walk->todo[--walk->left];
        const struct pto_insn *insn = &walk->code->insn[pc];

        for (unsigned i = 0; i < insn->operands; i++)
            if (insn->operand[i].kind == PTO_O_LABEL)
                come_to(walk, (uint32_t)insn->operand[i].value);
        if (insn->op != PTO_OP_JUMP && insn->op != PTO_OP_END)
            come_to(walk, pc + 1);
    }
}

/* What the queues of a sub-core hold is issued already: nothing follows from it. */
static void take_queues(const struct dbg *dbg, int rank, unsigned core, struct walk *walk)
{
    struct pto_queue_entry entry;

    for (unsigned queue = PTO_PIPE_S + 1; queue < PTO_QUEUE_COUNT; queue++)
        for (unsigned i = 0; pto_vm_queue(dbg->launch.vm, rank, core, queue, i, &entry); i++)
            walk->comes[entry.insn - walk->code->insn] = true;
}

static void look_at_kind(const struct dbg *dbg, const struct pto_kernel *kernel,
                         enum pto_core_kind kind, struct walk *walk)
{
    int ranks = pto_vm_ranks(dbg->launch.vm);
    unsigned cores = pto_vm_cores(dbg->launch.vm);
    struct pto_core_info info;

    for (unsigned pass = 0; pass < 2; pass++) { /* queues last: ways stop at what is marked */
        for (int rank = 0; rank < ranks; rank++)
            for (unsigned core = 0; core < cores; core++) {
                pto_vm_core(dbg->launch.vm, rank, core, &info);
                if (!info.active || info.kernel != kernel || info.kind != kind)
                    continue;
                if (pass == 1)
                    take_queues(dbg, rank, core, walk);
                else if (!info.ended && (rank != dbg->rank || core != dbg->core))
                    come_to(walk, info.pc);
            }
        follow(walk);
    }
}

void ahead_look(struct dbg *dbg, const struct pto_kernel *kernel, struct ahead *ahead)
{
    const struct pto_fault *fault = pto_vm_fault(dbg->launch.vm);
    struct pto_progress progress = pto_vm_progress(dbg->launch.vm);

    *ahead = (struct ahead){.known = fault && fault->status == PTO_EDEADLOCK &&
                                     progress.launches_done + 1 == progress.launches};
    for (unsigned kind = 0; kind < PTO_CORE_KINDS && ahead->known; kind++) {
        struct walk walk = {.code = &kernel->core[kind].code};

        ahead->comes[kind] = pto_xcalloc(walk.code->insns + 1, sizeof *walk.comes);
        walk.comes = ahead->comes[kind];
        walk.todo = pto_xmalloc((walk.code->insns + 1) * sizeof *walk.todo);
        look_at_kind(dbg, kernel, (enum pto_core_kind)kind, &walk);
        free(walk.todo);
    }
}

void ahead_free(struct ahead *ahead)
{
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        free(ahead->comes[kind]);
}
