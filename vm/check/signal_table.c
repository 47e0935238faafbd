/* The signals of a run, by place: every element that was ever notified. */
#include <stdlib.h>

#include "check/internal.h"

enum { FIRST_SLOTS = 64 };

static uint64_t hash_place(int rank, uint32_t object, uint64_t offset)
{
    uint64_t hash = offset * 0x9e3779b97f4a7c15u ^ ((uint64_t)rank << 32 | object);

    return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u >> 20;
}

static struct signal **find_slot(struct signal **table, uint32_t slots, int rank, uint32_t object,
                                 uint64_t offset)
{
    uint64_t at = hash_place(rank, object, offset);

    for (;; at++) {
        struct signal **slot = &table[at & (slots - 1)];

        if (!*slot || ((*slot)->rank == rank && (*slot)->object == object &&
                       (*slot)->offset == offset))
            return slot;
    }
}

static void grow_table(struct pto_check *check)
{
    uint32_t slots = check->signal_slots ? 2 * check->signal_slots : FIRST_SLOTS;
    struct signal **table = pto_xcalloc(slots, sizeof(struct signal *));

    for (uint32_t i = 0; i < check->signal_slots; i++) {
        struct signal *signal = check->signal[i];

        if (signal)
            *find_slot(table, slots, signal->rank, signal->object, signal->offset) = signal;
    }
    free(check->signal);
    check->signal = table;
    check->signal_slots = slots;
}

struct signal *signal_find(const struct pto_check *check, int rank, uint32_t object,
                           uint64_t offset)
{
    if (!check->signal_slots)
        return NULL;
    return *find_slot(check->signal, check->signal_slots, rank, object, offset);
}

struct signal *signal_get(struct pto_check *check, int rank, uint32_t object, uint64_t offset,
                          int32_t value)
{
    struct signal **slot;

    if (2 * check->signals >= check->signal_slots)
        grow_table(check);
    slot = find_slot(check->signal, check->signal_slots, rank, object, offset);
    if (!*slot) {
        *slot = pto_xcalloc(1, sizeof **slot);
        **slot = (struct signal){.rank = rank, .object = object, .offset = offset, .base = value,
                                  .before = value};
        check->signals++;
    }
    return *slot;
}

void signal_forget(struct signal *signal)
{
    for (uint32_t s = 0; s < signal->senders; s++) {
        for (uint32_t t = 0; t < signal->sender[s].count; t++)
            check_release_drop(signal->sender[s].told[t].release);
        free(signal->sender[s].told);
    }
    for (uint32_t w = 0; w < signal->waiters; w++)
        signal->waiter[w].used = signal->waiter[w].needed_of = 0;
    signal->senders = 0;
    signal->notifies = 0;
}

void check_signals_free(struct pto_check *check)
{
    for (uint32_t i = 0; i < check->signal_slots; i++) {
        struct signal *signal = check->signal[i];

        if (!signal)
            continue;
        signal_forget(signal);
        check_release_drop(signal->reset);
        for (uint32_t w = 0; w < signal->waiters; w++)
            free(signal->waiter[w].needed);
        free(signal->sender);
        free(signal->waiter);
        free(signal);
    }
    free(check->signal);
    for (uint32_t i = 0; i < check->flights; i++)
        if (check->flight[i].busy) {
            check_release_drop(check->flight[i].release);
            frame_drop(&check->flight[i].frame);
        }
    free(check->flight);
    free(check->spare_flight);
}
