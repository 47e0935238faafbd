#include "parts.h"

#include <stdlib.h>

static const struct pipe no_pipe = {.wait_since = ENGINE_NEVER};
static const struct dma no_dma;
static const struct series no_series;
static const struct waits no_waits;
static const struct chip no_chip;

/* What all share is shared for reading: to write to it would end the process. */
#define SHARED(part) ((void *)(uintptr_t)&(part))

static void prepare_pipe(const struct core *core, struct pipe *pipe, unsigned number)
{
    *pipe = no_pipe;
    pipe->node.key = core->number * 8u + number;
    pipe->free_at = core->rank->launch_at;
}

static void prepare_dma(const struct core *core, struct dma *dma)
{
    *dma = no_dma;
    dma->node.key = core->number * 8u + PTO_DMA;
    dma->free_at = core->rank->launch_at;
}

void parts_begin(struct core *core, struct core_parts *all)
{
    prepare_pipe(core, &core->s, PTO_PIPE_S);
    core->pipe[PTO_PIPE_S] = &core->s;
    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++) {
        core->pipe[p] = all ? &all->pipe[p] : SHARED(no_pipe);
        if (all)
            prepare_pipe(core, core->pipe[p], p);
    }
    core->dma = all ? &all->dma : SHARED(no_dma);
    if (all)
        prepare_dma(core, core->dma);
    core->series = all ? &all->series : SHARED(no_series);
    core->waits = all ? &all->waits : SHARED(no_waits);
    if (all)
        all->waits = (struct waits){.condition = all->condition, .room = SIGNAL_WAITS};
    core->chip = all ? &all->chip : SHARED(no_chip);
}

uint32_t parts_made(const struct core *core)
{
    uint32_t made = 0;

    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
        made |= (uint32_t)(core->pipe[p] != &no_pipe) << p;
    made |= (uint32_t)(core->dma != &no_dma) << PART_DMA;
    made |= (uint32_t)(core->series != &no_series) << PART_SERIES;
    return made | (uint32_t)(core->waits != &no_waits) << PART_WAITS;
}

struct pipe *parts_make_pipe(struct core *core, unsigned number)
{
    if (core->pipe[number] == &no_pipe) {
        core->pipe[number] = pto_arena_lines(&core->rank->arena, 1, sizeof no_pipe);
        prepare_pipe(core, core->pipe[number], number);
    }
    return core->pipe[number];
}

struct dma *parts_make_dma(struct core *core)
{
    if (core->dma == &no_dma) {
        core->dma = pto_xmalloc(sizeof no_dma);
        prepare_dma(core, core->dma);
    }
    return core->dma;
}

struct series *parts_make_series(struct core *core)
{
    if (core->series == &no_series)
        core->series = pto_xcalloc(1, sizeof no_series);
    return core->series;
}

struct waits *parts_make_waits(struct core *core, unsigned conditions)
{
    if (core->waits->room < conditions) {
        if (core->waits != &no_waits)
            free(core->waits);
        core->waits = pto_xcalloc(1, sizeof no_waits + conditions * sizeof *no_waits.condition);
        core->waits->condition = (struct signal_wait *)(core->waits + 1);
        core->waits->room = (uint8_t)conditions;
    }
    return core->waits;
}

struct chip *parts_make_chip(struct core *core)
{
    if (core->chip == &no_chip)
        core->chip = pto_xcalloc(1, sizeof no_chip);
    return core->chip;
}

void parts_launch(struct core *core, uint64_t now)
{
    uint32_t made = parts_made(core) | 1u << PTO_PIPE_S;

    for (unsigned p = 0; p < PTO_PIPE_COUNT; p++) {
        if (!(made >> p & 1))
            continue;
        core->pipe[p]->free_at = now;
        core->pipe[p]->wait_since = ENGINE_NEVER;
    }
    if (made >> PART_SERIES & 1)
        core->series->op = NULL;
}

void parts_free(struct core *core)
{
    uint32_t made = core->rank->parts ? 0 : parts_made(core);

    if (made >> PART_DMA & 1)
        free(core->dma);
    if (made >> PART_SERIES & 1)
        free(core->series);
    if (made >> PART_WAITS & 1)
        free(core->waits);
    if (!core->rank->parts && core->chip != &no_chip)
        free(core->chip);
}
