/* The scalar units and the queues of the sub-cores, act by act, as points. */
#ifndef PTO_LOOK_PATH_QUEUE_H
#define PTO_LOOK_PATH_QUEUE_H

#include "path_state.h"

/* S of a sub-core of the event's rank comes to `time`: what it did meanwhile ends with `site`. */
uint32_t path_step(struct path_note *n, const struct pto_event *event, unsigned core,
                   uint64_t time, uint32_t site, enum pto_cause cause);
struct lane *path_lane(struct path_note *n, struct unit *unit, unsigned pipe);
/* The entry with a number; NULL: it is forgotten, or never was. */
struct noted_entry *path_entry(struct lane *lane, uint64_t number);

/* An entry is issued; a phase starts; a flag or a barrier does; a token appears. */
void path_issue(struct path_note *n, const struct pto_event *event);
void path_phase(struct path_note *n, const struct pto_event *event);
/* A phase is over later than was known. */
void path_put_off(struct path_note *n, const struct pto_event *event);
void path_pass(struct path_note *n, const struct pto_event *event);
void path_set(struct path_note *n, const struct pto_event *event);
/* The point of an event that S brings about, or an entry of a pipe that completes. */
uint32_t path_act(struct path_note *n, const struct pto_event *event);
/* A point of the phase that a pipe or the DMA engine is at, the oldest that is not complete, which
 * `ends` now or goes on. */
uint32_t path_at_work(struct path_note *n, struct lane *lane, uint64_t time, bool ends);

#endif
