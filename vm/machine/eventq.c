#include "eventq.h"

#include <stdbool.h>
#include <stdlib.h>

#include "arena.h"

static bool earlier(const struct event_node *a, const struct event_node *b)
{
    return a->time != b->time ? a->time < b->time : a->key < b->key;
}

/* ---- far events: binary heap ---- */

static void heap_place(struct eventq *queue, uint32_t index, struct event_node *node)
{
    queue->heap[index] = node;
    node->index = index;
}

static void heap_up(struct eventq *queue, uint32_t index, struct event_node *node)
{
    while (index > 0 && earlier(node, queue->heap[(index - 1) / 2])) {
        heap_place(queue, index, queue->heap[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    heap_place(queue, index, node);
}

static void heap_down(struct eventq *queue, uint32_t index, struct event_node *node)
{
    for (;;) {
        uint32_t child = 2 * index + 1;

        if (child >= queue->heap_size)
            break;
        if (child + 1 < queue->heap_size && earlier(queue->heap[child + 1], queue->heap[child]))
            child++;
        if (!earlier(queue->heap[child], node))
            break;
        heap_place(queue, index, queue->heap[child]);
        index = child;
    }
    heap_place(queue, index, node);
}

static void heap_insert(struct eventq *queue, struct event_node *node)
{
    PTO_GROW(queue->heap, queue->heap_size, queue->heap_capacity);
    node->place = EVENT_IN_HEAP;
    heap_up(queue, queue->heap_size++, node);
}

static void heap_remove(struct eventq *queue, struct event_node *node)
{
    struct event_node *last = queue->heap[--queue->heap_size];
    uint32_t index = node->index;

    node->place = EVENT_IDLE;
    if (last == node)
        return;
    if (index > 0 && earlier(last, queue->heap[(index - 1) / 2]))
        heap_up(queue, index, last);
    else
        heap_down(queue, index, last);
}

/* ---- near events: ring of buckets ---- */

/* Into a bucket that has others.  Most are its last: those of many sub-cores at one instant come in
 * order. */
static void ring_sort_in(struct eventq *queue, struct event_node *node, unsigned slot)
{
    struct event_node *previous = queue->last[slot], *next = NULL;

    while (previous && earlier(node, previous)) {
        next = previous;
        previous = previous->previous;
    }
    node->previous = previous;
    node->next = next;
    if (previous)
        previous->next = node;
    else
        queue->bucket[slot] = node;
    if (next)
        next->previous = node;
    else
        queue->last[slot] = node;
}

static void ring_insert(struct eventq *queue, struct event_node *node)
{
    unsigned slot = (unsigned)(node->time >> EVENTQ_SHIFT) % EVENTQ_BUCKETS;

    if (!queue->bucket[slot]) {
        eventq_put_alone(queue, node, slot);
        return;
    }
    node->place = EVENT_IN_RING;
    queue->in_ring++;
    ring_sort_in(queue, node, slot);
}

static void ring_remove(struct eventq *queue, struct event_node *node)
{
    unsigned slot = (unsigned)(node->time >> EVENTQ_SHIFT) % EVENTQ_BUCKETS;

    if (node->next)
        node->next->previous = node->previous;
    else
        queue->last[slot] = node->previous;
    if (node->previous)
        node->previous->next = node->next;
    else
        queue->bucket[slot] = node->next;
    if (!queue->bucket[slot])
        queue->used[slot / 64] &= ~(1ull << slot % 64);
    node->place = EVENT_IDLE;
    queue->in_ring--;
}

void eventq_cancel(struct eventq *queue, struct event_node *node)
{
    if (node->place == EVENT_IN_RING)
        ring_remove(queue, node);
    else if (node->place == EVENT_IN_HEAP)
        heap_remove(queue, node);
}

void eventq_put(struct eventq *queue, struct event_node *node, uint64_t time)
{
    if (node->place != EVENT_IDLE)
        eventq_cancel(queue, node);
    node->time = time;
    if ((time >> EVENTQ_SHIFT) - queue->base < EVENTQ_BUCKETS)
        ring_insert(queue, node);
    else
        heap_insert(queue, node);
}

void eventq_migrate(struct eventq *queue)
{
    while (queue->heap_size &&
           (queue->heap[0]->time >> EVENTQ_SHIFT) - queue->base < EVENTQ_BUCKETS) {
        struct event_node *node = queue->heap[0];

        heap_remove(queue, node);
        ring_insert(queue, node);
    }
}

void eventq_free(struct eventq *queue)
{
    free(queue->heap);
}
