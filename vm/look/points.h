/* Points in time of a run, each with what it could not come before.
 *
 * A point is made when the machine tells of it, after all that it hangs on; so every sweep over the
 * points is one pass in their order, and a way back never turns in a circle. */
#ifndef PTO_LOOK_POINTS_H
#define PTO_LOOK_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#define NO_POINT UINT32_MAX

/* What passes on the way to a point. */
struct passage {
    uint32_t site;  /* number of an instruction; 0: none */
    uint16_t rank, core;
    uint8_t pipe;   /* PTO_PIPE_*, PTO_DMA, or PTO_CRITICAL_LINK */
    uint8_t cause;  /* enum pto_cause */
};

/* `point` comes at least `weight` picoseconds before; NO_POINT: nothing. */
struct before {
    uint32_t point;
    uint64_t weight;
    struct passage passage;
};

/* Which of the two before it is what a wait waits for. */
enum point_wait { POINT_NO_WAIT, POINT_HELD_UP, POINT_NOT_HELD_UP };

struct point {
    uint64_t time;
    uint32_t before; /* it came as soon as this let it: what passes takes all of the time between */
    uint32_t other;  /* the second one, or NO_POINT */
    uint32_t weight; /* of the second one, at most UINT32_MAX */
    struct passage passage; /* from `before` */
    uint8_t wait;    /* enum point_wait: `before` is waited for, `other` is */
    bool leaps;      /* who waits goes on some time behind what is waited for, who comes after
                        that has happened at once */
};

/* The first one is the beginning of all, at 0. */
struct points {
    struct point *point;
    uint32_t count, capacity;
};

void points_begin(struct points *points);
void points_free(struct points *points);

/* A point at `time`.  Of the two, that which lets it come later is what it came from; the first if
 * they are equal.  One that is later than the point is none; without any it comes from the
 * beginning.  Returns its number. */
uint32_t points_add(struct points *points, uint64_t time, struct before one, struct before two);
/* A point that waits for `release`, besides that it has to be `ready`. */
struct point_kind {
    bool listed; /* it is a wait of the program */
    bool leaps;
};
uint32_t points_wait(struct points *points, uint64_t time, struct before ready,
                     struct before release, struct point_kind kind);

/* The point that stands for two, at the time of the later one. */
uint32_t points_later(struct points *points, uint32_t one, uint32_t two);

static inline uint64_t points_time(const struct points *points, uint32_t point)
{
    return points->point[point].time;
}

/* When each point may come at the latest for `last` to come when it did; UINT64_MAX: whenever.  To
 * be freed. */
uint64_t *points_latest(const struct points *points, uint32_t last);
/* When `last` would come if the waits at the instruction `site` cost nothing. */
uint64_t points_without(const struct points *points, uint32_t last, uint32_t site);

#endif
