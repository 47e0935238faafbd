#include "put_off.h"

#include "machine/observe.h"
#include "machine/queue.h"
#include "machine/route.h"

static void tell(struct core *core, uint32_t pc, unsigned queue, uint64_t end, uint64_t number)
{
    if (asks_why(core))
        observe_core(core, pc, (struct pto_event){.kind = PTO_EV_PUT_OFF,
                                                  .pipe = (uint8_t)queue,
                                                  .time_ps = core->rank->now,
                                                  .next_ps = end,
                                                  .entry = number});
}

void put_off_at_break(const struct core *core, struct entry *entry)
{
    const int to = gm_rank(&entry->word[entry->op->operand[0].word]);
    uint64_t breaks;

    if (entry->op->extent_gm != 0 || to == core->rank->number || entry->complete == ENGINE_NEVER)
        return;
    breaks = route_breaks(core->rank, to, entry->start, entry->complete);
    entry->complete = breaks < entry->complete ? breaks : entry->complete;
}

void put_off_entry(struct core *core, unsigned number, uint32_t counter, uint64_t later,
                   uint64_t after)
{
    struct pipe *pipe = core->pipe[number];
    struct entry *entry = pipe_entry(pipe, counter);

    pipe->free_at += later;
    pipe->stats.busy_ps += later;
    entry->complete = pipe->free_at + after;
    if (core->rank->vm->changes.downs)
        put_off_at_break(core, entry);
    tell(core, entry->pc, number, pipe->free_at, entry_number(counter));
}

void put_off_move_at_break(const struct core *core, struct submission *s)
{
    uint64_t breaks = route_breaks(core->rank, gm_rank(s->gm[0]), s->start, s->move);

    s->move = breaks < s->move ? breaks : s->move;
}

void put_off_submission(struct core *core, uint64_t number, uint64_t end)
{
    struct dma *dma = core->dma;
    struct submission *s = dma_submission(core, number);

    dma->stats.busy_ps += end - dma->free_at;
    dma->free_at = s->move = end;
    put_off_move_at_break(core, s);
    tell(core, s->pc, PTO_DMA, end, number + 1);
}
