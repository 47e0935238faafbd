/* The event queue of one rank: nodes ordered by (time, key).
 *
 * A pipe has at most one pending event, so the pipe itself is the node and nothing is allocated.
 * The queue is a binary heap that knows the times, so that nodes are looked at only in ties; a node
 * knows its place, so that it can be moved.  An event that is taken leaves a hole at the top until
 * the next one is put in or looked for: who is at work usually has an event again, and fills it. */
#ifndef PTO_MACHINE_EVENTQ_H
#define PTO_MACHINE_EVENTQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EVENT_IDLE = 0 }; /* as memory of zeros is */

struct event_node {
    uint64_t time;
    uint32_t key;   /* tie order at one instant: sub-core * 8 + queue */
    uint32_t place; /* 1 + index in the heap; EVENT_IDLE: it does not wait */
};

struct event_entry {
    uint64_t time;
    struct event_node *node;
};

struct eventq {
    struct event_entry *heap;
    uint32_t size, capacity; /* `size` counts the hole */
    bool hole;               /* at the top */
};

/* Put the node at `time`, moving it if it waits elsewhere. */
void eventq_schedule(struct eventq *queue, struct event_node *node, uint64_t time);
/* Close the hole. */
void eventq_close(struct eventq *queue);
void eventq_free(struct eventq *queue);

/* The earliest node, still queued; NULL if there is none. */
static inline struct event_node *eventq_peek(struct eventq *queue)
{
    if (queue->hole)
        eventq_close(queue);
    return queue->size ? queue->heap[0].node : NULL;
}

/* Take out the node that eventq_peek has returned, with nothing done to the queue since. */
static inline void eventq_take(struct eventq *queue, struct event_node *node)
{
    node->place = EVENT_IDLE;
    queue->hole = true;
}

#endif
