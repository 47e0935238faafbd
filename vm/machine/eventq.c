#include "machine/eventq.h"

#include <stdlib.h>

#include "arena.h"

static inline bool is_before(const struct event_entry *a, const struct event_entry *b)
{
    return a->time != b->time ? a->time < b->time : a->node->key < b->node->key;
}

static inline void put(struct eventq *queue, uint32_t at, struct event_entry entry)
{
    queue->heap[at] = entry;
    entry.node->place = at + 1;
}

/* The entry goes to `at` or above it. */
static void sift_up(struct eventq *queue, uint32_t at, struct event_entry entry)
{
    for (; at; at = (at - 1) / 2) {
        const struct event_entry *parent = &queue->heap[(at - 1) / 2];

        if (!is_before(&entry, parent))
            break;
        put(queue, at, *parent);
    }
    put(queue, at, entry);
}

/* The entry goes to `at` or below it. */
static void sift_down(struct eventq *queue, uint32_t at, struct event_entry entry)
{
    const struct event_entry *heap = queue->heap;

    for (uint32_t child; (child = 2 * at + 1) < queue->size; at = child) {
        if (child + 1 < queue->size && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &entry))
            break;
        put(queue, at, heap[child]);
    }
    put(queue, at, entry);
}

void eventq_close(struct eventq *queue)
{
    queue->hole = false;
    if (--queue->size)
        sift_down(queue, 0, queue->heap[queue->size]);
}

/* The entry at `at` becomes this one. */
static void move(struct eventq *queue, uint32_t at, struct event_entry entry)
{
    if (at && is_before(&entry, &queue->heap[(at - 1) / 2]))
        sift_up(queue, at, entry);
    else
        sift_down(queue, at, entry);
}

void eventq_schedule(struct eventq *queue, struct event_node *node, uint64_t time)
{
    struct event_entry entry = {time, node};

    node->time = time;
    if (node->place != EVENT_IDLE) {
        if (queue->hole)
            eventq_close(queue);
        move(queue, node->place - 1, entry);
    } else if (queue->hole) {
        queue->hole = false;
        sift_down(queue, 0, entry);
    } else {
        PTO_GROW(queue->heap, queue->size, queue->capacity);
        sift_up(queue, queue->size++, entry);
    }
}

void eventq_free(struct eventq *queue)
{
    free(queue->heap);
    *queue = (struct eventq){0};
}
