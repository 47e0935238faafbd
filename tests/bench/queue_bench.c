/* The event queue of a rank against a binary heap in C, as discrete-event simulators have it: take
 * the earliest event, put it in again some time later.  For each number of waiting events and each
 * spread of delays: nanoseconds of an event in both, medians of 11 pairs of runs in turn. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "machine/eventq.h"

enum { MOST = 4096, EVENTS = 400000, PAIRS = 11 };

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the machine's queue ---- */

static uint64_t run_queue(uint32_t waiting, uint64_t spread)
{
    static struct event_node node[MOST];
    struct eventq queue = {0};
    uint64_t sum = 0;

    for (uint32_t i = 0; i < waiting; i++) {
        node[i] = (struct event_node){.key = i};
        eventq_schedule(&queue, &node[i], draw(spread));
    }
    for (unsigned i = 0; i < EVENTS; i++) {
        struct event_node *first = eventq_peek(&queue);

        eventq_take(&queue, first);
        sum = sum * 31 + first->time + first->key;
        eventq_schedule(&queue, first, first->time + draw(spread));
    }
    eventq_free(&queue);
    return sum;
}

/* ---- a binary heap ---- */

struct event {
    uint64_t time;
    uint32_t key;
};

static int is_before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->key < b->key;
}

static void sift_down(struct event *heap, uint32_t size, uint32_t at, struct event event)
{
    for (uint32_t child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &event))
            break;
        heap[at] = heap[child];
    }
    heap[at] = event;
}

static uint64_t run_heap(uint32_t waiting, uint64_t spread)
{
    static struct event heap[MOST];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < waiting; i++)
        heap[i] = (struct event){draw(spread), i};
    for (uint32_t i = waiting / 2; i-- > 0;)
        sift_down(heap, waiting, i, heap[i]);
    for (unsigned i = 0; i < EVENTS; i++) {
        struct event first = heap[0];

        sum = sum * 31 + first.time + first.key;
        first.time += draw(spread);
        sift_down(heap, waiting, 0, first);
    }
    return sum;
}

/* ---- the table ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static uint64_t measure(uint64_t (*run)(uint32_t, uint64_t), uint32_t waiting, uint64_t spread,
                        double *ns)
{
    double began = seconds();
    uint64_t sum;

    random_state = 88172645463325252u;
    sum = run(waiting, spread);
    *ns = (seconds() - began) / EVENTS * 1e9;
    return sum;
}

static void row(uint32_t waiting, uint64_t spread)
{
    double here[PAIRS], heap[PAIRS], ratio[PAIRS];
    char name[64];

    for (unsigned i = 0; i < PAIRS; i++) {
        uint64_t sum = measure(run_queue, waiting, spread, &here[i]);

        if (measure(run_heap, waiting, spread, &heap[i]) != sum) {
            fprintf(stderr, "the queues do not agree on the order of events\n");
            exit(1);
        }
        ratio[i] = heap[i] / here[i];
    }
    qsort(here, PAIRS, sizeof *here, by_value);
    qsort(heap, PAIRS, sizeof *heap, by_value);
    qsort(ratio, PAIRS, sizeof *ratio, by_value);
    snprintf(name, sizeof name, "event, %u waiting, up to %g ns (heap = 1)", waiting,
             (double)spread / 1000);
    printf("%-44s %11.1f ns %11.1f ns %9.2fx (%.2f to %.2f)\n", name, here[PAIRS / 2],
           heap[PAIRS / 2], ratio[PAIRS / 2], ratio[0], ratio[PAIRS - 1]);
}

int main(void)
{
    static const uint32_t waiting[] = {8, 72, 504, MOST};

    for (unsigned i = 0; i < sizeof waiting / sizeof *waiting; i++) {
        row(waiting[i], 100000);
        row(waiting[i], 5000000);
    }
    return 0;
}
