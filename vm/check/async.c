/* The DMA engine of a sub-core: what a submission knows is what S knew when it handed it over, and
 * S learns of it only by its event.  That the engine works one after the other orders nothing: on
 * silicon the submissions of a session are spread over several queues. */
#include <stdlib.h>

#include "check/handover.h"
#include "check/travel.h"
#include "check/verdict.h"
#include "machine/memory.h"
#include "machine/wake.h"

static struct record *record_of(const struct check_core *core, uint64_t number)
{
    return &core->submission[number % core->core->rank->vm->profile.async_limit];
}

void async_submitted(void *context, struct core *source)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    struct record *record;

    if (!core->submission)
        core->submission =
            pto_xcalloc(check->vm->profile.async_limit, sizeof *core->submission);
    record = record_of(core, source->dma->tail);
    check_issued(check, core, record);
    frame_set(&record->frame, &record->issued->frame);
    issued_drop(check, record->issued);
    record->issued = NULL;
    record->access = check_new_access(check, core, PTO_DMA, source->pc, record);
}

/* The sides on this rank; NULL: the other one. */
static void moves_at(struct pto_check *check, struct core *source, uint64_t number,
                     const struct op_view *dst, const struct op_view *src, uint64_t time)
{
    struct record *record = record_of(check_core_of(check, source), number);
    const struct submission *s = dma_submission(source, number);

    check->access[record->access].time = time;
    if (src) {
        race_begin(check, record->access << 3, &record->frame);
        touch_global(check, source, s->gm[1], src);
    }
    if (dst) {
        race_begin(check, record->access << 3 | ACCESS_WRITE, &record->frame);
        touch_global(check, source, s->gm[0], dst);
    }
}

void async_moves(void *context, struct core *source, uint64_t number, const struct op_view *dst,
                 const struct op_view *src)
{
    moves_at(context, source, number, dst, src, source->rank->now);
}

uint32_t async_leaves(void *context, struct core *source, uint64_t number)
{
    struct pto_check *check = context;

    const struct check_core *core = check_core_of(check, source);

    return travel_entry(check, core, record_of(core, number));
}

void async_seen(void *context, struct core *source, uint64_t event)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    uint32_t *lane = &check_change(core)->row.lane[PTO_DMA];
    uint32_t epoch = core->count[PTO_DMA] - (uint32_t)(source->dma->tail - event);

    if (source->ready->code->insn[source->pc].op == PTO_OP_ASYNC_WAIT)
        redundant_note(check, source, source->pc, *lane < epoch);
    cover_note(check, source->ready, source->pc, *lane < epoch);
    *lane = epoch > *lane ? epoch : *lane;
}

void async_mark(struct pto_check *check, const struct check_core *core)
{
    const struct dma *dma = core->core->dma;

    for (uint64_t i = dma->head; core->submission && i != dma->tail; i++)
        check->access[record_of(core, i)->access].marked = true;
}

void async_unfinished(struct pto_check *check, struct check_core *core)
{
    const struct dma *dma = core->core->dma;

    for (uint64_t i = dma->head; core->submission && i != dma->next; i++) {
        const struct submission *s = dma_submission(core->core, i);
        struct op_view view[2];
        bool here[2];

        for (unsigned side = 0; side < 2; side++) {
            memory_gm_view(core->core, s->gm[side], &view[side]);
            here[side] = s->bytes && gm_rank(s->gm[side]) == core->core->rank->number;
        }
        if (!s->moved)
            moves_at(check, core->core, i, here[0] ? &view[0] : NULL, here[1] ? &view[1] : NULL,
                     wake_reached(core->core->rank));
    }
}

void async_forget(struct check_core *core)
{
    uint32_t limit = core->core->rank->vm->profile.async_limit;

    for (uint32_t i = 0; core->submission && i < limit; i++)
        frame_drop(&core->submission[i].frame);
    free(core->submission);
}
