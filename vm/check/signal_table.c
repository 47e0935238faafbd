/* The signals of a run, by place: every element that was ever notified. */
#include <stdlib.h>

#include "check/signal.h"

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

        if (!*slot || ((*slot)->place.rank == rank && (*slot)->place.object == object &&
                       (*slot)->place.offset == offset))
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
            *find_slot(table, slots, signal->place.rank, signal->place.object,
                       signal->place.offset) = signal;
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
        **slot = (struct signal){.place = {rank, object, offset}, .first = value, .base = value,
                                 .now = value, .total = value, .least = INT64_MAX};
        check->signals++;
    }
    return *slot;
}

void signal_locate(struct pto_check *check, struct found *found, const struct signal_place *place)
{
    const struct rank *rank = &check->vm->rank[place->rank];

    found->finding.offset = place->offset;
    found->finding.bytes = sizeof(int32_t);
    found->finding.where = pto_arena_printf(&check->arena, "%s of rank %d",
                                            rank->object[place->object].name, place->rank);
}

static int compare(const void *one, const void *two)
{
    const struct signal_place *a = &(*(struct signal *const *)one)->place;
    const struct signal_place *b = &(*(struct signal *const *)two)->place;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

struct signal **signal_list(const struct pto_check *check)
{
    struct signal **list = pto_xmalloc((check->signals + 1u) * sizeof(struct signal *));
    uint32_t count = 0;

    for (uint32_t i = 0; i < check->signal_slots; i++)
        if (check->signal[i])
            list[count++] = check->signal[i];
    qsort(list, count, sizeof *list, compare);
    return list;
}

static void free_signal(struct signal *signal)
{
    for (uint32_t s = 0; s < signal->senders; s++) {
        struct sender *sender = &signal->sender[s];

        for (uint32_t t = 0; t < sender->count; t++)
            check_release_drop(sender->told[t].release);
        check_release_drop(sender->last_folded);
        free(sender->told);
    }
    for (uint32_t w = 0; w < signal->waiters; w++) {
        struct waiter *waiter = &signal->waiter[w];

        for (uint32_t i = 0; i < waiter->count; i++) {
            frame_drop(&waiter->passed[i].before);
            if (waiter->passed[i].senders > 1 && !waiter->passed[i].all)
                free(waiter->passed[i].learned.many);
        }
        free(waiter->passed);
        free(waiter->used);
    }
    free(signal->sender);
    free(signal->waiter);
    free(signal->passing);
    free(signal);
}

void check_signals_free(struct pto_check *check)
{
    for (uint32_t i = 0; i < check->signal_slots; i++)
        if (check->signal[i])
            free_signal(check->signal[i]);
    free(check->signal);
}
