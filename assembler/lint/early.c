#include "early.h"

#include <stdlib.h>

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

static void forget_waits(struct flag (*flag)[PTO_EVENT_LIMIT])
{
    for (unsigned pair = 0; pair < PTO_PIPE_COUNT * PTO_PIPE_COUNT; pair++)
        for (unsigned id = 0; id < PTO_EVENT_LIMIT; id++)
            flag[pair][id].waited = false;
}

static bool is_one(uint8_t ids)
{
    return ids && !(ids & (ids - 1));
}

static void issue_wait(struct flag *flag, uint8_t ids)
{
    for (unsigned id = 0; id < PTO_EVENT_LIMIT; id++)
        if (ids >> id & 1)
            flag[id].waited = --flag[id].left < 0 && is_one(ids);
}

static enum lint_early issue_set(struct flag *flag, uint8_t ids)
{
    enum lint_early early = LINT_NOT_EARLY;

    for (unsigned id = 0; id < PTO_EVENT_LIMIT; id++) {
        if (!(ids >> id & 1))
            continue;
        if (flag[id].left < 0)
            early = flag[id].waited && is_one(ids) ? LINT_SURELY_EARLY : LINT_PERHAPS_EARLY;
        flag[id].waited = ++flag[id].left < 0 && flag[id].waited;
    }
    return early;
}

uint8_t *lint_find_early_sets(const struct lint *lint)
{
    const struct pto_code *code = lint->code;
    struct flag flag[PTO_PIPE_COUNT * PTO_PIPE_COUNT][PTO_EVENT_LIMIT] = {0};
    uint8_t *early = pto_xcalloc((size_t)code->insns + 1, sizeof *early);
    bool *ends = find_ends(code);

    for (uint32_t i = 0; i < code->insns; i++) {
        const struct pto_insn *insn = &code->insn[i];
        unsigned src = insn->operands > 1 ? insn->operand[0].value : 0;
        unsigned dst = insn->operands > 1 ? insn->operand[1].value : 0;

        if (ends[i])
            forget_waits(flag);
        if (insn->op == PTO_OP_WAIT_FLAG && dst != PTO_PIPE_S) /* S would stand before the set */
            issue_wait(flag[src * PTO_PIPE_COUNT + dst], lint->flag_ids[i]);
        if (insn->op == PTO_OP_SET_FLAG && dst != PTO_PIPE_S)
            early[i] = issue_set(flag[src * PTO_PIPE_COUNT + dst], lint->flag_ids[i]);
    }
    free(ends);
    return early;
}
