/* What a party knows, and how S comes to know more. */
#include <stdlib.h>

#include "check/handover.h"
#include "check/internal.h"

/* ---- frames ---- */

struct row frame_row_told(const struct frame *frame)
{
    struct row told = frame->row;

    if (told.lane[LANE_TOLD_STORE] < told.lane[LANE_STORE])
        told.lane[LANE_TOLD_STORE] = told.lane[LANE_STORE];
    row_hold_stores(&told);
    return told;
}

struct frame frame_told(const struct frame *frame)
{
    struct frame told = frame_copy(frame);

    told.row = frame_row_told(frame);
    return told;
}

/* ---- what S knows ---- */

void check_keep_past(struct check_core *core)
{
    struct past *past;

    if (!core->past)
        core->past = pto_xcalloc(PAST_ENTRIES, sizeof *core->past);
    past = &core->past[core->pasts++ % PAST_ENTRIES];
    core->learned = false;
    far_drop(past->far);
    *past = (struct past){core->serial, far_share(core->s.far)};
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
struct issued *issued_anew(struct pto_check *check, struct check_core *core)
{
    struct issued *issued;

    issued_drop(check, core->issued);
    issued = check->spare_issued;
    if (issued)
        check->spare_issued = issued->next;
    else
        issued = pto_xcalloc(1, sizeof *issued);
    issued->refs = 2;
    issued->change = core->changes;
    frame_set(&issued->frame, &core->s);
    row_hold_stores(&issued->frame.row);
    core->issued = issued;
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

void check_gather(struct check_core *core, const struct frame *from)
{
    struct frame *s = check_change(core);
    bool more = (s->apart || from->apart) && s->far != from->far;

    frame_join(s, from);
    if (!more)
        return;
    s->version = ++core->version;
    core->learned = true;
}

void check_learn_sum(struct check_core *core, struct far *sum)
{
    struct frame *s = check_change(core);
    bool published = !s->far || s->far->published;

    far_share(sum);
    far_drop(s->far);
    s->far = sum;
    if (!published && sum->published) /* until its next dsb, as after any other lesson */
        clock_own_far(&s->far, sum->shape)->published = false;
    note_learned(core, far_row(sum, core->id));
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
