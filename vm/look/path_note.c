#include "path_note.h"

#include <stdlib.h>
#include <string.h>

#include "path_queue.h"

/* ---- cross-core flags ---- */

static void on_cross(struct path_note *n, const struct pto_event *event)
{
    struct noted_rank *rank = &n->rank[event->rank];
    unsigned kept = 0;

    for (unsigned i = 0; i < rank->crossings; i++)
        if (rank->crossing[i].arrives >= event->time_ps)
            rank->crossing[kept++] = rank->crossing[i];
    rank->crossings = kept;
    PTO_GROW(rank->crossing, rank->crossings, rank->crossing_capacity);
    rank->crossing[rank->crossings++] = (struct crossing){
        event->next_ps - event->time_ps, event->next_ps, path_act(n, event), event->flag_id};
}

static void on_complete(struct path_note *n, const struct pto_event *event)
{
    path_act(n, event);
}

/* ---- messages ---- */

static struct passage over_link(int source, int target, uint32_t site)
{
    return (struct passage){site, (uint16_t)source, (uint16_t)target, PTO_CRITICAL_LINK,
                            PTO_CAUSE_LINK};
}

/* What a request brings counts as the time of the phase that asked. */
static void on_send(struct path_note *n, const struct pto_event *event)
{
    struct noted_rank *rank = &n->rank[event->rank];
    struct unit *unit = unit_of(n, event->rank, event->core);
    uint64_t sent = event->next_ps;
    struct passage way;
    struct lane *lane;
    uint32_t from;

    if (event->reason != MESSAGE_PUT && event->reason != MESSAGE_NOTIFY)
        return;
    lane = event->pipe == PTO_PIPE_S ? NULL : path_lane(n, unit, event->pipe);
    from = lane ? path_at_work(n, lane, sent, event->pipe != PTO_DMA)
                : path_step(n, event, event->core, sent, unit->site, PTO_CAUSE_ISSUE);
    if (event->message >= rank->sent_capacity) {
        uint64_t capacity = 2 * event->message + 64;

        rank->sent = pto_xrealloc(rank->sent, capacity * sizeof *rank->sent);
        memset(rank->sent + rank->sent_capacity, 0xff,
               (capacity - rank->sent_capacity) * sizeof *rank->sent);
        rank->sent_capacity = capacity;
    }
    way = over_link(event->rank, event->peer,
                    lane ? n->points.point[from].passage.site : site_of(n, event));
    rank->sent[event->message] =
        points_add(&n->points, event->time_ps, since(n, from, event->time_ps, way), NOTHING);
}

/* The message at hand arrives at a rank; NO_POINT: who sent it is unknown. */
static uint32_t arrived(struct path_note *n, int number)
{
    const struct noted_rank *rank = &n->rank[number], *source = &n->rank[rank->land_source];
    uint32_t sent = rank->land_number < source->sent_capacity ? source->sent[rank->land_number]
                                                              : NO_POINT;
    struct passage way;

    if (sent == NO_POINT)
        return NO_POINT;
    way = over_link(rank->land_source, number, n->points.point[sent].passage.site);
    return points_add(&n->points, rank->arrived_ps, since(n, sent, rank->arrived_ps, way), NOTHING);
}

/* The point at which it has done there what it does: a signal changes later. */
static uint32_t landed(struct path_note *n, int number)
{
    struct noted_rank *rank = &n->rank[number];

    if (rank->landed != NO_POINT)
        return rank->landed;
    rank->landed = arrived(n, number);
    if (rank->landed != NO_POINT && rank->arrived_ps < rank->land_ps) {
        struct passage way = n->points.point[rank->landed].passage;

        way.cause = PTO_CAUSE_SYNC;
        rank->landed = points_add(&n->points, rank->land_ps,
                                  since(n, rank->landed, rank->land_ps, way), NOTHING);
    }
    return rank->landed;
}

/* ---- waits of S ---- */

/* The last sub-core comes to a sync_all, which lets all go on, itself too. */
static uint32_t gathered(struct path_note *n, const struct pto_event *event)
{
    struct noted_rank *rank = &n->rank[event->rank];
    const struct unit *last = unit_of(n, event->rank, (unsigned)event->peer);

    if (at(n, last->s) <= event->time_ps)
        rank->gathered = path_step(n, event, (unsigned)event->peer, event->time_ps, last->site,
                                   PTO_CAUSE_ISSUE);
    return rank->gathered;
}

/* All entries of a pipe up to one are complete, in their order: one that waits may have passed
 * while the one before it was still at work. */
static uint32_t completed(struct path_note *n, struct lane *lane, uint64_t number)
{
    const struct noted_entry *last = path_entry(lane, number);

    if (!last || last->done == NO_POINT)
        return lane->done;
    return lane->done == NO_POINT ? last->done : points_later(&n->points, last->done, lane->done);
}

/* The point of what lets S go on. */
static uint32_t releasing(struct path_note *n, const struct pto_event *event)
{
    struct unit *actor;
    struct lane *lane;

    if (event->peer < 0) {
        if (event->reason != STALL_CROSS)
            return landed(n, event->rank);
        return points_add(&n->points, event->time_ps, crossed(n, event, PTO_PIPE_S), NOTHING);
    }
    if (event->reason == STALL_SYNC_ALL)
        return gathered(n, event);
    actor = unit_of(n, event->rank, (unsigned)event->peer);
    if (event->pipe == PTO_PIPE_S)
        return path_step(n, event, (unsigned)event->peer, event->time_ps, actor->site,
                         PTO_CAUSE_ISSUE);
    lane = path_lane(n, actor, event->pipe);
    if (event->reason == STALL_SIGNAL)
        return path_at_work(n, lane, event->time_ps, event->pipe != PTO_DMA);
    if (event->reason == STALL_BARRIER || event->reason == STALL_QUEUE)
        return completed(n, lane, event->entry - 1);
    return lane->done;
}

/* S goes on at `time`, from `ready` on if nothing had to let it. */
static void go_on(struct path_note *n, struct unit *unit, uint64_t time, struct before ready,
                  struct passage way)
{
    struct before release = NOTHING;

    if (unit->release != NO_POINT)
        release = since(n, unit->release, unit->release_ps, way);
    unit->s = points_wait(&n->points, time, ready, release,
                          (struct point_kind){unit->reason != STALL_QUEUE,
                                              unit->reason == STALL_SIGNAL});
    unit->release = NO_POINT;
}

static void on_resume(struct path_note *n, const struct pto_event *event)
{
    struct unit *unit = unit_of(n, event->rank, event->core);
    struct passage way = passage(event, PTO_PIPE_S, unit->stalled_at, PTO_CAUSE_SYNC), work = way;
    uint64_t done = at(n, unit->s);

    work.cause = PTO_CAUSE_ISSUE;
    go_on(n, unit, event->time_ps, (struct before){unit->s, event->start_ps - done, work}, way);
}

static bool is_twait(const struct pto_insn *insn)
{
    return insn && (insn->op == PTO_OP_TWAIT || insn->op == PTO_OP_TWAIT_ANY2 ||
                    insn->op == PTO_OP_TWAIT_ANY3);
}

static void on_element(struct path_note *n, const struct pto_event *event)
{
    uint32_t point = releasing(n, event);

    if (point != NO_POINT)
        signals_note(&n->signals, event, point);
}

/* One element of what a wait is for: it hangs on all of them. */
static void on_held(struct path_note *n, const struct pto_event *event)
{
    struct unit *unit = unit_of(n, event->rank, event->core);
    const struct signal_change *since = signals_since(&n->signals, event);

    if (!is_twait(event->insn) || !since || since->point == unit->held)
        return;
    unit->held_ps = unit->held == NO_POINT || since->wake_ps > unit->held_ps ? since->wake_ps
                                                                            : unit->held_ps;
    unit->held = unit->held == NO_POINT ? since->point
                                        : points_later(&n->points, since->point, unit->held);
}

/* What a wait is for was there when S came. */
static void on_unneeded(struct path_note *n, const struct pto_event *event)
{
    struct unit *unit = unit_of(n, event->rank, event->core);
    struct passage way = passage(event, PTO_PIPE_S, site_of(n, event), PTO_CAUSE_SYNC);
    uint64_t done = unit->held_ps < event->time_ps ? unit->held_ps : event->time_ps;

    unit->s = points_wait(&n->points, event->time_ps, since(n, unit->s, event->time_ps, way),
                          since(n, unit->held, done, way), (struct point_kind){true, true});
    unit->site = way.site;
    unit->held = NO_POINT;
}

static void on_took(struct path_note *n, const struct pto_event *event)
{
    enum pto_cause cause = PTO_CAUSE_ISSUE;
    const struct pto_op_info *info = pto_op_info(event->insn->op);

    if (unit_of(n, event->rank, event->core)->held != NO_POINT && is_twait(event->insn)) {
        on_unneeded(n, event);
        return;
    }
    if (event->insn->op == PTO_OP_DSB)
        cause = PTO_CAUSE_LINK;
    else if (info->class == PTO_SYNC)
        cause = PTO_CAUSE_SYNC;
    else if (info->class == PTO_ACCESS)
        cause = PTO_CAUSE_MEMORY;
    path_step(n, event, event->core, event->time_ps, site_of(n, event), cause);
}

/* ---- launches ---- */

/* The latest end that a launch of all ranks can have waited for: what others have done since it
 * began may have been told already. */
static uint32_t join_end(struct path_note *n, uint64_t launch)
{
    uint32_t latest = 0;

    for (int r = 0; r < n->vm->ranks; r++)
        if (at(n, n->rank[r].ends) > at(n, latest))
            latest = n->rank[r].ends;
    if (at(n, latest) <= launch)
        n->joined = latest;
    return n->joined;
}

static void on_launch(struct path_note *n, const struct pto_event *event)
{
    struct noted_rank *rank = &n->rank[event->rank];
    struct unit *unit = unit_of(n, event->rank, event->core);
    uint32_t from = n->vm->options.join ? join_end(n, event->time_ps) : rank->ends;
    uint64_t time = event->time_ps;

    if (at(n, rank->launch) != time)
        rank->launch = points_add(
            &n->points, time,
            since(n, from, time, passage(event, PTO_PIPE_S, 0, PTO_CAUSE_LAUNCH)), NOTHING);
    unit->s = rank->launch;
    unit->release = unit->held = NO_POINT;
    if (unit->tokens)
        memset(unit->tokens, 0,
               (size_t)PTO_PIPE_COUNT * PTO_PIPE_COUNT * EVENT_IDS * sizeof *unit->tokens);
    if (unit->lane[PTO_DMA].entry) { /* its submissions are counted anew */
        struct lane *lane = &unit->lane[PTO_DMA];

        memset(lane->entry, 0, ((size_t)lane->mask + 1) * sizeof *lane->entry);
        lane->completed = 0;
        lane->done = NO_POINT;
    }
}

static void on_end(struct path_note *n, const struct pto_event *event)
{
    struct noted_rank *rank = &n->rank[event->rank];
    struct unit *unit = unit_of(n, event->rank, event->core);
    struct passage way = passage(event, PTO_PIPE_S, 0, PTO_CAUSE_ISSUE);
    uint32_t end = unit->s;

    for (unsigned pipe = 0; pipe < PTO_QUEUE_COUNT; pipe++) {
        const struct lane *lane = &unit->lane[pipe];

        if (lane->entry && lane->done != NO_POINT)
            end = points_later(&n->points, lane->done, end);
    }
    rank->ends = points_add(&n->points, event->time_ps, since(n, end, event->time_ps, way),
                            (struct before){rank->ends, 0, {0}});
}

/* ---- from the machine ---- */

/* Nobody tells of a stall of the last one that comes to a sync_all. */
static void let_itself_go(struct path_note *n, struct unit *unit, const struct pto_event *event)
{
    struct passage way = passage(event, PTO_PIPE_S, site_of(n, event), PTO_CAUSE_SYNC);

    unit->reason = event->reason;
    unit->site = way.site;
    go_on(n, unit, event->start_ps, (struct before){unit->s, 0, way}, way);
}

static void on_release(struct path_note *n, const struct pto_event *event)
{
    struct unit *unit = unit_of(n, event->rank, event->core);

    unit->release = releasing(n, event);
    if (unit->held != NO_POINT && unit->release != NO_POINT && unit->held != unit->release)
        unit->release = points_later(&n->points, unit->release, unit->held);
    unit->held = NO_POINT;
    unit->release_ps = event->start_ps;
    if (event->peer == (int)event->core && event->pipe == PTO_PIPE_S)
        let_itself_go(n, unit, event);
}

static void on_land(struct path_note *n, const struct pto_event *event)
{
    struct noted_rank *rank = &n->rank[event->rank];

    rank->land_source = event->peer;
    rank->land_number = event->message;
    rank->arrived_ps = event->start_ps;
    rank->land_ps = event->time_ps;
    rank->landed = NO_POINT;
}

static void on_stall(struct path_note *n, const struct pto_event *event)
{
    struct unit *unit = unit_of(n, event->rank, event->core);

    unit->stalled_at = site_of(n, event);
    unit->reason = event->reason;
}

void path_note_observe(void *context, const struct pto_event *event)
{
    static void (*const note[])(struct path_note *n, const struct pto_event *event) = {
        [PTO_EV_LAUNCH] = on_launch, [PTO_EV_END] = on_end, [PTO_EV_ISSUE] = path_issue,
        [PTO_EV_STALL] = on_stall, [PTO_EV_RESUME] = on_resume, [PTO_EV_START] = path_phase,
        [PTO_EV_COMPLETE] = on_complete, [PTO_EV_SET] = path_set, [PTO_EV_SEND] = on_send,
        [PTO_EV_LAND] = on_land, [PTO_EV_CROSS_SET] = on_cross, [PTO_EV_PASS] = path_pass,
        [PTO_EV_TOOK] = on_took, [PTO_EV_RELEASE] = on_release,
        [PTO_EV_ELEMENT] = on_element, [PTO_EV_HELD] = on_held,
        [PTO_EV_PUT_OFF] = path_put_off,
    };

    if (event->kind < sizeof note / sizeof *note && note[event->kind])
        note[event->kind](context, event);
}

/* ---- start and end ---- */

struct path_note *path_note_start(struct pto_vm *vm)
{
    struct path_note *n = pto_xcalloc(1, sizeof *n);

    n->vm = vm;
    points_begin(&n->points);
    sites_begin(&n->sites);
    n->rank = pto_xcalloc((size_t)vm->ranks, sizeof *n->rank);
    for (int r = 0; r < vm->ranks; r++)
        n->rank[r].landed = NO_POINT;
    n->unit = pto_xcalloc((size_t)vm->ranks * vm->rank[0].cores, sizeof *n->unit);
    return n;
}

void path_note_free(struct path_note *n)
{
    size_t units = (size_t)n->vm->ranks * n->vm->rank[0].cores;

    for (size_t i = 0; i < units; i++) {
        for (unsigned pipe = 0; pipe < PTO_QUEUE_COUNT; pipe++)
            free(n->unit[i].lane[pipe].entry);
        free(n->unit[i].tokens);
    }
    for (int r = 0; r < n->vm->ranks; r++) {
        free(n->rank[r].sent);
        free(n->rank[r].crossing);
    }
    signals_free(&n->signals);
    free(n->unit);
    free(n->rank);
    sites_free(&n->sites);
    points_free(&n->points);
    free(n);
}

uint32_t path_note_end(struct path_note *n, uint64_t time)
{
    uint32_t end = 0;

    for (int r = 0; r < n->vm->ranks; r++) {
        uint32_t last = n->rank[r].land_ps ? arrived(n, r) : NO_POINT;

        end = points_later(&n->points, n->rank[r].ends, end);
        if (last != NO_POINT) /* nobody may wait for it, and the run lasts as long */
            end = points_later(&n->points, last, end);
    }
    return points_add(&n->points, time, since(n, end, time, over_link(0, 0, 0)), NOTHING);
}

const struct points *path_note_points(const struct path_note *n)
{
    return &n->points;
}

struct pto_critical_place path_note_place(const struct path_note *n, uint32_t site)
{
    return n->sites.place[site];
}

uint32_t path_note_sites(const struct path_note *n)
{
    return n->sites.count;
}

uint64_t path_note_useful(const struct path_note *n, int rank)
{
    return n->rank[rank].useful_ps;
}
