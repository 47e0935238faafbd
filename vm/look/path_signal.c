#include "path_signal.h"

#include <stdlib.h>

#include "arena.h"
#include "machine/signal.h"

void signals_free(struct signals *signals)
{
    free(signals->element);
}

/* Where the element is, or is to be put. */
static struct signal_element *find(const struct signals *signals, int rank, uint64_t number)
{
    uint64_t hash = ((number ^ (uint64_t)rank << 52) * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

    for (;; hash++) {
        struct signal_element *element = &signals->element[hash & (signals->slots - 1)];

        if (element->rank < 0 || (element->rank == rank && element->number == number))
            return element;
    }
}

static void enlarge(struct signals *signals)
{
    struct signals old = *signals;

    signals->slots = old.slots ? 2 * old.slots : 64;
    signals->element = pto_xcalloc(signals->slots, sizeof *signals->element);
    for (uint32_t i = 0; i < signals->slots; i++)
        signals->element[i].rank = -1;
    for (uint32_t i = 0; i < old.slots; i++)
        if (old.element[i].rank >= 0)
            *find(signals, old.element[i].rank, old.element[i].number) = old.element[i];
    free(old.element);
}

void signals_note(struct signals *signals, const struct pto_event *event, uint32_t point)
{
    struct signal_element *element;

    if (2 * signals->count >= signals->slots)
        enlarge(signals);
    element = find(signals, event->rank, event->message);
    if (element->rank < 0) {
        signals->count++;
        element->rank = event->rank;
        element->number = event->message;
    }
    element->change[element->changes++ % SIGNAL_CHANGES] =
        (struct signal_change){event->value, (int32_t)(uint32_t)event->bytes, point,
                               event->next_ps};
}

const struct signal_change *signals_since(const struct signals *signals,
                                          const struct pto_event *event)
{
    const int64_t wanted = (int64_t)event->bytes;
    const struct signal_element *element;
    int64_t now = event->value;

    if (!signals->slots)
        return NULL;
    element = find(signals, event->rank, event->message);
    for (uint32_t i = 0; element->rank >= 0 && i < element->changes && i < SIGNAL_CHANGES; i++) {
        const struct signal_change *change =
            &element->change[(element->changes - 1 - i) % SIGNAL_CHANGES];

        if (change->value != now)
            return NULL;
        if (!signal_is(change->before, event->reason, wanted))
            return change;
        now = change->before;
    }
    return NULL;
}
