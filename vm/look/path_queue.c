#include "path_queue.h"

static enum pto_cause cause_of_phase(const struct pto_event *event)
{
    if (event->remote)
        return PTO_CAUSE_LINK;
    return event->pipe == PTO_PIPE_V || event->pipe == PTO_PIPE_M ? PTO_CAUSE_COMPUTE
                                                                  : PTO_CAUSE_MEMORY;
}

uint32_t path_step(struct path_note *n, const struct pto_event *event, unsigned core,
                     uint64_t time, uint32_t site, enum pto_cause cause)
{
    struct unit *unit = unit_of(n, event->rank, core);
    struct passage way = passage(event, PTO_PIPE_S, site, cause);

    way.core = (uint16_t)core;
    unit->site = site;
    if (time > at(n, unit->s))
        unit->s = points_add(&n->points, time,
                             since(n, unit->s, time, way), NOTHING);
    return unit->s;
}

/* ---- queues ---- */

struct lane *path_lane(struct path_note *n, struct unit *unit, unsigned pipe)
{
    const struct pto_profile *profile = &n->vm->profile;
    struct lane *lane = &unit->lane[pipe];

    if (lane->entry)
        return lane;
    lane->depth = pipe == PTO_DMA ? profile->async_limit : profile->queue_depth;
    while (lane->mask < 2 * lane->depth + 1)
        lane->mask = 2 * lane->mask + 1;
    lane->entry = pto_xcalloc((size_t)lane->mask + 1, sizeof *lane->entry);
    lane->done = NO_POINT;
    return lane;
}

struct noted_entry *path_entry(struct lane *lane, uint64_t number)
{
    struct noted_entry *entry = &lane->entry[number & lane->mask];

    return number && entry->number == number ? entry : NULL;
}

void path_issue(struct path_note *n, const struct pto_event *event)
{
    struct unit *unit = unit_of(n, event->rank, event->core);
    struct lane *lane = path_lane(n, unit, event->pipe);
    const struct noted_entry *before =
        event->entry > lane->depth ? path_entry(lane, event->entry - lane->depth) : NULL;
    uint32_t site = site_of(n, event), room = before ? before->done : NO_POINT;
    struct passage way = passage(event, PTO_PIPE_S, site, PTO_CAUSE_ISSUE);

    if (room == NO_POINT)
        path_step(n, event, event->core, event->time_ps, site, PTO_CAUSE_ISSUE);
    else
        unit->s = points_add(&n->points, event->time_ps, since(n, unit->s, event->time_ps, way),
                             (struct before){room, 0, way});
    unit->site = site;
    lane->entry[event->entry & lane->mask] = (struct noted_entry){
        .number = event->entry,
        .issue = unit->s,
        .start = NO_POINT,
        .done = NO_POINT,
        .passage = passage(event, event->pipe, site, PTO_CAUSE_SYNC),
    };
}

/* The point from which on an entry could start, or did: it is issued and the pipe is free. */
static uint32_t start_point(struct path_note *n, struct lane *lane,
                            const struct noted_entry *entry, uint64_t time)
{
    const struct noted_entry *last = path_entry(lane, entry->number - 1);
    struct before pipe = NOTHING, issue = {entry->issue, 0, entry->passage};

    if (last && last->start != NO_POINT && last->next_ps >= at(n, last->start))
        pipe = since(n, last->start, last->next_ps, last->passage);
    if (pipe.point == NO_POINT || last->next_ps < time) /* the engine takes time to begin */
        issue.weight = time - at(n, entry->issue);
    return points_add(&n->points, time, pipe, issue);
}

static void add_useful(struct noted_rank *rank, uint64_t start, uint64_t end)
{
    if (start < rank->useful_until)
        start = rank->useful_until;
    if (end <= start)
        return;
    rank->useful_ps += end - start;
    rank->useful_until = end;
}

void path_phase(struct path_note *n, const struct pto_event *event)
{
    struct lane *lane = path_lane(n, unit_of(n, event->rank, event->core), event->pipe);
    struct noted_entry *entry = path_entry(lane, event->entry);

    if (!event->remote)
        add_useful(&n->rank[event->rank], event->time_ps, event->next_ps);
    if (!entry)
        return;
    entry->kind = ENTRY_TILE;
    entry->passage.cause = (uint8_t)cause_of_phase(event);
    entry->start = start_point(n, lane, entry, event->time_ps);
    entry->next_ps = event->next_ps;
}

void path_put_off(struct path_note *n, const struct pto_event *event)
{
    struct lane *lane = path_lane(n, unit_of(n, event->rank, event->core), event->pipe);
    struct noted_entry *entry = path_entry(lane, event->entry);

    if (entry)
        entry->next_ps = event->next_ps;
}

static struct tokens *tokens_of(struct unit *unit, const struct pto_event *event)
{
    if (!unit->tokens)
        unit->tokens = pto_xcalloc((size_t)PTO_PIPE_COUNT * PTO_PIPE_COUNT * EVENT_IDS,
                                   sizeof *unit->tokens);
    return &unit->tokens[(event->flag_src * PTO_PIPE_COUNT + event->flag_dst) * EVENT_IDS +
                         event->flag_id];
}

static uint32_t take_token(struct unit *unit, const struct pto_event *event)
{
    struct tokens *tokens = tokens_of(unit, event);

    uint32_t taken = tokens->waits++; /* before it was set, if nobody waits */

    return taken < tokens->sets ? tokens->point[taken % TOKENS] : NO_POINT;
}

void path_pass(struct path_note *n, const struct pto_event *event)
{
    struct unit *unit = unit_of(n, event->rank, event->core);
    struct lane *lane = path_lane(n, unit, event->pipe);
    struct noted_entry *entry = path_entry(lane, event->entry);
    uint32_t release, ready;
    struct before released;
    bool listed;

    if (!entry)
        return;
    entry->kind = event->reason;
    entry->next_ps = event->next_ps;
    if (event->reason == ENTRY_UNWAITED_FLAG)
        take_token(unit, event);
    if (event->reason != ENTRY_WAIT && event->reason != ENTRY_CROSS_WAIT &&
        event->reason != ENTRY_BARRIER) {
        entry->start = start_point(n, lane, entry, event->time_ps);
        return;
    }
    listed = event->reason != ENTRY_WAIT || event->flag_id < USER_EVENTS;
    release = event->reason == ENTRY_WAIT ? take_token(unit, event) : lane->done;
    released = event->reason == ENTRY_CROSS_WAIT
                   ? crossed(n, event, event->pipe)
                   : (struct before){release, 0, entry->passage};
    ready = start_point(n, lane, entry, event->start_ps);
    entry->start = entry->done =
        points_wait(&n->points, event->time_ps, (struct before){ready, 0, entry->passage},
                    released, (struct point_kind){listed, false});
}

/* The point at which an entry completes, which is now. */
static uint32_t complete(struct path_note *n, struct lane *lane, uint64_t number, uint64_t time)
{
    struct noted_entry *entry = path_entry(lane, number);
    uint64_t took;

    if (!entry || entry->start == NO_POINT)
        return lane->done;
    if (entry->done != NO_POINT)
        return entry->done;
    took = entry->kind == ENTRY_TILE ? time - at(n, entry->start) : 0;
    entry->done = points_add(&n->points, time, (struct before){lane->done, 0, entry->passage},
                             (struct before){entry->start, took, entry->passage});
    lane->done = entry->done;
    lane->completed = number;
    return entry->done;
}

uint32_t path_at_work(struct path_note *n, struct lane *lane, uint64_t time, bool ends)
{
    for (uint64_t number = lane->completed + 1; path_entry(lane, number); number++) {
        struct noted_entry *entry = path_entry(lane, number);

        if (entry->kind != ENTRY_TILE || entry->done != NO_POINT)
            continue;
        if (entry->start == NO_POINT)
            break;
        if (ends)
            return complete(n, lane, number, time);
        return points_add(&n->points, time,
                          since(n, entry->start, time, entry->passage), NOTHING);
    }
    return lane->done;
}

uint32_t path_act(struct path_note *n, const struct pto_event *event)
{
    struct unit *unit = unit_of(n, event->rank, event->core);

    if (event->pipe == PTO_PIPE_S)
        return path_step(n, event, event->core, event->time_ps, site_of(n, event), PTO_CAUSE_ISSUE);
    return complete(n, path_lane(n, unit, event->pipe), event->entry, event->time_ps);
}

void path_set(struct path_note *n, const struct pto_event *event)
{
    struct tokens *tokens = tokens_of(unit_of(n, event->rank, event->core), event);
    uint32_t point = path_act(n, event);

    if (event->flag_dst != PTO_PIPE_S)
        tokens->point[tokens->sets++ % TOKENS] = point;
}
