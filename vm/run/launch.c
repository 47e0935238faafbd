#include "launch.h"

#include <stdio.h>
#include <string.h>

#include "expect.h"
#include "machine/cost.h"
#include "machine/delay.h"
#include "machine/due.h"
#include "machine/fault.h"
#include "machine/mapped.h"
#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/parts.h"
#include "machine/probe.h"
#include "machine/wake.h"
#include "units/carry.h"
#include "units/dma.h"
#include "units/flag.h"
#include "units/queue.h"

void launch_fill_sys(struct core *core, const struct pto_kernel *kernel)
{
    uint64_t *sys = core->reg + core->ready->first_sys;
    unsigned vectors = kernel->vectors_per_block;

    sys[PTO_SYS_RANK] = (uint64_t)core->rank->number;
    sys[PTO_SYS_NRANKS] = (uint64_t)core->rank->vm->ranks;
    sys[PTO_SYS_BLOCK_ID] = core->block;
    sys[PTO_SYS_BLOCK_NUM] = core->rank->vm->blocks;
    sys[PTO_SYS_SUB_ID] = core->sub;
    sys[PTO_SYS_SUB_NUM] = vectors;
    sys[PTO_SYS_VEC_ID] = (uint64_t)core->block * vectors + core->sub;
    sys[PTO_SYS_VEC_COUNT] = (uint64_t)core->rank->vm->blocks * vectors;
    sys[PTO_SYS_LAUNCH] = core->rank->launch;
    sys[PTO_SYS_NODE_RANKS] = (uint64_t)topology_node(&core->rank->vm->topology);
}

static void begin_core(struct core *core, const struct launch *launch, uint64_t now)
{
    const uint64_t *param = launch->param[core->rank->number];

    core->ready = &launch->ready->core[core->kind];
    memory_reset(core);
    flag_reset(core);
    launch_fill_sys(core, launch->kernel);
    memcpy(core->reg, param, launch->kernel->params * sizeof *param);
    core->pc = 0;
    core->time = now;
    core->stall_since = ENGINE_NEVER;
    core->drained = false;
    core->regions = 0;
    core->stores_acknowledged = 0;
    dma_begin(core, now);
    parts_launch(core, now);
    if (observed(core))
        observe_core(core, UINT32_MAX, (struct pto_event){.kind = PTO_EV_LAUNCH,
                                                          .time_ps = now,
                                                          .text = launch->kernel->name});
    delay_begin(core);
}

void launch_begin(struct rank *rank)
{
    const struct launch *launch = &rank->vm->launch[rank->launch];

    if (rank->vm->owns >= MANY_RANKS)
        map_heap_large(); /* all sub-cores take room now */
    rank->between_launches = false;
    rank->active = 0;
    rank->ended = 0;
    for (unsigned i = 0; i < rank->cores; i++) {
        struct core *core = &rank->core[i];

        core->ready = NULL;
        core->stall = STALL_NONE;
        if (!launch->kernel->core[core->kind].present)
            continue;
        if (core->kind == PTO_AIV && core->sub >= launch->kernel->vectors_per_block)
            continue;
        begin_core(core, launch, rank->now);
        rank->active++;
    }
    PROBE(rank->vm, launch_begin, rank);
}

bool launch_all_done(const struct rank *rank)
{
    return rank->launch == rank->vm->launches;
}

/* All sub-cores of the rank have ended. */
static void rank_ended(struct rank *rank)
{
    due_settle(rank);
    for (unsigned i = 0; i < rank->cores; i++)
        if (rank->core[i].ready)
            flag_report_cross_left(&rank->core[i]);
    PROBE(rank->vm, launch_end, rank);
    rank->launch++;
    rank->stats.end_ps = rank->now;
    rank->between_launches = true;
    rank->launch_at = ENGINE_NEVER;
    if (!launch_all_done(rank) && !rank->vm->options.join)
        rank->launch_at = rank->now + rank->duration[COST_LAUNCH];
}

void launch_end_if_done(struct rank *rank)
{
    if (rank->active == 0 && rank->cross_in_flight == 0 && !rank->between_launches)
        rank_ended(rank);
}

void launch_core_ended(struct core *core)
{
    struct rank *rank = core->rank;

    core->drained = true;
    flag_report_left(core);
    dma_report_left(core);
    if (observed(core))
        observe_core(core, UINT32_MAX,
                     (struct pto_event){.kind = PTO_EV_END, .time_ps = rank->now});
    if (!rank->vm->options.stepwise) { /* there, snapshots have the places of all */
        flag_release(core);
        queue_release(core);
        memory_release(core);
    }
    rank->active--;
    launch_end_if_done(rank);
}

void launch_look(const struct pto_vm *vm, struct news *news)
{
    for (int i = 0; i < vm->owns; i++) {
        const struct rank *rank = &vm->rank[vm->own[i]];

        news->busy |= rank->dead || launch_all_done(rank) || !rank->between_launches;
        news->first_launch = rank->launch < news->first_launch ? rank->launch : news->first_launch;
        news->last_launch = rank->launch > news->last_launch ? rank->launch : news->last_launch;
        news->latest_end = max_u64(news->latest_end, rank->stats.end_ps);
    }
}

void launch_join(struct pto_vm *vm, const struct news *news)
{
    if (news->busy || news->first_launch != news->last_launch)
        return;
    PROBE(vm, join);
    for (int i = 0; i < vm->owns; i++) {
        struct rank *rank = &vm->rank[vm->own[i]];

        rank->launch_at = max_u64(news->latest_end + cost_common_launch(vm), rank->now);
    }
}
