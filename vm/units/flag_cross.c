/* Cross-core flags: counts that sub-cores of a rank send to each other. */
#include <stdlib.h>
#include <string.h>

#include "flag.h"
#include "link.h"
#include "machine/cross_name.h"
#include "machine/fault.h"
#include "machine/observe.h"
#include "machine/queue.h"
#include "machine/wake.h"
#include "owe.h"

static struct cross *cross_of(struct core *core)
{
    if (!core->cross)
        core->cross = pto_xcalloc(1, sizeof *core->cross);
    return core->cross;
}

/* Sub-cores of an AI core stand beside each other, the cube first. */
static unsigned cores_of_block(const struct core *core)
{
    return core->rank->cores / core->rank->vm->blocks;
}

static struct core *first_of_block(const struct core *core)
{
    return &core->rank->core[core->block * cores_of_block(core)];
}

static struct core *sibling(const struct core *core, enum pto_core_kind kind, unsigned sub)
{
    unsigned within = kind == PTO_AIC ? 0 : 1 + sub;
    struct core *other = first_of_block(core) + within;

    return within < cores_of_block(core) && other->ready ? other : NULL;
}

bool flag_cross_arrive(struct core *core, unsigned id)
{
    struct cross *cross = cross_of(core);
    const struct cross_setter *setter = &cross->setter[id];

    if (core->drained) {
        fault_leftover(setter->core, setter->pc, FLAG_LEFT_HINT,
                       "a count of %s reached %s after its end", CROSS_NAME(core, id),
                       core->name);
        return true;
    }
    if (cross->count[id] >= core->rank->vm->profile.cross_flag_limit)
        return fault_raise(setter->core, setter->pc, PTO_PIPE_S, core->rank->now,
                           id < CROSS_FLAGS ? "let the receiver wait_flag_dev more often"
                                            : "let the receiver wait_intra_block more often",
                           "%s overflows at %s: more than %u counts are outstanding",
                           CROSS_NAME(core, id), core->name,
                           core->rank->vm->profile.cross_flag_limit);
    if (owe_settle_cross(core, id))
        return true;
    cross->count[id]++;
    wake_cross(core, id);
    return true;
}

bool flag_cross_take(struct core *core, unsigned pipe, uint32_t pc, unsigned id)
{
    if (!core->cross || !core->cross->count[id])
        return false;
    core->cross->count[id]--;
    PROBE(core->rank->vm, cross_take, core, pipe, pc, id);
    if (observed(core))
        observe_core(core, pc, (struct pto_event){.kind = PTO_EV_CROSS_TAKE,
                                                  .pipe = (uint8_t)pipe,
                                                  .time_ps = core->rank->now,
                                                  .flag_id = (uint8_t)id});
    return true;
}

static void send_count(struct core *from, struct core *to, uint32_t pc, unsigned id)
{
    if (asks_why(from))
        observe_core(from, pc, (struct pto_event){.kind = PTO_EV_CROSS_SEND,
                                                  .peer = to->number,
                                                  .time_ps = from->rank->now,
                                                  .flag_id = (uint8_t)id});
    cross_of(to)->setter[id] = (struct cross_setter){from, pc};
    PROBE(to->rank->vm, cross_send, to, id);
    link_send_cross(to->rank, to->number, id);
}

/* When every one of `group` has sent, each of them has one less to match. */
static bool all_sent(struct core *const *group, unsigned members, unsigned id)
{
    for (unsigned i = 0; i < members; i++)
        if (!group[i]->cross || !group[i]->cross->sent[id])
            return false;
    for (unsigned i = 0; i < members; i++)
        group[i]->cross->sent[id]--;
    PROBE(group[0]->rank->vm, cross_match, group, members, id);
    return true;
}

/* Members of a cross-core group of a core; returns their number. */
static unsigned collect_group(struct core *core, bool whole_rank, struct core **group)
{
    struct core *first = whole_rank ? core->rank->core : first_of_block(core);
    unsigned cores = whole_rank ? core->rank->cores : cores_of_block(core), members = 0;

    for (struct core *other = first; other < first + cores; other++)
        if (other->ready && other->kind == core->kind)
            group[members++] = other;
    return members;
}

/* Modes 0 and 1: a barrier of all sub-cores of the kind, or of the vector sub-cores of a block. */
static bool barrier_flag(struct core *core, uint32_t pc, bool whole_rank, unsigned id)
{
    struct core **group = pto_xcalloc(core->rank->cores, sizeof(struct core *));
    unsigned members = collect_group(core, whole_rank, group);

    if (all_sent(group, members, id))
        for (unsigned i = 0; i < members; i++)
            send_count(core, group[i], pc, id);
    free(group);
    return true;
}

/* Mode 2: from the cube sub-core to each of its vector sub-cores, or from all of these to it. */
static bool block_flag(struct core *core, uint32_t pc, unsigned pipe, unsigned id)
{
    unsigned vectors = core->ready->kernel->vectors_per_block;
    struct core *cube = sibling(core, PTO_AIC, 0), *vector[2] = {NULL, NULL};

    for (unsigned sub = 0; sub < vectors; sub++)
        vector[sub] = sibling(core, PTO_AIV, sub);
    if (!cube || !vector[0])
        return fault_raise(core, pc, pipe, core->rank->now,
                           "the kernel needs both .core aic and .core aiv",
                           "cross-core flag in mode 2 without a partner in the block");
    if (core->kind == PTO_AIC) {
        core->cross->sent[id]--;
        PROBE(core->rank->vm, cross_match, &core, 1, id);
        for (unsigned sub = 0; sub < vectors; sub++)
            send_count(core, vector[sub], pc, id);
    } else if (all_sent(vector, vectors, id)) {
        send_count(core, cube, pc, id);
    }
    return true;
}

/* The flags of a block go from the cube to one vector sub-core, or from this one to the cube. */
static bool flag_to_one(struct core *core, uint32_t pc, unsigned pipe, unsigned place)
{
    unsigned sub = (place - CROSS_FLAGS) / PTO_INTRA_BLOCK_FLAGS;
    struct core *to = core->kind == PTO_AIC ? sibling(core, PTO_AIV, sub)
                                            : sibling(core, PTO_AIC, 0);

    if (!to)
        return fault_raise(core, pc, pipe, core->rank->now,
                           "the kernel needs both .core aic and .core aiv",
                           "intra-block flag without a partner in the block");
    core->cross->sent[place]--;
    PROBE(core->rank->vm, cross_match, &core, 1, place);
    send_count(core, to, pc, place);
    return true;
}

bool flag_cross_set(struct core *core, uint32_t pc, unsigned pipe, unsigned mode, unsigned id)
{
    struct cross *cross = cross_of(core);

    if (cross->sent[id] >= core->rank->vm->profile.cross_flag_limit)
        return fault_raise(core, pc, pipe, core->rank->now, "the partners have to send as often",
                           "%s overflows: %u sets of this sub-core are unmatched",
                           CROSS_NAME(core, id), cross->sent[id]);
    cross->sent[id]++;
    cross->sent_pc[id] = pc;
    PROBE(core->rank->vm, cross_set, core, pipe, mode, id);
    if (observed(core))
        observe_core(core, pc, (struct pto_event){.kind = PTO_EV_CROSS_SET,
                                                  .pipe = (uint8_t)pipe,
                                                  .time_ps = core->rank->now,
                                                  .next_ps = link_cross_arrival(core->rank),
                                                  .flag_id = (uint8_t)id,
                                                  .value = mode,
                                                  .entry = head_number(core, pipe)});
    if (mode == CROSS_TO_ONE)
        return flag_to_one(core, pc, pipe, id);
    if (mode == 2)
        return block_flag(core, pc, pipe, id);
    if (mode == 1 && core->kind != PTO_AIV)
        return fault_raise(core, pc, pipe, core->rank->now, NULL,
                           "mode 1 joins the vector sub-cores of a block");
    return barrier_flag(core, pc, mode == 0, id);
}

/* Is there nothing that anybody may still look for? */
static bool no_counts(const struct cross *cross)
{
    static const struct cross none;

    return !cross || (!memcmp(cross->count, none.count, sizeof none.count) &&
                      !memcmp(cross->sent, none.sent, sizeof none.sent) &&
                      !memcmp(cross->setter, none.setter, sizeof none.setter));
}

void flag_release_cross(struct core *core)
{
    if (!no_counts(core->cross))
        return;
    free(core->cross);
    core->cross = NULL;
}

void flag_report_cross_left(struct core *core)
{
    const struct cross *cross = core->cross;

    for (unsigned id = 0; cross && id < CROSS_PLACES; id++) {
        const struct cross_setter *setter = &cross->setter[id];

        if (cross->count[id])
            fault_leftover(setter->core, setter->pc, FLAG_LEFT_HINT,
                           "%s has %u count%s at %s that %s never waited for",
                           CROSS_NAME(core, id), cross->count[id],
                           cross->count[id] == 1 ? "" : "s", core->name,
                           cross->count[id] == 1 ? "was" : "were");
        if (cross->sent[id])
            fault_leftover(core, cross->sent_pc[id], FLAG_LEFT_HINT,
                           "%s was set %u time%s more than by its partners",
                           CROSS_NAME(core, id), cross->sent[id], cross->sent[id] == 1 ? "" : "s");
    }
}
