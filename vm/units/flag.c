#include "flag.h"

#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "machine/cost.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/probe.h"
#include "machine/queue.h"
#include "machine/signal.h"
#include "machine/wake.h"
#include "owe.h"
#include "why.h"

static const char LEFT_HINT[] =
    "every set needs its wait before the end, or the next launch starts out of step";

/* Room for the tokens of one pair of pipes more. */
static __attribute__((noinline)) struct flag_pair *add_pair(struct core *core, unsigned src,
                                                            unsigned dst)
{
    struct flags *flags = core->flags;
    size_t before = flags_bytes(flags), room = flags ? 2u * flags->room : 2u;

    if (!flags || flags->pairs == flags->room) {
        flags = pto_xrealloc(flags, sizeof *flags + room * sizeof *flags->pair);
        memset((uint8_t *)flags + before, 0, sizeof *flags + room * sizeof *flags->pair - before);
        flags->room = (uint8_t)room;
        core->flags = flags;
    }
    flags->place[src][dst] = ++flags->pairs;
    return &flags->pair[flags->pairs - 1];
}

static inline struct flag_pair *pair_of(struct core *core, unsigned src, unsigned dst)
{
    struct flag_pair *pair = core_pair(core, src, dst);

    return pair ? pair : add_pair(core, src, dst);
}

static struct cross *cross_of(struct core *core)
{
    if (!core->cross)
        core->cross = pto_xcalloc(1, sizeof *core->cross);
    return core->cross;
}

/* ---- flags inside a sub-core ---- */

bool flag_set(struct core *core, uint32_t pc, unsigned src, unsigned dst, unsigned id)
{
    struct rank *rank = core->rank;
    struct flag_pair *pair = pair_of(core, src, dst);
    uint8_t *tokens = &pair->token[id];

    if (*tokens && *tokens >= rank->vm->profile.flag_depth && id < USER_EVENTS)
        return fault_raise(core, pc, src, rank->now,
                           "every set_flag needs its wait_flag before the next set_flag",
                           "set_flag %s, %s, %u on a pending token, which was set at %s",
                           pto_enum_keyword(PTO_ENUM_PIPE, (int)src),
                           pto_enum_keyword(PTO_ENUM_PIPE, (int)dst), id,
                           fault_place(core, pair->pc[id]));
    PROBE(rank->vm, flag_set, core, pc, src, dst, id);
    if (!core->owed || !owe_settle_flag(core, src, dst, id))
        ++*tokens;
    pair->pc[id] = pc;
    if (observed(core))
        observe_core(core, pc, (struct pto_event){.kind = PTO_EV_SET,
                                                  .pipe = (uint8_t)src,
                                                  .time_ps = rank->now,
                                                  .flag_src = (uint8_t)src,
                                                  .flag_dst = (uint8_t)dst,
                                                  .flag_id = (uint8_t)id,
                                                  .entry = head_number(core, src)});
    wake_token(core, src, dst, id);
    return true;
}

/* ---- cross-core flags ---- */

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
        fault_leftover(setter->core, setter->pc, LEFT_HINT,
                       "a count of cross-core flag %u reached %s after its end", id, core->name);
        return true;
    }
    if (cross->count[id] >= core->rank->vm->profile.cross_flag_limit)
        return fault_raise(setter->core, setter->pc, PTO_PIPE_S, core->rank->now,
                           "let the receiver wait_flag_dev more often",
                           "cross-core flag %u overflows at %s: more than %u counts are "
                           "outstanding",
                           id, core->name, core->rank->vm->profile.cross_flag_limit);
    if (owe_settle_cross(core, id))
        return true;
    cross->count[id]++;
    wake_cross(core, id);
    return true;
}

bool flag_cross_take(struct core *core, unsigned id)
{
    if (!core->cross || !core->cross->count[id])
        return false;
    core->cross->count[id]--;
    PROBE(core->rank->vm, cross_take, core, id);
    if (observed(core))
        observe_core(core, core->pc, (struct pto_event){.kind = PTO_EV_CROSS_TAKE,
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

bool flag_cross_set(struct core *core, uint32_t pc, unsigned pipe, unsigned mode, unsigned id)
{
    struct cross *cross = cross_of(core);

    if (cross->sent[id] >= core->rank->vm->profile.cross_flag_limit)
        return fault_raise(core, pc, pipe, core->rank->now, "the partners have to send as often",
                           "cross-core flag %u overflows: %u sets of this sub-core are unmatched",
                           id, cross->sent[id]);
    cross->sent[id]++;
    cross->sent_pc[id] = pc;
    PROBE(core->rank->vm, cross_set, core, pipe, mode, id);
    if (observed(core))
        observe_core(core, pc, (struct pto_event){.kind = PTO_EV_CROSS_SET,
                                                  .pipe = (uint8_t)pipe,
                                                  .time_ps = core->rank->now,
                                                  .flag_id = (uint8_t)id,
                                                  .value = mode,
                                                  .entry = head_number(core, pipe)});
    if (mode == 2)
        return block_flag(core, pc, pipe, id);
    if (mode == 1 && core->kind != PTO_AIV)
        return fault_raise(core, pc, pipe, core->rank->now, NULL,
                           "mode 1 joins the vector sub-cores of a block");
    return barrier_flag(core, pc, mode == 0, id);
}

/* ---- sync_all ---- */

static bool in_scope(const struct core *core, int scope)
{
    return core->ready && (scope == PTO_SYNC_ALL || (scope == PTO_SYNC_AIC) ==
                                                        (core->kind == PTO_AIC));
}

/* A participant that has ended can never come. */
static bool check_participants(struct core *core, int scope)
{
    for (unsigned i = 0; core->rank->ended && i < core->rank->cores; i++) {
        const struct core *other = &core->rank->core[i];

        if (in_scope(other, scope) && other->stall == STALL_ENDED)
            return FAULT_HERE(core, "every participant has to reach every sync_all",
                              "sync_all waits for %s, which has ended", other->name);
    }
    return true;
}

void flag_core_ends(struct core *core)
{
    for (unsigned i = 0; i < core->rank->cores; i++) {
        struct core *other = &core->rank->core[i];

        if (other->ready && other->stall == STALL_SYNC_ALL && in_scope(core, other->sync_scope))
            fault_raise(other, other->pc, PTO_PIPE_S, core->rank->now,
                        "every participant has to reach every sync_all",
                        "sync_all waits for %s, which has ended", core->name);
    }
}

static void release_all(struct core *core, int scope)
{
    struct rank *rank = core->rank;
    uint64_t when = rank->now + rank->duration[COST_SYNC_ALL];

    PROBE(rank->vm, sync_all, rank);
    for (unsigned i = 0; i < rank->cores; i++) {
        struct core *other = &rank->core[i];

        if (!in_scope(other, scope))
            continue;
        other->arrived = false;
        wake_finished(other, when);
    }
}

/* Have all come?  Who had not at the last look most likely has not yet. */
static bool all_arrived(struct rank *rank, int scope)
{
    for (unsigned looked = 0; looked < rank->cores; looked++) {
        const struct core *other = &rank->core[rank->late];

        if (in_scope(other, scope) && !(other->arrived && other->sync_scope == scope))
            return false;
        rank->late = rank->late + 1 < rank->cores ? rank->late + 1 : 0;
    }
    return true;
}

bool flag_sync_all(struct core *core, int scope)
{
    if (!in_scope(core, scope))
        return FAULT_HERE(core, NULL, "sync_all %s on %s, which is not a participant",
                          pto_enum_keyword(PTO_ENUM_SYNC, scope), core->name);
    if (!check_participants(core, scope))
        return false;
    core->arrived = true;
    core->sync_scope = (uint8_t)scope;
    core->stall = STALL_SYNC_ALL;
    if (all_arrived(core->rank, scope))
        release_all(core, scope);
    return true;
}

/* ---- signals ---- */

static bool holds(const struct signal_wait *wait)
{
    struct op_view view;

    memory_gm_view(wait->core, wait->gm, &view);
    for (uint32_t r = 0; r < view.rows; r++)
        for (uint32_t c = 0; c < view.cols; c++) {
            const uint8_t *at = view.data + r * view.row_stride + c * view.col_stride;
            int32_t element;

            memcpy(&element, at, sizeof element);
            if (!signal_is(element, wait->comparison, wait->value))
                return false;
        }
    return true;
}

bool flag_signal_holds(struct core *core)
{
    unsigned i = 0;

    while (i < core->waits->conditions && !holds(&core->waits->condition[i]))
        i++;
    if (i == core->waits->conditions)
        return false;
    core->waits->held = core->waits->condition[i];
    if (core->waits->conditions > 1)
        core->reg[core->waits->which] = i;
    if (asks_why(core))
        why_held(core);
    PROBE(core->rank->vm, signal_seen, core);
    return true;
}

static struct signal_wait **waiters_for(const struct signal_wait *wait)
{
    struct core *core = wait->core;

    return &core->rank->object[memory_object(core, gm_object(wait->gm))->object].waiters;
}

void flag_wait_signal(struct core *core)
{
    core->stall = STALL_SIGNAL;
    core->waits->held = core->waits->condition[0];
    for (unsigned i = 0; i < core->waits->conditions; i++) {
        struct signal_wait *wait = &core->waits->condition[i], **waiters = waiters_for(wait);

        wait->next = *waiters;
        *waiters = wait;
    }
}

static void stop_waiting(struct core *core)
{
    for (unsigned i = 0; i < core->waits->conditions; i++) {
        struct signal_wait **link = waiters_for(&core->waits->condition[i]);

        while (*link != &core->waits->condition[i])
            link = &(*link)->next;
        *link = core->waits->condition[i].next;
    }
}

void flag_object_written(struct rank *rank, uint32_t number, enum duration wake)
{
    struct signal_wait **first = &rank->object[number].waiters, **link = first;

    while (*link) {
        struct core *core = (*link)->core;

        if (!holds(*link)) {
            link = &(*link)->next;
            continue;
        }
        flag_signal_holds(core);
        stop_waiting(core);
        wake_finished(core, rank->now + cost_of(core, wake));
        if (core->waits->conditions > 1) /* others of its own may have stood before this one */
            link = first;
    }
}

static void tell_signal(struct rank *rank, uint32_t object, const struct op_view *view)
{
    int32_t first = 0;

    if (view->rows > 0 && view->cols > 0)
        memcpy(&first, view->data, sizeof first);
    observe_rank(rank, (struct pto_event){.kind = PTO_EV_SIGNAL,
                                          .time_ps = rank->now,
                                          .text = rank->object[object].name,
                                          .value = first});
}

void flag_notify(struct rank *rank, uint32_t object, const struct op_view *view, int64_t value,
                 int operation, uint32_t tag, enum duration wake)
{
    PROBE(rank->vm, notify_land, rank, object, view, value, operation, tag);
    for (uint32_t r = 0; r < view->rows; r++)
        for (uint32_t c = 0; c < view->cols; c++) {
            uint8_t *at = view->data + r * view->row_stride + c * view->col_stride;
            uint32_t element, before;

            memcpy(&element, at, sizeof element);
            before = element;
            element = operation == PTO_NOTIFY_SET ? (uint32_t)value : element + (uint32_t)value;
            memcpy(at, &element, sizeof element);
            if (__builtin_expect(rank->vm->causes, 0))
                why_element(rank, object, at, before, wake);
        }
    if (rank->vm->observers)
        tell_signal(rank, object, view);
    flag_object_written(rank, object, wake);
}

/* ---- a launch's start and end ---- */

void flag_reset(struct core *core)
{
    const size_t bytes = flags_bytes(core->flags);
    const uint8_t room = core->flags ? core->flags->room : 0;

    if (core->flags) {
        memset(core->flags, 0, bytes);
        core->flags->room = room;
    }
    if (core->cross)
        *core->cross = (struct cross){0};
    core->arrived = false;
    owe_reset(core);
}

static void report_tokens(struct core *core, unsigned src, unsigned dst)
{
    for (unsigned id = 0; id < USER_EVENTS; id++)
        if (core_tokens(core, src, dst, id))
            fault_leftover(core, core_token_pc(core, src, dst, id), LEFT_HINT,
                           "token of set_flag %s, %s, %u was never waited for",
                           pto_enum_keyword(PTO_ENUM_PIPE, (int)src),
                           pto_enum_keyword(PTO_ENUM_PIPE, (int)dst), id);
}

void flag_report_left(struct core *core)
{
    for (unsigned src = 0; src < PTO_PIPE_COUNT; src++)
        for (unsigned dst = 0; dst < PTO_PIPE_COUNT; dst++)
            if (core_pair(core, src, dst))
                report_tokens(core, src, dst);
}

/* Is there nothing that anybody may still look for? */
static bool no_tokens(const struct flags *flags)
{
    static const struct flag_pair none;

    for (unsigned i = 0; flags && i < flags->pairs; i++)
        if (memcmp(flags->pair[i].token, none.token, sizeof none.token) != 0)
            return false;
    return true;
}

static bool no_counts(const struct cross *cross)
{
    static const struct cross none;

    return !cross || (!memcmp(cross->count, none.count, sizeof none.count) &&
                      !memcmp(cross->sent, none.sent, sizeof none.sent) &&
                      !memcmp(cross->setter, none.setter, sizeof none.setter));
}

void flag_release(struct core *core)
{
    if (no_tokens(core->flags)) {
        free(core->flags);
        core->flags = NULL;
    }
    if (no_counts(core->cross)) {
        free(core->cross);
        core->cross = NULL;
    }
}

void flag_report_cross_left(struct core *core)
{
    const struct cross *cross = core->cross;

    for (unsigned id = 0; cross && id < CROSS_FLAGS; id++) {
        const struct cross_setter *setter = &cross->setter[id];

        if (cross->count[id])
            fault_leftover(setter->core, setter->pc, LEFT_HINT,
                           "cross-core flag %u has %u count%s at %s that %s never waited for", id,
                           cross->count[id], cross->count[id] == 1 ? "" : "s", core->name,
                           cross->count[id] == 1 ? "was" : "were");
        if (cross->sent[id])
            fault_leftover(core, cross->sent_pc[id], LEFT_HINT,
                           "cross-core flag %u was set %u time%s more than by its partners", id,
                           cross->sent[id], cross->sent[id] == 1 ? "" : "s");
    }
}
