/* The only one who schedules events.
 *
 * A unit that removes the reason of a wait says so here and goes on; it never calls the waiter.
 * Who waits goes on at an event of its own, except that a scalar unit which waited for a queue
 * goes on at once, behind the unit at work: it is noted in the rank (`called`), and the scheduler
 * takes it from there (run/sched.c). */
#ifndef PTO_MACHINE_WAKE_H
#define PTO_MACHINE_WAKE_H

#include "machine.h"

/* S goes on at `time` or at its own clock, whichever is later. */
void wake_scalar(struct core *core, uint64_t time);
/* S's current instruction is done at `time`: S goes on behind it. */
void wake_finished(struct core *core, uint64_t time);
/* A pipe, or the DMA engine (PTO_DMA), has something to do at `time`. */
static inline void wake_queue(struct core *core, unsigned queue, uint64_t time)
{
    struct event_node *node = queue == PTO_DMA ? &core->dma->node : &core->pipe[queue]->node;

    eventq_schedule(&core->rank->events, node, time);
}

/* Say in an event who of the rank is at work, or that a message lands. */
void wake_fill_actor(const struct rank *rank, struct pto_event *event);
/* A token of (src, dst, id) has appeared. */
void wake_token(struct core *core, unsigned src, unsigned dst, unsigned id);
/* Pipes of which it is known that they will wait, and S ahead of the clock before a full queue, do
 * so when the time has come; false: there are none. */
bool wake_waiting(struct rank *rank);
/* The time that the rank has come to: of its last event, or at which a pipe began to wait without
 * one. */
uint64_t wake_reached(const struct rank *rank);
/* A count of cross-core flag `id` has reached the sub-core. */
void wake_cross(struct core *core, unsigned id);
/* Entries have left a queue: S may have waited for that, or the sub-core may now be at its end. */
void wake_room(struct core *core, unsigned queue);
/* S has ended its program: the sub-core is at its end if its queues are empty. */
void wake_ended(struct core *core);

#endif
