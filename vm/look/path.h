/* The critical path of a run: why it took as long as it did.
 *
 * An observer notes of every entry of a queue, every step of a scalar unit and every message when
 * it came and what it had waited for last.  From the end the way back along that leads to the
 * beginning; its steps follow one another without a gap, so their lengths are the time of the run.
 * Who shares memory or a wire keeps the place in the order that he had. */
#ifndef PTO_LOOK_PATH_H
#define PTO_LOOK_PATH_H

#include "path_place.h"

/* A stretch of the path, with what took the time. */
struct pto_critical_step {
    uint64_t start_ps, end_ps;
    struct pto_critical_place place;
    int rank;
    unsigned core;
    uint8_t pipe;  /* PTO_PIPE_*, PTO_DMA, PTO_CRITICAL_LINK */
    uint8_t cause; /* enum pto_cause */
};

/* All waits that one instruction has had. */
struct pto_critical_wait {
    struct pto_critical_place place;
    uint64_t count, held_up; /* times; of them so many that it did wait */
    uint64_t waited_ps;      /* in all */
    bool has_slack;          /* false: the run's time never hung on it */
    uint64_t slack_ps;       /* what ends it could always come so much later and cost nothing */
    uint64_t gain_ps;        /* the run would be so much shorter if it cost nothing */
    uint32_t number;         /* in the order in which the instructions were met */
};

struct pto_critical_result {
    uint64_t time_ps; /* of the run: what the steps add up to */
    uint64_t cause_ps[PTO_CAUSES];
    struct pto_critical_step *step; /* from the beginning on */
    uint32_t steps;
    struct pto_critical_wait *wait; /* the greatest gain first, then the least slack */
    unsigned waits;
    /* Of each rank: how long at least one of its pipes was taken by a phase that neither sends to
     * another rank nor fetches from one. */
    uint64_t *useful_ps;
    int ranks;
};

struct pto_critical;

/* "compute", "memory" ... */
const char *pto_cause_name(unsigned cause);
/* Watch a prepared machine. */
enum pto_status pto_critical_start(struct pto_vm *vm, struct pto_critical **path);
/* The path of a run that has ended; NULL: the run was cut off. */
const struct pto_critical_result *pto_critical_finish(struct pto_critical *path);
void pto_critical_free(struct pto_critical *path);

#endif
