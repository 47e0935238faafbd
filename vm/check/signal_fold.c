/* What can be forgotten of a word: waits that are judged, and notifies that every party knows,
 * which become part of the word's first value. */
#include <stdlib.h>
#include <string.h>

#include "check/signal.h"

enum {
    TIDY_LEAST = 4,    /* notifies between two looks at what can be forgotten */
    MOST_PASSED = 64,  /* waits of a sub-core that are kept when the word is tidied, */
    MOST_UNTIDY = 256, /* and while nobody notifies it */
    MOST_TOLD = 256    /* notifies of a sender that are kept */
};

/* How many waits every other sender knew of when it sent what landed last: its next notifies will
 * be behind them. */
static uint32_t count_complete(const struct signal *signal, const struct waiter *waiter)
{
    uint32_t epoch = UINT32_MAX, count = 0;

    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        const struct release *last = signal_last_of(sender);
        uint32_t known;

        if (sender->core == waiter->core)
            continue;
        known = signal_epoch_known(&last->frame, (struct point){sender->core, 0}, waiter->core);
        epoch = known < epoch ? known : epoch;
    }
    while (count < waiter->count && waiter->passed[count].epoch <= epoch)
        count++;
    return count;
}

/* Lower *epoch to what is known of a sender by all parties, and by every wait that is kept. */
static uint32_t epoch_known_to_all(const struct pto_check *check, const struct signal *signal,
                                   uint32_t core)
{
    uint32_t epoch = UINT32_MAX;

    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        const struct release *last = signal_last_of(sender);
        struct point self = {sender->core, last->epoch + 1};
        uint32_t known = signal_epoch_known(&last->frame, self, core);

        epoch = known < epoch ? known : epoch;
    }
    for (uint32_t w = 0; w < signal->waiters; w++) {
        const struct waiter *waiter = &signal->waiter[w];
        const struct passed *oldest = waiter->count ? &waiter->passed[0] : NULL;
        const struct check_core *party = &check->core[waiter->core];
        uint32_t known =
            oldest ? signal_epoch_known(&oldest->before,
                                        (struct point){waiter->core, oldest->epoch}, core)
                   : signal_epoch_known(&party->s,
                                        (struct point){waiter->core,
                                                       party->count[PTO_PIPE_S] + 1}, core);

        epoch = known < epoch ? known : epoch;
    }
    return epoch;
}

static void fold_sender(struct signal *signal, struct sender *sender, uint32_t count)
{
    if (!count)
        return;
    sender->folded_sum = sender->told[count - 1].sum;
    sender->folded_to = sender->told[count - 1].landed;
    sender->folded += count;
    check_release_drop(sender->last_folded);
    sender->last_folded = sender->told[count - 1].release;
    sender->last_folded->refs++;
    for (uint32_t i = 0; i < count; i++) {
        bool falls = !sender->told[i].set && sender->told[i].value < 0;

        sender->sets -= sender->told[i].set;
        sender->falls -= falls;
        signal->unsteady -= sender->told[i].set || falls;
        check_release_drop(sender->told[i].release);
    }
    sender->count -= count;
    memmove(sender->told, sender->told + count, sender->count * sizeof *sender->told);
}

/* Does the sender of what landed last know of all others? */
static bool is_crowned(const struct signal *signal)
{
    const struct release *latest = signal_last_of(&signal->sender[signal->latest]);

    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct release *last = signal_last_of(&signal->sender[s]);

        if (s != signal->latest &&
            !signal_is_behind(latest, (struct point){last->core, last->epoch}))
            return false;
    }
    return true;
}

/* Count again what notifies add up one by one. */
static void add_up(struct signal *signal)
{
    signal->total = signal->base;
    signal->least = INT64_MAX;
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];

        signal->total += signal_kept_sum(sender);
        for (uint32_t i = 0; i < sender->count; i++)
            if (sender->told[i].value < signal->least)
                signal->least = sender->told[i].value;
    }
    signal->crowned = signal->crowned || is_crowned(signal);
}

/* Waiters that have used all up to a time before what is folded have to remember what it was. */
static void spell_out_until(struct signal *signal, const struct span *span)
{
    uint32_t landed = 0;

    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];

        if (span[s].must && sender->told[span[s].must - 1].landed > landed)
            landed = sender->told[span[s].must - 1].landed;
    }
    for (uint32_t w = 0; w < signal->waiters; w++)
        if (signal->waiter[w].used_all.landed < landed)
            reuse_spell_out(signal, &signal->waiter[w]);
}

/* What is folded now need not be known to those who wait. */
static void fold_by_force(struct signal *signal, struct sender *sender, uint32_t count)
{
    reuse_spell_out_all(signal);
    for (uint32_t w = 0; w < signal->waiters; w++)
        signal->waiter[w].late = true;
    fold_sender(signal, sender, count);
    signal->forced = signal->landed;
}

/* What every party knows, and every wait that is still to be judged, becomes part of the base, if
 * it leaves one value. */
static void fold(const struct pto_check *check, struct signal *signal)
{
    struct spans spans;
    struct span *span;
    int64_t value;

    if (!signal->waiters)
        return; /* whoever comes to wait may know nothing yet */
    spans_make(&spans, signal);
    span = spans.of;
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];

        span[s].must = signal_count_up_to(sender,
                                          epoch_known_to_all(check, signal, sender->core));
        span[s].may = span[s].must;
    }
    if (signal_settled_value(signal, span, &value)) {
        spell_out_until(signal, span);
        signal->base = signal_wrapped(value);
        for (uint32_t s = 0; s < signal->senders; s++)
            fold_sender(signal, &signal->sender[s], span[s].must);
    }
    spans_free(&spans);
}

void signal_cut_waits(struct pto_check *check, const struct signal *signal, struct waiter *waiter)
{
    if (waiter->count >= MOST_UNTIDY)
        signal_close_waits(check, signal, waiter, MOST_UNTIDY / 2, false);
}

/* A party that never hears of the others would keep all there is to know of it. */
static void cut_long(struct pto_check *check, struct signal *signal)
{
    for (uint32_t w = 0; w < signal->waiters; w++)
        if (signal->waiter[w].count > MOST_PASSED)
            signal_close_waits(check, signal, &signal->waiter[w], MOST_PASSED / 2, false);
    for (uint32_t s = 0; s < signal->senders; s++) {
        struct sender *sender = &signal->sender[s];

        if (sender->count <= MOST_TOLD)
            continue;
        signal->base = signal_wrapped(signal_value_after(signal, s, MOST_TOLD / 2));
        fold_by_force(signal, sender, MOST_TOLD / 2);
    }
}

void signal_tidy(struct pto_check *check, struct signal *signal)
{
    if (++signal->fresh < TIDY_LEAST + 2 * (signal->senders + signal->waiters))
        return;
    signal->fresh = 0;
    for (uint32_t w = 0; w < signal->waiters; w++)
        signal_close_waits(check, signal, &signal->waiter[w],
                           count_complete(signal, &signal->waiter[w]), true);
    fold(check, signal);
    cut_long(check, signal);
    add_up(signal);
}

void signal_begin_afresh(struct pto_check *check, struct signal *signal, int64_t value)
{
    signal_close(check, signal, false);
    for (uint32_t s = 0; s < signal->senders; s++)
        fold_by_force(signal, &signal->sender[s], signal->sender[s].count);
    signal->passings = 0;
    signal->base = signal->now = value;
    add_up(signal);
}
