/* Synchronisation that adds no order: a wait whose token tells its pipe nothing new, a barrier or a
 * dsb with nothing to do, every time that it was executed.
 *
 * Clocks do not change without such an instruction (and the set that goes with a wait), so leaving
 * it out is safe for these inputs; of several that stand in for each other, one at a time. */
#include <stdlib.h>

#include "check/internal.h"

enum { FIRST_USES = 64 };

static struct sync_use **find_use(struct sync_use **table, uint32_t slots,
                                  const struct pto_code *code, uint32_t pc)
{
    uint64_t at = ((uint64_t)(uintptr_t)code >> 4) * 31 + pc * 0x9e3779b1u;

    for (;; at++) {
        struct sync_use **slot = &table[at & (slots - 1)];

        if (!*slot || ((*slot)->ready->code == code && (*slot)->pc == pc))
            return slot;
    }
}

static void grow(struct pto_check *check)
{
    uint32_t slots = check->use_slots ? 2 * check->use_slots : FIRST_USES;
    struct sync_use **table = pto_xcalloc(slots, sizeof(struct sync_use *));

    for (uint32_t i = 0; i < check->use_slots; i++)
        if (check->use[i])
            *find_use(table, slots, check->use[i]->ready->code, check->use[i]->pc) = check->use[i];
    free(check->use);
    check->use = table;
    check->use_slots = slots;
}

struct sync_use *redundant_note(struct pto_check *check, const struct core *core, uint32_t pc,
                                bool useful)
{
    struct sync_use **slot;

    if (2 * check->uses >= check->use_slots)
        grow(check);
    slot = find_use(check->use, check->use_slots, core->ready->code, pc);
    if (!*slot) {
        *slot = pto_arena_alloc(&check->arena, sizeof **slot);
        **slot = (struct sync_use){.ready = core->ready, .pc = pc, .set = UINT32_MAX};
        check->uses++;
    }
    (*slot)->times++;
    (*slot)->useful = (*slot)->useful || useful;
    return *slot;
}

bool redundant_adds(const struct frame *into, const struct frame *token)
{
    for (int i = 0; i < LANE_TOLD_MTE3; i++)
        if (token->row.lane[i] > into->row.lane[i])
            return true;
    return token->version > into->version;
}

static const char *sentence(struct pto_check *check, const struct sync_use *use)
{
    const char *mnemonic = pto_op_info(use->ready->code->insn[use->pc].op)->mnemonic;

    if (use->set == UINT32_MAX)
        return pto_arena_printf(&check->arena, "%s adds no order for these inputs", mnemonic);
    return pto_arena_printf(&check->arena,
                            "%s and its set at %s add no order for these inputs; the pipe waited "
                            "%llu ns for it", mnemonic,
                            advise_place(check, &(struct party){.code = use->ready,
                                                                .pc = use->set}),
                            (unsigned long long)(use->waited_ps / 1000));
}

void redundant_finish(struct pto_check *check)
{
    for (uint32_t i = 0; i < check->use_slots; i++) {
        const struct sync_use *use = check->use[i];

        if (!use || use->useful)
            continue;
        note_add(check, &(struct pto_check_note){
            .kind = PTO_NOTE_REDUNDANT,
            .message = sentence(check, use),
            .module = use->ready->module,
            .pos = (int32_t)use->ready->code->insn[use->pc].pos,
            .count = use->times,
            .waited_ps = use->waited_ps,
        });
    }
}

void redundant_free(struct pto_check *check)
{
    free(check->use);
}
