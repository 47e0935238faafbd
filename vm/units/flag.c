#include "flag.h"

#include <stdlib.h>
#include <string.h>

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
    core->waits->held = (uint8_t)i;
    if (core->waits->conditions > 1)
        core->reg[core->waits->which] = i;
    if (asks_why(core))
        why_held(core);
    PROBE(core->rank->vm, signal_seen, core);
    return true;
}

/* Which elements of an object: a bit for each, by its number modulo 64. */
static uint64_t element_bit(uint64_t offset)
{
    return UINT64_C(1) << offset / sizeof(int32_t) % 64;
}

static uint64_t elements_of(const struct signal_wait *wait)
{
    bool one = gm_rows(wait->gm) == 1 && gm_cols(wait->gm) == 1;

    return one ? element_bit(wait->gm[GM_OFFSET]) : UINT64_MAX;
}

static struct object *object_of(const struct signal_wait *wait)
{
    struct core *core = wait->core;

    return &core->rank->object[memory_object(core, gm_object(wait->gm))->object];
}

void flag_wait_signal(struct core *core)
{
    core->stall = STALL_SIGNAL;
    for (unsigned i = 0; i < core->waits->conditions; i++) {
        struct signal_wait *wait = &core->waits->condition[i];
        struct object *object = object_of(wait);

        wait->next = object->waiters;
        object->waiters = wait;
        object->awaited |= elements_of(wait);
    }
}

static void stop_waiting(struct core *core)
{
    for (unsigned i = 0; i < core->waits->conditions; i++) {
        struct signal_wait **link = &object_of(&core->waits->condition[i])->waiters;

        while (*link != &core->waits->condition[i])
            link = &(*link)->next;
        *link = core->waits->condition[i].next;
    }
}

/* Of many sub-cores that wait in an object, most wait for other elements than the ones that were
 * written, which the host need not look at; `written`: bits of those. */
static void wake_waiters(struct rank *rank, struct object *object, uint64_t written)
{
    struct signal_wait **first = &object->waiters, **link = first;
    uint64_t left = 0;

    if (!(object->awaited & written))
        return;
    while (*link) {
        struct core *core = (*link)->core;
        uint64_t elements = elements_of(*link);

        if (!(elements & written) || !holds(*link)) {
            left |= elements;
            link = &(*link)->next;
            continue;
        }
        flag_signal_holds(core);
        stop_waiting(core);
        wake_finished(core, rank->now + cost_of(core, COST_WAKE));
        if (core->waits->conditions > 1) /* others of its own may have stood before this one */
            link = first;
    }
    object->awaited = left;
}

void flag_object_written(struct rank *rank, uint32_t number)
{
    wake_waiters(rank, &rank->object[number], UINT64_MAX);
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
                 int operation, uint32_t tag)
{
    const uint8_t *data = rank->object[object].data;
    uint64_t written = 0;

    PROBE(rank->vm, notify_land, rank, object, view, value, operation, tag);
    for (uint32_t r = 0; r < view->rows; r++)
        for (uint32_t c = 0; c < view->cols; c++) {
            uint8_t *at = view->data + r * view->row_stride + c * view->col_stride;
            uint32_t element, before;

            memcpy(&element, at, sizeof element);
            before = element;
            element = operation == PTO_NOTIFY_SET ? (uint32_t)value : element + (uint32_t)value;
            memcpy(at, &element, sizeof element);
            written |= element_bit((uint64_t)(at - data));
            if (__builtin_expect(rank->vm->causes, 0))
                why_element(rank, object, at, before);
        }
    if (rank->vm->observers)
        tell_signal(rank, object, view);
    wake_waiters(rank, &rank->object[object], written);
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
            fault_leftover(core, core_token_pc(core, src, dst, id), FLAG_LEFT_HINT,
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

void flag_release(struct core *core)
{
    if (no_tokens(core->flags)) {
        free(core->flags);
        core->flags = NULL;
    }
    flag_release_cross(core);
}
