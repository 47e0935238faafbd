/* The event queue against a plain sorted search, under random scheduling and moving. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine/eventq.h"

enum { NODES = 300 };

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static struct event_node *naive_first(struct event_node *nodes)
{
    struct event_node *first = NULL;

    for (int i = 0; i < NODES; i++)
        if (nodes[i].place != EVENT_IDLE &&
            (!first || nodes[i].time < first->time ||
             (nodes[i].time == first->time && nodes[i].key < first->key)))
            first = &nodes[i];
    return first;
}

/* Near, equal and far times, some far beyond the ring. */
static uint64_t random_delay(void)
{
    switch (next_random() % 4) {
    case 0: return 0;
    case 1: return next_random() % 3000;
    case 2: return next_random() % 3000000;
    default: return next_random() % 100000000000u;
    }
}

static void queue_pops_in_order_of_time_and_key(void **state)
{
    static struct eventq queue;
    static struct event_node nodes[NODES];
    uint64_t now = 0;

    (void)state;
    random_state = 88172645463325252u;
    for (uint32_t i = 0; i < NODES; i++)
        nodes[i].key = i;
    for (int step = 0; step < 40000; step++) {
        struct event_node *node = &nodes[next_random() % NODES];

        switch (next_random() % 2) {
        case 0:
            eventq_schedule(&queue, node, now + random_delay());
            break;
        default:
            node = eventq_peek(&queue);
            assert_ptr_equal(node, naive_first(nodes));
            if (node) {
                now = node->time;
                eventq_take(&queue, node);
                assert_int_equal(node->place, EVENT_IDLE);
            }
        }
    }
    eventq_free(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_pops_in_order_of_time_and_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
