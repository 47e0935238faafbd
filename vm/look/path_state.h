/* What is known of the machine while its path is taken down. */
#ifndef PTO_LOOK_PATH_STATE_H
#define PTO_LOOK_PATH_STATE_H

#include "machine/machine.h"
#include "path_place.h"
#include "path_signal.h"
#include "points.h"
#include "sites.h"

static const struct before NOTHING = {.point = NO_POINT};

enum { TOKENS = 8 }; /* of one flag under way that are told apart */

/* An entry of a queue, from its issue until its place is taken again. */
struct noted_entry {
    uint64_t number, next_ps;
    uint32_t issue, start, done; /* points */
    uint8_t kind;                /* enum entry_kind */
    struct passage passage;
};

struct lane {
    struct noted_entry *entry;
    uint32_t mask, depth;
    uint64_t completed; /* number of the latest entry that is */
    uint32_t done;      /* its point */
};

struct tokens {
    uint32_t sets, waits, point[TOKENS];
};

struct unit {
    uint32_t s;        /* the latest point of its scalar unit */
    uint32_t site;     /* instruction there */
    uint32_t release;  /* what it was let go by, NO_POINT: nothing so far */
    uint64_t release_ps; /* when it was to go on */
    uint32_t held;       /* what made the condition hold that a wait asks for; NO_POINT: unknown */
    uint64_t held_ps;    /* when somebody who waited for it went on */
    uint32_t stalled_at; /* instruction */
    uint8_t reason;    /* enum stall */
    struct lane lane[PTO_QUEUE_COUNT];
    struct tokens *tokens; /* [source][destination][id] */
};

struct crossing {
    uint64_t trip, arrives; /* picoseconds on its way, and when it is there */
    uint32_t point;
    uint8_t id;
};

struct noted_rank {
    uint32_t launch, ends; /* points: the launch at hand, the latest end of a sub-core */
    int land_source;       /* the message that landed last */
    uint64_t land_number, arrived_ps, land_ps; /* land_ps: what it brings is there */
    uint32_t landed;       /* its point; NO_POINT: not made yet */
    uint32_t gathered;     /* the last sub-core came to the latest sync_all */
    uint32_t *sent;        /* points, by the number of the message */
    uint64_t sent_capacity;
    struct crossing *crossing; /* sets of cross-core flags that may be on their way */
    unsigned crossings, crossing_capacity;
    uint64_t useful_ps, useful_until; /* the union of its phases, which come as they start */
};

struct path_note {
    struct pto_vm *vm;
    struct points points;
    struct sites sites;
    struct noted_rank *rank;
    struct unit *unit; /* [rank][sub-core] */
    struct signals signals;
    uint32_t joined;   /* --join: the end that the latest launch waited for */
};

static inline struct unit *unit_of(struct path_note *n, int rank, unsigned core)
{
    return &n->unit[(size_t)rank * n->vm->rank[0].cores + core];
}

static inline uint64_t at(const struct path_note *n, uint32_t point)
{
    return points_time(&n->points, point);
}

/* What comes to `time` from a point with nothing in between but `way`; a point that is later
 * says nothing. */
static inline struct before since(const struct path_note *n, uint32_t point, uint64_t time,
                                  struct passage way)
{
    if (point == NO_POINT || at(n, point) > time)
        return NOTHING;
    return (struct before){point, time - at(n, point), way};
}

static inline struct passage passage(const struct pto_event *event, unsigned pipe, uint32_t site,
                              enum pto_cause cause)
{
    return (struct passage){site, (uint16_t)event->rank, (uint16_t)event->core, (uint8_t)pipe,
                            (uint8_t)cause};
}

/* The set that a count came from which arrives now; it lets `pipe` go on. */
static inline struct before crossed(const struct path_note *n, const struct pto_event *event,
                                    unsigned pipe)
{
    const struct noted_rank *rank = &n->rank[event->rank];

    for (unsigned i = 0; i < rank->crossings; i++)
        if (rank->crossing[i].id == event->flag_id && rank->crossing[i].arrives == event->time_ps)
            return (struct before){rank->crossing[i].point, rank->crossing[i].trip,
                                   passage(event, pipe, 0, PTO_CAUSE_SYNC)};
    return NOTHING;
}

static inline uint32_t site_of(struct path_note *n, const struct pto_event *event)
{
    return event->insn ? sites_number(&n->sites, event->module, event->insn) : 0;
}

#endif
