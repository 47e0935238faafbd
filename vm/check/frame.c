/* What a party knows, how S comes to know more, and tokens, which carry knowledge. */
#include <stdlib.h>

#include "check/internal.h"

/* ---- frames ---- */

struct frame frame_told(const struct frame *frame)
{
    struct frame told = frame_copy(frame);

    if (told.row.lane[LANE_TOLD_STORE] < told.row.lane[LANE_STORE])
        told.row.lane[LANE_TOLD_STORE] = told.row.lane[LANE_STORE];
    frame_hold_stores(&told);
    return told;
}

/* ---- what S knows ---- */

uint32_t check_serial(struct check_core *core)
{
    core->serial++;
    if (core->learned) {
        struct past *past;

        if (!core->past)
            core->past = pto_xcalloc(PAST_ENTRIES, sizeof *core->past);
        past = &core->past[core->pasts++ % PAST_ENTRIES];
        core->learned = false;
        far_drop(past->far);
        *past = (struct past){core->serial, far_share(core->s.far)};
    }
    return core->serial;
}

struct far *check_far_at(const struct check_core *core, uint32_t serial)
{
    for (uint32_t i = core->pasts; i > 0 && core->pasts - i < PAST_ENTRIES; i--) {
        const struct past *past = &core->past[(i - 1) % PAST_ENTRIES];

        if (past->serial <= serial)
            return past->far;
    }
    return NULL;
}

/* Scalar stores stay behind: S itself does not publish them. */
struct issued *issued_take(struct pto_check *check, struct check_core *core)
{
    struct issued *issued = core->issued;

    if (!issued || issued->change != core->changes) {
        issued_drop(check, issued);
        issued = check->spare_issued;
        if (issued)
            check->spare_issued = issued->next;
        else
            issued = pto_xcalloc(1, sizeof *issued);
        issued->refs = 1;
        issued->change = core->changes;
        frame_set(&issued->frame, &core->s);
        frame_hold_stores(&issued->frame);
        core->issued = issued;
    }
    issued->refs++;
    return issued;
}

/* S has learned of a far clock, which says this about S itself. */
static void note_learned(struct check_core *core, const struct row *self)
{
    struct frame *s = check_change(core);

    if (self)
        row_join(&s->row, self);
    s->version = ++core->version;
    core->learned = true;
}

void check_learn(struct check_core *core, struct far *far)
{
    far_join(&check_change(core)->far, far);
    note_learned(core, far_row(far, core->id));
}

bool check_hear(struct check_core *core, const struct release *release,
                const struct clock_shape *shape)
{
    const struct row *known = far_row(core->s.far, release->core);

    if (known && known->lane[PTO_PIPE_S] >= release->epoch)
        return false; /* whoever knows that it was sent knows what it tells */
    if (core->told) { /* others have it: with it in both, clocks are compared by versions */
        far_put(&check_change(core)->far, core->id, core->told, shape);
        chunk_drop(core->told);
        core->told = NULL;
    }
    far_hear(&check_change(core)->far, release->frame.far, release->core, release->told, shape);
    note_learned(core, far_row(release->frame.far, core->id));
    return true;
}

/* ---- tokens ---- */

struct token *token_new(struct pto_check *check, const struct frame *frame)
{
    struct token *token = check->spare_token;

    if (token)
        check->spare_token = token->next;
    else
        token = pto_xcalloc(1, sizeof *token);
    frame_set(&token->frame, frame);
    return token;
}

void token_push(struct token **list, struct token *token, uint32_t pc)
{
    token->pc = pc;
    token->next = NULL;
    while (*list)
        list = &(*list)->next;
    *list = token;
}

struct token *token_take(struct token **list)
{
    struct token *token = *list;

    if (token)
        *list = token->next;
    return token;
}

void token_give(struct pto_check *check, struct token *token)
{
    frame_drop(&token->frame);
    token->next = check->spare_token;
    check->spare_token = token;
}

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
