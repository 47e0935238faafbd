/* The event queue of one rank: nodes ordered by (time, key).
 *
 * A pipe has at most one pending event, so the pipe itself is the node and nothing is allocated.
 * Near events sit in a ring of buckets (one bucket = 1024 ps), each a short sorted list; far ones
 * in a binary heap, from which they move into the ring when the clock comes near. */
#ifndef PTO_MACHINE_EVENTQ_H
#define PTO_MACHINE_EVENTQ_H

#include <stdint.h>

enum { EVENTQ_BUCKETS = 512, EVENTQ_SHIFT = 10, EVENTQ_WORDS = EVENTQ_BUCKETS / 64 };

enum event_place { EVENT_IDLE, EVENT_IN_RING, EVENT_IN_HEAP };

struct event_node {
    uint64_t time;
    uint32_t key;   /* tie order at one instant: sub-core * 8 + queue */
    uint8_t place;  /* enum event_place */
    uint32_t index; /* in the heap */
    struct event_node *previous, *next; /* in a bucket */
};

struct eventq {
    uint64_t base; /* bucket number (time >> EVENTQ_SHIFT) of the clock */
    struct event_node *bucket[EVENTQ_BUCKETS];
    uint64_t used[EVENTQ_WORDS]; /* one bit per non-empty bucket */
    unsigned in_ring;
    struct event_node **heap;
    uint32_t heap_size, heap_capacity;
};

/* Put the node at `time` (not before the clock), moving it if it waits elsewhere. */
void eventq_schedule(struct eventq *queue, struct event_node *node, uint64_t time);
void eventq_cancel(struct eventq *queue, struct event_node *node);
/* The clock is now at `now`: no event may be scheduled before it any more. */
void eventq_advance(struct eventq *queue, uint64_t now);
/* The earliest node, still queued; NULL if there is none. */
struct event_node *eventq_peek(struct eventq *queue);
void eventq_free(struct eventq *queue);

#endif
