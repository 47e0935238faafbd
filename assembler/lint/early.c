#include "early.h"

#include <stdlib.h>

enum { IDS = 8 };

struct flag {
    int left;    /* sets less waits so far */
    bool waited; /* for one that is still to come, on the straight way here */
};

/* Instructions that a branch leads to, or away from. */
static bool *find_ends(const struct pto_code *code)
{
    bool *ends = pto_xcalloc((size_t)code->insns + 1, sizeof *ends);
    struct lint_branch branch;

    for (uint32_t i = 0; i < code->insns; i++)
        if (lint_branch_at(code, i, &branch))
            ends[i] = ends[branch.target] = true;
    return ends;
}

static void forget_waits(struct flag *flag, size_t flags)
{
    for (size_t i = 0; i < flags; i++)
        flag[i].waited = false;
}

static bool is_one(uint8_t ids)
{
    return ids && !(ids & (ids - 1));
}

bool *lint_find_early_sets(const struct lint *lint)
{
    const struct pto_code *code = lint->code;
    struct flag flag[PTO_PIPE_COUNT * PTO_PIPE_COUNT * IDS] = {{0}};
    bool *early = pto_xcalloc((size_t)code->insns + 1, sizeof *early), *ends = find_ends(code);

    for (uint32_t i = 0; i < code->insns; i++) {
        const struct pto_insn *insn = &code->insn[i];
        struct flag *f;

        if (ends[i])
            forget_waits(flag, sizeof flag / sizeof *flag);
        if ((insn->op != PTO_OP_SET_FLAG && insn->op != PTO_OP_WAIT_FLAG) ||
            !is_one(lint->flag_ids[i]))
            continue;
        f = &flag[(insn->operand[0].value * PTO_PIPE_COUNT + insn->operand[1].value) * IDS +
                  (unsigned)__builtin_ctz(lint->flag_ids[i])];
        if (insn->op == PTO_OP_WAIT_FLAG) {
            f->waited = --f->left < 0 && insn->operand[1].value != PTO_PIPE_S;
            continue;
        }
        early[i] = f->waited;
        f->waited = ++f->left < 0 && f->waited;
    }
    free(ends);
    return early;
}
