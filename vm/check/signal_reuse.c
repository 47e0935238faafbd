/* Signals that are used again: a wait is satisfied by what earlier waits of its sub-core used up,
 * and later notifies of the word are never waited for. */
#include <stdlib.h>

#include "check/signal.h"

static void grow_used(struct waiter *waiter, uint32_t senders)
{
    if (waiter->used_of == senders)
        return;
    waiter->used = pto_xrealloc(waiter->used, (senders + 1u) * sizeof *waiter->used);
    while (waiter->used_of < senders)
        waiter->used[waiter->used_of++] = 0;
}

void reuse_spell_out(const struct signal *signal, struct waiter *waiter)
{
    if (!waiter->used_all.known)
        return;
    waiter->used_all.known = false;
    grow_used(waiter, signal->senders);
    for (uint32_t s = 0; s < signal->senders; s++)
        waiter->used[s] = signal->sender[s].folded +
                          signal_count_landed(&signal->sender[s], waiter->used_all.landed);
}

void reuse_spell_out_all(struct signal *signal)
{
    for (uint32_t w = 0; w < signal->waiters; w++)
        reuse_spell_out(signal, &signal->waiter[w]);
}

/* How many notifies of a sender that are kept the waiter has used. */
static uint32_t kept_used(const struct signal *signal, const struct waiter *waiter, uint32_t s)
{
    uint32_t folded = signal->sender[s].folded;

    return waiter->used[s] > folded ? waiter->used[s] - folded : 0;
}

/* The state of what the sub-core did itself, and of what its waits have used. */
static void begin_with_own(const struct signal *signal, const struct waiter *waiter,
                           struct span *span)
{
    for (uint32_t s = 0; s < signal->senders; s++)
        if (signal->sender[s].core != waiter->core)
            span[s].must = 0;
}

static void add_used(const struct signal *signal, const struct waiter *waiter, struct span *span)
{
    for (uint32_t s = 0; s < signal->senders; s++)
        if (signal->sender[s].core != waiter->core)
            span[s].must = kept_used(signal, waiter, s);
}

/* A TWAIT has ended without anything new. */
static void note_again(struct waiter *waiter, const struct passed *passed)
{
    waiter->again = true;
    waiter->pc = passed->pc;
    waiter->code = passed->code;
    waiter->time = passed->time;
}

void reuse_note(const struct signal *signal, struct waiter *waiter, const struct passed *passed,
                struct span *span)
{
    struct condition c = {passed->comparison, passed->value};
    struct signal_sum sum;
    bool without;

    reuse_spell_out(signal, waiter);
    grow_used(waiter, signal->senders);
    begin_with_own(signal, waiter, span);
    without = signal_surely(signal, span, c);
    add_used(signal, waiter, span);
    if (passed->blocks && !without && signal_surely(signal, span, c)) {
        note_again(waiter, passed);
        return;
    }
    sum = signal_sum(signal, span, c);
    for (uint32_t s = 0; s < signal->senders; s++) {
        uint32_t needed = signal->sender[s].folded + signal_needed(signal, span, c, s, &sum);

        if (needed > waiter->used[s])
            waiter->used[s] = needed;
    }
}

/* What the sub-core itself has added. */
static const struct sender *own_sender(const struct signal *signal, const struct waiter *waiter)
{
    return waiter->own < UINT32_MAX ? &signal->sender[waiter->own] : NULL;
}

/* The value of a word that only rises, by that and by what the waits have used. */
static int64_t used_value(const struct signal *signal, struct waiter *waiter)
{
    const struct sender *own = own_sender(signal, waiter);
    int64_t value = signal->base + (own ? signal_kept_sum(own) : 0);

    if (waiter->used_all.known)
        return waiter->used_all.total - waiter->used_all.own_sum +
               (own ? signal_sum_up_to(own, own->count) : 0);
    grow_used(waiter, signal->senders);
    for (uint32_t s = 0; s < signal->senders; s++)
        if (s != waiter->own)
            value += signal_sum_up_to(&signal->sender[s], kept_used(signal, waiter, s)) -
                     signal->sender[s].folded_sum;
    return value;
}

void reuse_note_all(const struct signal *signal, struct waiter *waiter,
                    const struct passed *passed)
{
    struct condition c = {passed->comparison, passed->value};
    const struct sender *own = own_sender(signal, waiter);

    if (passed->blocks &&
        !signal_holds(c, signal->base + (own ? signal_kept_sum(own) : 0)) &&
        signal_holds(c, used_value(signal, waiter))) {
        note_again(waiter, passed);
        return;
    }
    waiter->used_all = (struct used_all){
        .known = true,
        .landed = signal->landed,
        .total = signal->total,
        .own_sum = own ? signal_sum_up_to(own, own->count) : 0,
    };
}

static bool is_left(const struct signal *signal, const struct waiter *waiter)
{
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        uint32_t used = s < waiter->used_of ? waiter->used[s] : 0;

        if (sender->core != waiter->core && sender->folded + sender->count > used)
            return true;
    }
    return false;
}

void reuse_finish(struct pto_check *check, struct signal *signal)
{
    reuse_spell_out_all(signal);
    for (uint32_t w = 0; w < signal->waiters; w++) {
        const struct waiter *waiter = &signal->waiter[w];
        struct party none = {0}, wait = {
            .present = true, .core = waiter->core, .lane = PTO_PIPE_S, .pc = waiter->pc,
            .code = waiter->code, .time = waiter->time,
        };
        struct found *found;

        if (!waiter->again || !is_left(signal, waiter))
            continue;
        found = finding_add(check, PTO_FIND_SIGNAL_REUSED, &none, &wait);
        if (found)
            signal_locate(check, found, &signal->place);
    }
}
