/* The event queue of one rank: nodes ordered by (time, key).
 *
 * A pipe has at most one pending event, so the pipe itself is the node and nothing is allocated.
 * Near events sit in a ring of buckets (one bucket = 4096 ps), each a short sorted list; far ones
 * in a binary heap, from which they move into the ring when the clock comes near.  The ring is
 * small because of machines with many ranks, whose rings the host's caches have to hold. */
#ifndef PTO_MACHINE_EVENTQ_H
#define PTO_MACHINE_EVENTQ_H

#include <stddef.h>
#include <stdint.h>

enum { EVENTQ_BUCKETS = 128, EVENTQ_SHIFT = 12, EVENTQ_WORDS = EVENTQ_BUCKETS / 64 };

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
    struct event_node *bucket[EVENTQ_BUCKETS]; /* the first; NULL: none, and `last` says nothing */
    struct event_node *last[EVENTQ_BUCKETS];
    uint64_t used[EVENTQ_WORDS]; /* one bit per non-empty bucket */
    unsigned in_ring;
    struct event_node **heap;
    uint32_t heap_size, heap_capacity;
};

void eventq_cancel(struct eventq *queue, struct event_node *node);
void eventq_free(struct eventq *queue);

/* ---- what every event takes ---- */

/* Into a bucket of the ring that is empty. */
static inline void eventq_put_alone(struct eventq *queue, struct event_node *node, unsigned slot)
{
    node->place = EVENT_IN_RING;
    node->previous = node->next = NULL;
    queue->bucket[slot] = queue->last[slot] = node;
    queue->used[slot / 64] |= UINT64_C(1) << slot % 64;
    queue->in_ring++;
}

/* eventq_schedule, wherever the node is and wherever it goes. */
void eventq_put(struct eventq *queue, struct event_node *node, uint64_t time);

/* Put the node at `time` (not before the clock), moving it if it waits elsewhere. */
static inline void eventq_schedule(struct eventq *queue, struct event_node *node, uint64_t time)
{
    uint64_t bucket = time >> EVENTQ_SHIFT;
    unsigned slot = (unsigned)bucket % EVENTQ_BUCKETS;

    if (node->place != EVENT_IDLE || bucket - queue->base >= EVENTQ_BUCKETS ||
        queue->bucket[slot]) {
        eventq_put(queue, node, time);
        return;
    }
    node->time = time;
    eventq_put_alone(queue, node, slot);
}

/* Move what has come within the ring's reach out of the heap. */
void eventq_migrate(struct eventq *queue);

/* The clock is now at `now`: no event may be scheduled before it any more. */
static inline void eventq_advance(struct eventq *queue, uint64_t now)
{
    queue->base = now >> EVENTQ_SHIFT;
    if (__builtin_expect(queue->heap_size != 0, 0))
        eventq_migrate(queue);
}

/* First non-empty bucket at or after `slot`, going round; the ring is not empty. */
static inline unsigned eventq_ring_first(const struct eventq *queue, unsigned slot)
{
    unsigned word = slot / 64;
    uint64_t bits = queue->used[word] & (~UINT64_C(0) << slot % 64);

    while (!bits) {
        word = (word + 1) % EVENTQ_WORDS;
        bits = queue->used[word];
    }
    return word * 64 + (unsigned)__builtin_ctzll(bits);
}

/* The earliest node, still queued; NULL if there is none. */
static inline struct event_node *eventq_peek(const struct eventq *queue)
{
    if (queue->in_ring)
        return queue->bucket[eventq_ring_first(queue, (unsigned)queue->base % EVENTQ_BUCKETS)];
    return queue->heap_size ? queue->heap[0] : NULL;
}

/* Take out the node that eventq_peek has returned. */
static inline void eventq_take(struct eventq *queue, struct event_node *node)
{
    unsigned slot = (unsigned)(node->time >> EVENTQ_SHIFT) % EVENTQ_BUCKETS;

    if (__builtin_expect(node->place != EVENT_IN_RING, 0)) {
        eventq_cancel(queue, node);
        return;
    }
    queue->bucket[slot] = node->next;
    if (node->next)
        node->next->previous = NULL;
    else
        queue->used[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    node->place = EVENT_IDLE;
    queue->in_ring--;
}

#endif
