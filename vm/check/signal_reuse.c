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
    for (uint32_t s = 0; s < signal->senders; s++) {
        uint32_t folded = signal->sender[s].folded;

        if (signal->sender[s].core != waiter->core)
            span[s].must = waiter->used[s] > folded ? waiter->used[s] - folded : 0;
    }
}

void reuse_note(const struct signal *signal, struct waiter *waiter, const struct passed *passed,
                struct span *span)
{
    struct condition c = {passed->comparison, passed->value};
    struct signal_sum sum;
    bool without;

    grow_used(waiter, signal->senders);
    begin_with_own(signal, waiter, span);
    without = signal_surely(signal, span, c);
    add_used(signal, waiter, span);
    if (passed->blocks && !without && signal_surely(signal, span, c)) {
        waiter->again = true;
        waiter->pc = passed->pc;
        waiter->code = passed->code;
        waiter->time = passed->time;
        return;
    }
    sum = signal_sum(signal, span, c);
    for (uint32_t s = 0; s < signal->senders; s++) {
        uint32_t needed = signal->sender[s].folded + signal_needed(signal, span, c, s, &sum);

        if (needed > waiter->used[s])
            waiter->used[s] = needed;
    }
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

void reuse_finish(struct pto_check *check, const struct signal *signal)
{
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
            signal_locate(check, found, signal);
    }
}
