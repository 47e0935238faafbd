/* What S hands over to its queues and what flags carry between them: records, what S knew at an
 * issue, and tokens.  Every instruction does, so none of it costs a call. */
#ifndef PTO_CHECK_HANDOVER_H
#define PTO_CHECK_HANDOVER_H

#include "check/internal.h"

/* ---- S ---- */

/* What S knows, to be changed; behind it, what it has issued before knows less than S. */
static inline struct frame *check_change(struct check_core *core)
{
    core->changes++;
    return &core->s_to_change;
}
/* What S knows now, for what it hands over: a reference. */
static inline struct issued *issued_take(struct pto_check *check, struct check_core *core)
{
    struct issued *issued = core->issued;

    if (!issued || issued->change != core->changes)
        return issued_anew(check, core);
    issued->refs++;
    return issued;
}
static inline void issued_drop(struct pto_check *check, struct issued *issued)
{
    if (!issued || --issued->refs > 0)
        return;
    frame_drop(&issued->frame);
    issued->next = check->spare_issued;
    check->spare_issued = issued;
}
/* The number of an instruction that S issues now. */
static inline uint32_t check_serial(struct check_core *core)
{
    core->serial++;
    if (core->learned)
        check_keep_past(core);
    return core->serial;
}

/* ---- records ---- */

static inline struct record *check_record(const struct check_core *core, unsigned pipe,
                                          uint32_t counter)
{
    const struct check_pipe *p = &core->pipe[pipe];

    return &p->ring[counter & (p->records - 1)];
}
/* S has issued what `record` is kept for. */
static inline void record_fill(const struct check_core *core, struct record *record)
{
    record->serial = core->serial;
    record->told = core->count[PTO_PIPE_S];
    record->act = core->core->acts - 1;
    record->access = 0;
}
/* S hands over what `record` is kept for: what it knows now. */
static inline void check_issued(struct pto_check *check, struct check_core *core,
                                struct record *record)
{
    record->issued = issued_take(check, core);
    check_serial(core);
    record_fill(core, record);
}
/* The next epoch of a lane; findings tell the instruction that it was. */
static inline uint32_t check_next_epoch(struct check_core *core, unsigned lane, uint32_t pc)
{
    uint32_t epoch = ++core->count[lane];

    history_note(core->log[lane], epoch, (struct logged){core->core->ready, pc});
    return epoch;
}
/* The record of the entry that completes now. */
static inline struct record *check_head_record(const struct check_core *core, unsigned pipe)
{
    return check_record(core, pipe, core->core->pipe[pipe]->head);
}

/* ---- tokens ---- */

/* The number of a flag. */
static inline unsigned check_flag_at(unsigned src, unsigned dst, unsigned id)
{
    return (src * PTO_PIPE_COUNT + dst) * EVENT_IDS + id;
}
/* A token that tells a frame; into the list of a flag, oldest first; `pc`: who set it.  Who takes
 * one, NULL if there is none, gives it back. */
static inline struct token *token_new(struct pto_check *check, const struct frame *frame)
{
    struct token *token = check->spare_token;

    if (token)
        check->spare_token = token->next;
    else
        token = pto_xcalloc(1, sizeof *token);
    frame_set(&token->frame, frame);
    return token;
}
static inline void token_push(struct token **list, struct token *token, uint32_t pc)
{
    token->pc = pc;
    token->next = NULL;
    while (*list)
        list = &(*list)->next;
    *list = token;
}
static inline struct token *token_take(struct token **list)
{
    struct token *token = *list;

    if (token)
        *list = token->next;
    return token;
}
static inline void token_give(struct pto_check *check, struct token *token)
{
    frame_drop(&token->frame);
    token->next = check->spare_token;
    check->spare_token = token;
}

#endif
