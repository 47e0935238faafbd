#include "path.h"

#include <stdlib.h>

#include "arena.h"
#include "path_note.h"
#include "points.h"

enum { MOST_REMOVED = 64 }; /* instructions whose waits are taken away one after the other */

struct pto_critical {
    struct pto_vm *vm;
    struct path_note *note;
    struct pto_critical_result result;
    bool done;
};

const char *pto_cause_name(unsigned cause)
{
    static const char *const name[] = {"compute", "memory", "link", "sync", "issue", "launch"};

    return name[cause];
}

enum pto_status pto_critical_start(struct pto_vm *vm, struct pto_critical **path)
{
    *path = pto_xcalloc(1, sizeof **path);
    (*path)->vm = vm;
    (*path)->note = path_note_start(vm);
    return pto_vm_observe_causes(vm, path_note_observe, (*path)->note);
}

void pto_critical_free(struct pto_critical *path)
{
    if (!path)
        return;
    path_note_free(path->note);
    free(path->result.step);
    free(path->result.wait);
    free(path->result.useful_ps);
    free(path);
}

/* ---- the way back ---- */

static bool same_step(const struct pto_critical_step *a, const struct pto_critical_step *b)
{
    return a->place.insn == b->place.insn && a->rank == b->rank && a->core == b->core &&
           a->pipe == b->pipe && a->cause == b->cause;
}

static void turn_around(struct pto_critical_result *result)
{
    for (uint32_t i = 0; i < result->steps / 2; i++) {
        struct pto_critical_step step = result->step[i];

        result->step[i] = result->step[result->steps - 1 - i];
        result->step[result->steps - 1 - i] = step;
    }
}

/* The steps from the end back to the beginning.  `on_path` learns of the instructions whose waits
 * held the run up. */
static void walk(struct pto_critical *path, uint32_t end, bool *on_path)
{
    const struct points *points = path_note_points(path->note);
    struct pto_critical_result *result = &path->result;
    uint32_t capacity = 0;

    for (uint32_t i = end; i != 0; i = points->point[i].before) {
        const struct point *point = &points->point[i];
        struct pto_critical_step step = {
            .start_ps = points_time(points, point->before),
            .end_ps = point->time,
            .place = path_note_place(path->note, point->passage.site),
            .rank = point->passage.rank,
            .core = point->passage.core,
            .pipe = point->passage.pipe,
            .cause = point->passage.cause,
        };

        if (point->wait == POINT_HELD_UP)
            on_path[point->passage.site] = true;
        if (step.start_ps == step.end_ps)
            continue;
        result->cause_ps[step.cause] += step.end_ps - step.start_ps;
        if (result->steps && same_step(&result->step[result->steps - 1], &step)) {
            result->step[result->steps - 1].start_ps = step.start_ps;
            continue;
        }
        PTO_GROW(result->step, result->steps, capacity);
        result->step[result->steps++] = step;
    }
    turn_around(result);
}

/* ---- waits ---- */

static void add_wait(struct pto_critical_wait *wait, const struct points *points,
                     const uint64_t *latest, uint32_t number)
{
    const struct point *point = &points->point[number];
    bool held_up = point->wait == POINT_HELD_UP;
    uint32_t release = held_up ? point->before : point->other;
    uint32_t ready = held_up ? point->other : point->before;
    uint64_t weight = held_up ? point->time - points_time(points, release) : point->weight;
    uint64_t from = ready == NO_POINT ? 0 : points_time(points, ready), slack;

    wait->count++;
    wait->held_up += held_up;
    if (held_up)
        wait->waited_ps += point->time - from - (ready == NO_POINT ? 0 : point->weight);
    if (latest[number] == UINT64_MAX)
        return;
    slack = latest[number] - weight - points_time(points, release);
    if (!wait->has_slack || slack < wait->slack_ps)
        wait->slack_ps = slack;
    wait->has_slack = true;
}

static int by_weight(const void *one, const void *two)
{
    const struct pto_critical_wait *a = one, *b = two;

    if (a->gain_ps != b->gain_ps)
        return a->gain_ps > b->gain_ps ? -1 : 1;
    if (a->has_slack != b->has_slack)
        return a->has_slack ? -1 : 1;
    if (a->slack_ps != b->slack_ps)
        return a->slack_ps < b->slack_ps ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void collect_waits(struct pto_critical *path, uint32_t end, const bool *on_path)
{
    const struct points *points = path_note_points(path->note);
    uint32_t sites = path_note_sites(path->note), removed = 0;
    struct pto_critical_wait *wait = pto_xcalloc(sites, sizeof *wait);
    uint64_t *latest = points_latest(points, end);
    struct pto_critical_result *result = &path->result;

    for (uint32_t i = 1; i <= end; i++)
        if (points->point[i].wait != POINT_NO_WAIT)
            add_wait(&wait[points->point[i].passage.site], points, latest, i);
    for (uint32_t site = 1; site < sites; site++) {
        if (!wait[site].count)
            continue;
        wait[site].place = path_note_place(path->note, site);
        wait[site].number = site;
        if (on_path[site] && removed++ < MOST_REMOVED)
            wait[site].gain_ps = result->time_ps - points_without(points, end, site);
        wait[result->waits++] = wait[site]; /* never ahead of what is still to be read */
    }
    if (result->waits)
        qsort(wait, result->waits, sizeof *wait, by_weight);
    result->wait = wait;
    free(latest);
}

static void collect_useful(struct pto_critical *path)
{
    struct pto_critical_result *result = &path->result;

    result->ranks = pto_vm_ranks(path->vm);
    result->useful_ps = pto_xcalloc((size_t)result->ranks, sizeof *result->useful_ps);
    for (int rank = 0; rank < result->ranks; rank++)
        result->useful_ps[rank] = path_note_useful(path->note, rank);
}

const struct pto_critical_result *pto_critical_finish(struct pto_critical *path)
{
    uint32_t end;
    bool *on_path;

    if (!pto_vm_finished(path->vm) || pto_vm_fault(path->vm))
        return NULL;
    if (path->done)
        return &path->result;
    path->done = true;
    path->result.time_ps = pto_vm_time(path->vm);
    end = path_note_end(path->note, path->result.time_ps);
    on_path = pto_xcalloc(path_note_sites(path->note), sizeof *on_path);
    walk(path, end, on_path);
    collect_waits(path, end, on_path);
    free(on_path);
    collect_useful(path);
    return &path->result;
}
