#include "points.h"

#include <stdlib.h>

#include "arena.h"

static const struct before NOTHING = {.point = NO_POINT};

static uint32_t append(struct points *points, struct point point)
{
    PTO_GROW(points->point, points->count, points->capacity);
    points->point[points->count] = point;
    return points->count++;
}

void points_begin(struct points *points)
{
    *points = (struct points){0};
    append(points, (struct point){.before = NO_POINT, .other = NO_POINT});
}

void points_free(struct points *points)
{
    free(points->point);
}

/* When it lets its successor come; 0: it says nothing. */
static uint64_t allows(const struct points *points, const struct before *before)
{
    return before->point == NO_POINT ? 0 : points_time(points, before->point) + before->weight;
}

static struct before sane(const struct points *points, uint64_t time, struct before before)
{
    return allows(points, &before) > time ? NOTHING : before;
}

static uint32_t add(struct points *points, uint64_t time, struct before from, struct before other,
                    enum point_wait wait)
{
    return append(points, (struct point){
                              .time = time,
                              .before = from.point == NO_POINT ? 0 : from.point,
                              .other = other.point,
                              .weight = other.weight < UINT32_MAX ? (uint32_t)other.weight
                                                                  : UINT32_MAX,
                              .passage = from.passage,
                              .wait = (uint8_t)wait,
                          });
}

uint32_t points_add(struct points *points, uint64_t time, struct before one, struct before two)
{
    one = sane(points, time, one);
    two = sane(points, time, two);
    if (one.point != NO_POINT && allows(points, &one) >= allows(points, &two))
        return add(points, time, one, two, POINT_NO_WAIT);
    return two.point == NO_POINT ? add(points, time, one, two, POINT_NO_WAIT)
                                 : add(points, time, two, one, POINT_NO_WAIT);
}

uint32_t points_later(struct points *points, uint32_t one, uint32_t two)
{
    uint64_t first = points_time(points, one), second = points_time(points, two);

    return points_add(points, first > second ? first : second, (struct before){one, 0, {0}},
                      (struct before){two, 0, {0}});
}

uint32_t points_wait(struct points *points, uint64_t time, struct before ready,
                     struct before release, struct point_kind kind)
{
    bool held_up, listed = kind.listed && sane(points, time, release).point != NO_POINT;
    uint32_t number;

    ready = sane(points, time, ready);
    release = sane(points, time, release);
    held_up = allows(points, &release) > allows(points, &ready);
    if (held_up)
        number = add(points, time, release, ready, listed ? POINT_HELD_UP : POINT_NO_WAIT);
    else
        number = add(points, time, ready, release, listed ? POINT_NOT_HELD_UP : POINT_NO_WAIT);
    points->point[number].leaps = kind.leaps && listed;
    return number;
}

static void lower(uint64_t *latest, uint64_t bound)
{
    if (bound < *latest)
        *latest = bound;
}

uint64_t *points_latest(const struct points *points, uint32_t last)
{
    uint64_t *latest = pto_xcalloc(points->count, sizeof *latest);

    for (uint32_t i = 0; i < points->count; i++)
        latest[i] = UINT64_MAX;
    latest[last] = points_time(points, last);
    for (uint32_t i = points->count; i-- > 1;) {
        const struct point *point = &points->point[i];

        if (latest[i] == UINT64_MAX)
            continue;
        lower(&latest[point->before],
              latest[i] - (point->time - points_time(points, point->before)));
        if (point->other != NO_POINT)
            lower(&latest[point->other], latest[i] - point->weight);
    }
    return latest;
}

/* Has what it waits for happened when the one who waits comes? */
static bool comes_after(const struct point *point, const uint64_t *time)
{
    return point->wait == POINT_HELD_UP ? time[point->other] >= time[point->before]
                                        : time[point->before] >= time[point->other];
}

uint64_t points_without(const struct points *points, uint32_t last, uint32_t site)
{
    uint64_t *time = pto_xcalloc(points->count, sizeof *time), end;

    for (uint32_t i = 1; i <= last; i++) {
        const struct point *point = &points->point[i];
        bool free_of = point->wait != POINT_NO_WAIT && point->passage.site == site;
        uint64_t from = time[point->before] + point->time - points_time(points, point->before);
        uint64_t other = point->other == NO_POINT ? 0 : time[point->other] + point->weight;

        if (free_of && point->wait == POINT_HELD_UP)
            from = 0;
        if (free_of && point->wait == POINT_NOT_HELD_UP)
            other = 0;
        if (point->leaps && point->other != NO_POINT && comes_after(point, time))
            *(point->wait == POINT_HELD_UP ? &from : &other) = 0;
        time[i] = from > other ? from : other;
    }
    end = time[last];
    free(time);
    return end;
}
