/* Tokens, which carry knowledge, and the flags that hand them on inside of a sub-core. */
#include <stdlib.h>

#include "check/handover.h"
#include "check/verdict.h"

/* ---- tokens ---- */

void token_drop_all(struct pto_check *check, struct token **list)
{
    while (*list)
        token_give(check, token_take(list));
}

void tokens_free(struct pto_check *check)
{
    while (check->spare_issued) {
        struct issued *issued = check->spare_issued;

        check->spare_issued = issued->next;
        free(issued);
    }
    while (check->spare_token)
        free(token_take(&check->spare_token));
}

/* ---- flags ---- */

static const char *event_text(struct pto_check *check, unsigned src, unsigned dst, unsigned id)
{
    return pto_arena_printf(&check->arena, "event (%s, %s, %u)",
                            pto_enum_keyword(PTO_ENUM_PIPE, (int)src),
                            pto_enum_keyword(PTO_ENUM_PIPE, (int)dst), id);
}

/* If a set pipe and an id make a flag, the set must come after the waits of all pipes for it. */
static void check_shared(struct pto_check *check, struct check_core *core, uint32_t pc,
                         const struct frame *frame, unsigned src, unsigned dst, unsigned id)
{
    for (unsigned other = 0; other < PTO_PIPE_COUNT; other++) {
        const struct check_flag *flag = &core->flag[check_flag_at(src, other, id)];
        struct party first = {.present = true, .core = core->id, .lane = (uint8_t)src,
                              .pc = core_token_pc(core->core, src, other, id),
                              .code = core->core->ready};
        struct party second = {.present = true, .core = core->id, .lane = (uint8_t)src, .pc = pc,
                               .code = core->core->ready, .time = core->core->rank->now};
        struct found *found;

        if (other == dst ||
            (!flag->token && row_knows(&frame->row, other, flag->taken)))
            continue;
        found = finding_add(check, PTO_FIND_SET_PENDING, &first, &second);
        if (!found)
            continue;
        found->finding.where = event_text(check, src, dst, id);
        found->shares = event_text(check, src, other, id);
    }
}

/* The set must come after the wait for the token before it, by order and not by luck. */
static __attribute__((noinline)) void report_pending(struct pto_check *check,
                                                     struct check_core *core, uint32_t pc,
                                                     unsigned src, unsigned dst, unsigned id)
{
    struct party wait = {.present = true, .core = core->id, .lane = (uint8_t)dst,
                         .pc = core->flag[check_flag_at(src, dst, id)].taken_pc,
                         .code = core->core->ready};
    struct party set = {.present = true, .core = core->id, .lane = (uint8_t)src, .pc = pc,
                        .code = core->core->ready, .time = core->core->rank->now};
    struct found *found = finding_add(check, PTO_FIND_SET_PENDING, &wait, &set);

    if (found)
        found->finding.where = event_text(check, src, dst, id);
}

void token_set(void *context, struct core *source, uint32_t pc, unsigned src, unsigned dst,
               unsigned id)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    const unsigned at = check_flag_at(src, dst, id);
    struct check_flag *flag = &core->flag[at];
    struct record *record = src == PTO_PIPE_S ? NULL : check_head_record(core, src);
    struct token *token = record ? record->token : token_new(check, &core->s);

    if (id < USER_EVENTS) {
        check->events_used[at] = 1;
        cover_note(check, source->ready, pc, false);
        if (check->shared_flags)
            check_shared(check, core, pc, &token->frame, src, dst, id);
        if (!row_knows(&token->frame.row, dst, flag->taken))
            report_pending(check, core, pc, src, dst, id);
    }
    token_push(&flag->token, token, pc);
    core->flagged[at / 64] |= UINT64_C(1) << at % 64;
    if (record)
        record->token = NULL;
}

/* A wait for a flag of the program has ended; a pipe has waited since its head stalled. */
static inline void note_wait(struct pto_check *check, const struct core *core, uint32_t pc,
                             unsigned pipe, const struct token *token, bool adds)
{
    struct sync_use *use = redundant_recall(check, core->ready, pc);
    uint64_t since = core->pipe[pipe]->wait_since;

    use->times++;
    use->useful |= adds;
    if (pipe != PTO_PIPE_S && since != ENGINE_NEVER)
        use->waited_ps += core->rank->now - since;
    if (use->set[0] != token->pc || !use->sets)
        redundant_took(use, token->pc);
    if (!check->covers)
        return;
    cover_note(check, core->ready, pc, adds);
    if (adds)
        cover_mark(check, core->ready, token->pc);
}

void token_taken(void *context, struct core *source, unsigned src, unsigned dst, unsigned id)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    const unsigned at = check_flag_at(src, dst, id);
    struct check_flag *flag = &core->flag[at];
    struct frame *into = dst == PTO_PIPE_S ? check_change(core) : &core->pipe[dst].at;
    struct token *token = token_take(&flag->token);
    uint32_t pc = dst == PTO_PIPE_S
                      ? source->pc
                      : pipe_entry(source->pipe[dst], source->pipe[dst]->next)->pc;

    if (id < USER_EVENTS)
        check->events_used[at] = 1;
    if (!token)
        return;
    flag->taken_pc = pc;
    if (id < USER_EVENTS)
        note_wait(check, source, pc, dst, token, redundant_adds(into, &token->frame));
    if (dst == PTO_PIPE_S)
        check_gather(core, &token->frame);
    else
        frame_join(into, &token->frame);
    token_give(check, token);
    flag->taken = check_next_epoch(core, dst, pc);
    if (dst == PTO_PIPE_S)
        into->row.lane[dst] = core->count[dst];
}
